// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
#include <stdlib.h>
#include <vector>
