//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Who proposes candidates: the interface of every search strategy.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_SEARCHSTRATEGY_H
#define HELIONC_AUTOTUNE_CORE_SEARCHSTRATEGY_H

#include "helionc/Autotune/Core/Measurement.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace helionc::autotune {

/// What a language model was asked, and what it cost.
struct ModelUsage {
  /// The model's name; "" when no model was asked.
  std::string model;
  /// A language model answered at least once. The embedded expert is none.
  bool hasAnswered = false;
  int64_t requests = 0, inputTokens = 0, outputTokens = 0;
  double seconds = 0;
};

/// Proposes configurations and learns from measurements. Never compiles or runs anything. Called from one thread.
class SearchStrategy {
public:
  virtual ~SearchStrategy() = default;

  virtual llvm::StringRef name() const = 0;
  /// Called once, before anything is measured. An error (an endpoint that can never answer) ends the tuning.
  virtual llvm::Error begin() { return llvm::Error::success(); }
  /// Waits at most `seconds` for propose() to have something; false when it would still block.
  virtual bool waitUntilReady(double seconds) { return true; }
  /// The next configurations, at most `count`, best first. None: nothing is left to propose.
  virtual std::vector<Proposal> propose(size_t count) = 0;
  /// Results of this and of every other proposer, in the order in which they came.
  virtual void observe(llvm::ArrayRef<Observation> results) {}
  /// Whether two rounds without a gain end the search.
  virtual bool stopsOnPlateau() const { return false; }
  /// Ends whatever goes on in the background.
  virtual void cancel() {}

  /// Remarks for the report, such as "the endpoint stopped answering; went on with a classical search".
  virtual std::vector<std::string> notes() const { return {}; }
  virtual ModelUsage usage() const { return {}; }
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_SEARCHSTRATEGY_H
