//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Compiles candidates: the interface that the driver implements.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_CANDIDATECOMPILER_H
#define HELIONC_AUTOTUNE_CORE_CANDIDATECOMPILER_H

#include "helionc/Autotune/Core/Measurement.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace helionc::autotune {

/// One candidate, compiled or not.
struct CompiledCandidate {
  tuning::Config config;
  /// Ok, Refused (the compiler declines the configuration), CompileError, Timeout or Crash.
  Status status = Status::Ok;
  /// Where the shared library is; it lives as long as the compiler that made it.
  std::string artifactPath;
  /// Digest of the code, without names or paths.
  std::string digest;
  double compileMillis = 0;
  int64_t registers = 0, spillBytes = 0, smemBytes = 0, scratchBytes = 0;
  std::string error;

  bool isOk() const { return status == Status::Ok; }
};

/// Compiles batches of configurations, in parallel as it sees fit, each under a time limit.
class CandidateCompiler {
public:
  virtual ~CandidateCompiler() = default;
  /// Called on the caller's thread as each candidate is done: its place in the batch, and the result.
  using Callback = llvm::function_ref<void(size_t, const CompiledCandidate &)>;
  /// Compiles every configuration (complete, valid ones) and calls `done` once for each. Returns when all are done.
  virtual void compile(llvm::ArrayRef<tuning::Config> configs, Callback done) = 0;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_CANDIDATECOMPILER_H
