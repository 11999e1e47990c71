//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Proposes a given list of configurations.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_SEARCH_FINITESEARCH_H
#define HELIONC_AUTOTUNE_SEARCH_FINITESEARCH_H

#include "helionc/Autotune/Core/SearchStrategy.h"
#include "helionc/Tuning/ConfigSpace.h"

#include <functional>

namespace helionc::autotune {

/// Each configuration once, in the order given: `configs=[…]` of a source file, or the whole pruned space.
class FiniteSearch final : public SearchStrategy {
public:
  FiniteSearch(std::string name, std::vector<tuning::Config> configs, std::string origin)
      : strategyName(std::move(name)), configs(std::move(configs)), origin(std::move(origin)) {}
  llvm::StringRef name() const override { return strategyName; }
  std::vector<Proposal> propose(size_t count) override;

private:
  std::string strategyName;
  std::vector<tuning::Config> configs;
  std::string origin;
  size_t next = 0;
};

/// How many configurations an exhaustive search takes on.
constexpr size_t maxExhaustive = 1 << 16;

/// Every valid configuration of `space` in a fixed order, or, with `predict` (smaller is better), the most promising
/// first. An error when there are more than maxExhaustive.
llvm::Expected<std::vector<tuning::Config>>
listExhaustively(const tuning::ConfigSpace &space,
                 const std::function<double(const tuning::Config &)> &predict = nullptr);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_SEARCH_FINITESEARCH_H
