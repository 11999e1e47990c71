//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// From a symbolic kernel and one configuration to code: the only place that orders passes.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_COMPILE_H
#define HELIONC_PIPELINE_COMPILE_H

#include "helionc/Analysis/TargetFacts.h"
#include "helionc/Artifact/KernelImage.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace helionc::target {
struct GpuTarget;
} // namespace helionc::target

namespace helionc::pipeline {

/// The stages after the symbolic kernel, in order; which exist depends on the target.
enum class Stage { HLInstantiated, Vector, HLG, NVVM, LLVM, Asm, PTX, Cubin, Obj, Image };

/// A target to compile for. `gpu` is null for the CPU.
struct Target {
  analysis::TargetFacts facts;
  const target::GpuTarget *gpu = nullptr;
};

struct CompileOptions {
  int optLevel = 3;
  /// How long ptxas may take, in seconds.
  double assembleTimeout = 60;
};

/// What compiling one configuration cost and what the code takes; -1: not known.
struct CompileStats {
  double passMillis = 0, codegenMillis = 0, assembleMillis = 0;
  int64_t registers = -1, spillBytes = -1, smemBytes = -1, scratchBytes = -1;
};

/// The result of compileKernel: text (or bytes) of the stage asked for, and the image when it was Stage::Image.
struct Compiled {
  std::string text;
  artifact::KernelImage image;
  CompileStats stats;
};

/// Makes a fresh module of symbolic kernels ready: padding resolved, `facts`' tuning parameters added.
/// Runs once a kernel and target; every candidate starts from a clone of the result.
llvm::Error prepareSymbolic(mlir::ModuleOp module, const analysis::TargetFacts &facts);

/// Instantiates the one kernel of `module` (which is consumed) with `config` (a JSON object in Helion's form) and
/// lowers it until `stage`. Errors carry the diagnostics' text.
llvm::Expected<Compiled> compileKernel(mlir::OwningOpRef<mlir::ModuleOp> module, llvm::StringRef config,
                                       const Target &target, const CompileOptions &options, Stage stage);

/// Whether `stage` exists for `target`; if not, the error names those that do.
llvm::Error checkStage(Stage stage, llvm::StringRef stageName, const Target &target);

} // namespace helionc::pipeline

#endif // HELIONC_PIPELINE_COMPILE_H
