//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Climbs from the best configuration so far, one step at a time.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_SEARCH_PATTERNSEARCH_H
#define HELIONC_AUTOTUNE_SEARCH_PATTERNSEARCH_H

#include "helionc/Autotune/Core/SearchStrategy.h"
#include "helionc/Tuning/ConfigSpace.h"

#include <set>

namespace helionc::autotune {

/// Proposes the neighbours of the best configuration seen, parameters in random order, and mixes in random samples so
/// that it leaves a local optimum. Also what the LLM search falls back to.
class PatternSearch final : public SearchStrategy {
public:
  PatternSearch(const tuning::ConfigSpace &space, uint64_t seed) : space(space), random(seed) {}
  llvm::StringRef name() const override { return "pattern"; }
  std::vector<Proposal> propose(size_t count) override;
  void observe(llvm::ArrayRef<Observation> results) override;

private:
  void addSamples(std::vector<Proposal> &proposals, size_t count);

  const tuning::ConfigSpace &space;
  std::mt19937_64 random;
  std::set<tuning::Config> seen;
  std::vector<Observation> good;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_SEARCH_PATTERNSEARCH_H
