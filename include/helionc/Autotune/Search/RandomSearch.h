//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Proposes valid configurations at random.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_SEARCH_RANDOMSEARCH_H
#define HELIONC_AUTOTUNE_SEARCH_RANDOMSEARCH_H

#include "helionc/Autotune/Core/SearchStrategy.h"
#include "helionc/Tuning/ConfigSpace.h"

#include <set>

namespace helionc::autotune {

/// Uniform over each parameter, repaired until valid, never the same configuration twice.
class RandomSearch final : public SearchStrategy {
public:
  RandomSearch(const tuning::ConfigSpace &space, uint64_t seed) : space(space), random(seed) {}
  llvm::StringRef name() const override { return "random"; }
  std::vector<Proposal> propose(size_t count) override;
  void observe(llvm::ArrayRef<Observation> results) override;

private:
  const tuning::ConfigSpace &space;
  std::mt19937_64 random;
  std::set<tuning::Config> seen;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_SEARCH_RANDOMSEARCH_H
