// No licence, no purpose.




#include "helionc/Frontend/Parser.h"
#include "mlir/IR/Builders.h"
#include <cuda.h>
static llvm::cl::opt<bool> bad("bad");

int   notFormatted( ) {return 1 ;}
