//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// helion-opt: runs passes over hl, hlg and the upstream dialects, with all of mlir-opt's options.
//===----------------------------------------------------------------------===//
#include "helionc/Pipeline/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  helionc::pipeline::registerDialects(registry);
  helionc::pipeline::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "helionc's pass driver\n", registry));
}
