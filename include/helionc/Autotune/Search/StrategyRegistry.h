//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Makes search strategies by name.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_SEARCH_STRATEGYREGISTRY_H
#define HELIONC_AUTOTUNE_SEARCH_STRATEGYREGISTRY_H

#include "helionc/Autotune/Core/SearchStrategy.h"
#include "helionc/Autotune/LLM/KernelFacts.h"
#include "helionc/Autotune/LLM/Models.h"
#include "helionc/Autotune/LLM/PromptRenderer.h"
#include "helionc/Autotune/Search/LLMSearch.h"

#include <functional>

namespace helionc::autotune {

/// What strategies are made from. `space` outlives the strategy; the rest is copied.
struct StrategyContext {
  explicit StrategyContext(const tuning::ConfigSpace &space) : space(space) {}

  const tuning::ConfigSpace &space;
  uint64_t seed = 0;
  /// For "finite": the author's list.
  std::vector<tuning::Config> finite;
  /// For "exhaustive": a predicted time, smaller first. May be empty.
  std::function<double(const tuning::Config &)> predict;
  /// For "llm".
  KernelFacts facts;
  PromptFacts prompt;
  ModelChoice model;
  LLMSearchOptions llm;
  /// Where the conversation is written, "" for nowhere.
  std::string transcriptPath;
};

/// "random", "exhaustive", "finite", "pattern" and "llm".
std::vector<std::string> strategyNames();

/// Makes the strategy called `name`. An error for an unknown name (with the nearest one), a space that is too large to
/// exhaust, or a model that cannot be made.
llvm::Expected<std::unique_ptr<SearchStrategy>> createStrategy(llvm::StringRef name, const StrategyContext &context);

/// The embedded expert's first `count` recipes, as seeds for any strategy: measured while a model thinks.
std::vector<Proposal> heuristicSeeds(const tuning::ConfigSpace &space, const KernelFacts &facts, size_t count);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_SEARCH_STRATEGYREGISTRY_H
