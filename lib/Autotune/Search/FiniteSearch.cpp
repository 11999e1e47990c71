//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Finite and exhaustive search.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Search/FiniteSearch.h"

#include <algorithm>

using namespace helionc;
using namespace helionc::autotune;

std::vector<Proposal> FiniteSearch::propose(size_t count) {
  std::vector<Proposal> proposals;
  for (; proposals.size() < count && next < configs.size(); ++next)
    proposals.push_back({configs[next], origin, ""});
  return proposals;
}

llvm::Expected<std::vector<tuning::Config>>
helionc::autotune::listExhaustively(const tuning::ConfigSpace &space,
                                    const std::function<double(const tuning::Config &)> &predict) {
  std::vector<tuning::Config> configs = space.enumerate(maxExhaustive + 1);
  if (configs.size() > maxExhaustive)
    return llvm::createStringError("the space has more than " + llvm::Twine(maxExhaustive) +
                                   " valid configurations, too many for an exhaustive search");
  if (!predict)
    return configs;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < configs.size(); ++i)
    order.push_back({predict(configs[i]), i});
  std::sort(order.begin(), order.end());
  std::vector<tuning::Config> sorted;
  for (const auto &entry : order)
    sorted.push_back(std::move(configs[entry.second]));
  return sorted;
}
