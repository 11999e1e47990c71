//===- Passes from one dialect to another -----------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_CONVERSION_PASSES
#define HELIONC_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertHLToCPU : Pass<"convert-hl-to-cpu", "::mlir::ModuleOp"> {
  let summary = "concrete hl kernels to loops over vectors, one function a launch";
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif
