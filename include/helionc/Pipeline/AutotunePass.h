//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The autotune pass and the service that it asks.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_AUTOTUNEPASS_H
#define HELIONC_PIPELINE_AUTOTUNEPASS_H

#include "helionc/Dialect/HL/HL.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace helionc::pipeline {

#define GEN_PASS_DECL
#include "helionc/Pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "helionc/Pipeline/Passes.h.inc"

/// What a search came to: the configuration in Helion's form and the record of the run, both as JSON.
struct TuningOutcome {
  std::string config, record;
};

/// Finds the best configuration of a symbolic kernel.
class TuneService {
public:
  virtual ~TuneService() = default;
  /// An error when no candidate is valid.
  virtual llvm::Expected<TuningOutcome> tune(hl::KernelOp kernel) = 0;
};

/// --hl-autotune with `service` instead of recorded measurements. The service's own error, when it fails, is kept in
/// `failure` for the caller to report.
std::unique_ptr<mlir::Pass> createAutotunePass(std::shared_ptr<TuneService> service, llvm::Error *failure);

/// Answers from a file of recorded measurements.
std::shared_ptr<TuneService> createRecordedTuneService(std::string strategy, std::string path, int64_t maxCandidates,
                                                       uint64_t seed);

} // namespace helionc::pipeline

#endif // HELIONC_PIPELINE_AUTOTUNEPASS_H
