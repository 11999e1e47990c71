//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Hill climbing with random samples mixed in.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Search/PatternSearch.h"

#include <algorithm>

using namespace helionc;
using namespace helionc::autotune;

/// One proposal in so many is a random sample while neighbours are left.
static constexpr size_t sampleShare = 4;

void PatternSearch::observe(llvm::ArrayRef<Observation> results) {
  for (const Observation &result : results) {
    seen.insert(space.complete(result.config));
    if (result.measurement.isOk())
      good.push_back(result);
  }
  std::sort(good.begin(), good.end(), [](const Observation &a, const Observation &b) {
    return std::tie(a.measurement.medianMicros, a.config) < std::tie(b.measurement.medianMicros, b.config);
  });
}

void PatternSearch::addSamples(std::vector<Proposal> &proposals, size_t count) {
  for (size_t tries = 0, added = 0; added < count && tries < 20 * count + 100; ++tries) {
    std::optional<tuning::Config> config = space.sample(random);
    if (!config)
      return;
    if (!seen.insert(*config).second)
      continue;
    proposals.push_back({std::move(*config), "random", ""});
    ++added;
  }
}

std::vector<Proposal> PatternSearch::propose(size_t count) {
  std::vector<Proposal> proposals;
  constexpr size_t maxCenters = 3;
  size_t nearCount = good.empty() ? 0 : count - count / sampleShare;
  for (size_t i = 0; i < std::min(good.size(), maxCenters) && proposals.size() < nearCount; ++i) {
    std::vector<tuning::Config> near = space.neighbours(good[i].config);
    for (size_t j = near.size(); j > 1; --j)
      std::swap(near[j - 1], near[random() % j]);
    for (tuning::Config &config : near)
      if (proposals.size() < nearCount && seen.insert(config).second)
        proposals.push_back({std::move(config), "neighbour", ""});
  }
  addSamples(proposals, count - proposals.size());
  return proposals;
}
