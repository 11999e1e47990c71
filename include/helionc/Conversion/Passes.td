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

def ConvertHLToHLG : Pass<"convert-hl-to-hlg", "::mlir::ModuleOp"> {
  let summary = "concrete hl kernels to the GPU tile dialect: grid mapped, layouts assigned";
  let dependentDialects = ["::helionc::hlg::HLGDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ConvertHLGToNVVM : Pass<"convert-hlg-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "the GPU tile dialect to per-thread NVVM and LLVM operations";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
