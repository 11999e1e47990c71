//===- The autotune pass -----------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_PASSES
#define HELIONC_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

#endif
