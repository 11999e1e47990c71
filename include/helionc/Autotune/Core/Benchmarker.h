//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Times candidates: the interface that the driver implements.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_BENCHMARKER_H
#define HELIONC_AUTOTUNE_CORE_BENCHMARKER_H

#include "helionc/Autotune/Core/CandidateCompiler.h"

#include "llvm/Support/Error.h"

namespace helionc::autotune {

/// How one candidate is to be measured.
struct MeasureRequest {
  /// Compare its outputs with the reference first.
  bool checkResult = true;
  /// At least so many timed rounds, and more until `targetSeconds` have gone by.
  unsigned minRounds = 5;
  double targetSeconds = 0.2;
  /// After a quick look: stop, with Measurement::isRough, when the median is beyond this. 0: never.
  double earlyExitMicros = 0;
};

/// Checks and times candidates, where a fault or a hang of one costs only that one.
class Benchmarker {
public:
  virtual ~Benchmarker() = default;
  /// Checks and times one candidate. Never fails: a fault is a Measurement.
  virtual Measurement measure(const CompiledCandidate &candidate, const MeasureRequest &request) = 0;
  /// Times the candidates in turn, `rounds` times over: result[i][r] is candidate i's time of a call in round r, in µs.
  /// All have passed measure() before. An error when one of them faults.
  virtual llvm::Expected<std::vector<std::vector<double>>> compare(llvm::ArrayRef<CompiledCandidate> candidates,
                                                                   unsigned rounds) = 0;
  /// Whether compiling other candidates meanwhile leaves the times as they are: a GPU, not the CPU that compiles.
  virtual bool canOverlapCompilation() const { return false; }
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_BENCHMARKER_H
