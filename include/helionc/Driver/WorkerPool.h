//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Worker processes as the tuner's compiler and benchmarker.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_WORKERPOOL_H
#define HELIONC_DRIVER_WORKERPOOL_H

#include "helionc/Autotune/Core/Benchmarker.h"
#include "helionc/Autotune/Core/CandidateCompiler.h"
#include "helionc/Runtime/WorkerProcess.h"
#include "helionc/Tuning/ConfigSpace.h"

#include <memory>
#include <string>
#include <vector>

namespace helionc::driver {

/// What the candidates of one run have in common.
struct CandidateJob {
  /// The prepared symbolic kernel's text, and the folder for libraries.
  std::string modulePath, folder;
  std::string kernel, target;
  const tuning::ConfigSpace *space = nullptr;
  int optLevel = 3;
  double compileTimeout = 60, runTimeout = 60;
  /// "cpu" or "cuda:0", and the path of the problem that measuring workers read.
  std::string device = "cpu", problemPath;
  /// This executable: started with the argument "worker".
  std::string executable;
  unsigned jobs = 1;
};

/// Compiles in `jobs` worker processes at the same time.
class WorkerCompiler : public autotune::CandidateCompiler {
public:
  explicit WorkerCompiler(const CandidateJob &job);
  ~WorkerCompiler() override;
  void compile(llvm::ArrayRef<tuning::Config> configs, Callback done) override;

private:
  autotune::CompiledCandidate compileOne(runtime::WorkerProcess &worker, const tuning::Config &config, size_t number);

  const CandidateJob &job;
  std::vector<std::unique_ptr<runtime::WorkerProcess>> workers;
  size_t compiledCount = 0;
};

/// Checks and times in one worker process, started anew after a fault.
class WorkerBenchmarker : public autotune::Benchmarker {
public:
  explicit WorkerBenchmarker(const CandidateJob &job);
  ~WorkerBenchmarker() override;
  autotune::Measurement measure(const autotune::CompiledCandidate &candidate,
                                const autotune::MeasureRequest &request) override;
  llvm::Expected<std::vector<std::vector<double>>> compare(llvm::ArrayRef<autotune::CompiledCandidate> candidates,
                                                           unsigned rounds) override;
  bool canOverlapCompilation() const override { return job.device != "cpu"; }

  /// Runs `library` once on the CPU and writes its outputs to `out`.
  llvm::Error makeReference(llvm::StringRef library, llvm::StringRef out);

private:
  const CandidateJob &job;
  std::unique_ptr<runtime::WorkerProcess> worker;
};

} // namespace helionc::driver

#endif // HELIONC_DRIVER_WORKERPOOL_H
