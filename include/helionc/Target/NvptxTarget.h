//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// From the LLVM dialect to PTX, and from PTX to cubins.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TARGET_NVPTXTARGET_H
#define HELIONC_TARGET_NVPTXTARGET_H

#include "helionc/Target/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace helionc::target {

/// Adds the passes from hlg to the NVVM and LLVM dialects only.
void buildGpuLoweringPipeline(mlir::OpPassManager &passes);

/// Optimized LLVM IR, or PTX, of a module of the NVVM and LLVM dialects.
llvm::Expected<std::string> emitGpuLLVMIR(mlir::ModuleOp module, const GpuTarget &target, int optLevel);
llvm::Expected<std::string> emitPtx(mlir::ModuleOp module, const GpuTarget &target, int optLevel);

/// A cubin and what ptxas said of it (the most of all kernels).
struct Cubin {
  std::string cubin;
  int64_t registers = 0, spillStoreBytes = 0, spillLoadBytes = 0, staticSmemBytes = 0;
};

/// Runs ptxas, which is killed after `timeoutSeconds`.
llvm::Expected<Cubin> assemblePtx(llvm::StringRef ptx, const GpuTarget &target, int optLevel, double timeoutSeconds);

/// Where ptxas is: $HELIONC_PTXAS, PATH, $CUDA_HOME, the toolkit's usual places, a Python environment beside the
/// executable. "" when it is nowhere.
std::string findPtxas();

} // namespace helionc::target

#endif // HELIONC_TARGET_NVPTXTARGET_H
