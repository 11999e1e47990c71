//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Random search without repeats.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Search/RandomSearch.h"

using namespace helionc;
using namespace helionc::autotune;

std::vector<Proposal> RandomSearch::propose(size_t count) {
  std::vector<Proposal> proposals;
  for (size_t tries = 0; proposals.size() < count && tries < 20 * count + 100; ++tries) {
    std::optional<tuning::Config> config = space.sample(random);
    if (!config)
      break;
    if (seen.insert(*config).second)
      proposals.push_back({std::move(*config), "random", ""});
  }
  return proposals;
}

void RandomSearch::observe(llvm::ArrayRef<Observation> results) {
  for (const Observation &result : results)
    seen.insert(space.complete(result.config));
}
