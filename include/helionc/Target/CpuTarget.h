//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The host processor as a target: what it is, how its code is lowered and emitted.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TARGET_CPUTARGET_H
#define HELIONC_TARGET_CPUTARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace helionc::target {

/// The host processor.
struct CpuInfo {
  /// LLVM's name of the processor, and its features as LLVM takes them ("+avx2,-avx512f,…").
  std::string cpu, features;
  /// Cores that this process may use.
  int cores = 1;
  /// Data cache sizes; 0 when not known.
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  /// Bits of a vector register.
  int vectorBits = 128;
};

/// Facts about the processor that this process runs on, found once.
const CpuInfo &hostCpu();

/// Adds the passes from the output of --convert-hl-to-cpu (func, scf, arith, math, vector and llvm) to the LLVM dialect
/// only. No function of libm is called for f16, bf16 and f32 elements.
void buildCpuLoweringPipeline(mlir::OpPassManager &passes);

/// A relocatable ELF object (position independent, for the host processor) of a module of the LLVM dialect.
llvm::Expected<std::string> emitCpuObject(mlir::ModuleOp module, int optLevel);

/// The same as optimized LLVM IR text.
llvm::Expected<std::string> emitCpuLLVMIR(mlir::ModuleOp module, int optLevel);

/// The same as assembly text.
llvm::Expected<std::string> emitCpuAssembly(mlir::ModuleOp module, int optLevel);

} // namespace helionc::target

#endif // HELIONC_TARGET_CPUTARGET_H
