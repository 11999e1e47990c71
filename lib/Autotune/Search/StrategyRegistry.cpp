//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The table of strategies.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Search/StrategyRegistry.h"

#include "helionc/Autotune/LLM/OfflineExpert.h"
#include "helionc/Autotune/Search/FiniteSearch.h"
#include "helionc/Autotune/Search/RandomSearch.h"

using namespace helionc;
using namespace helionc::autotune;

using Made = llvm::Expected<std::unique_ptr<SearchStrategy>>;

static Made makeRandom(const StrategyContext &context) {
  return std::make_unique<RandomSearch>(context.space, context.seed);
}

static Made makePattern(const StrategyContext &context) {
  return std::make_unique<PatternSearch>(context.space, context.seed);
}

static Made makeFinite(const StrategyContext &context) {
  if (context.finite.empty())
    return llvm::createStringError("the finite search needs configurations: configs=[…] in @helion.kernel");
  return std::make_unique<FiniteSearch>("finite", context.finite, "author");
}

static Made makeExhaustive(const StrategyContext &context) {
  llvm::Expected<std::vector<tuning::Config>> configs = listExhaustively(context.space, context.predict);
  if (!configs)
    return configs.takeError();
  return std::make_unique<FiniteSearch>("exhaustive", std::move(*configs), "exhaustive");
}

static Made makeLLM(const StrategyContext &context) {
  llvm::Expected<std::unique_ptr<LanguageModel>> model = createModel(context.model, context.space, context.facts);
  if (!model)
    return model.takeError();
  std::unique_ptr<TranscriptWriter> transcript;
  if (!context.transcriptPath.empty()) {
    llvm::Expected<TranscriptWriter> writer = TranscriptWriter::create(context.transcriptPath, context.model.apiKey);
    if (!writer)
      return writer.takeError();
    transcript = std::make_unique<TranscriptWriter>(std::move(*writer));
  }
  LLMSearchOptions options = context.llm;
  options.seed = context.seed;
  return std::make_unique<LLMSearch>(context.space, std::move(*model), context.prompt, std::move(options),
                                     std::move(transcript));
}

namespace {
struct Entry {
  llvm::StringLiteral name;
  Made (*make)(const StrategyContext &);
};
} // namespace

static constexpr Entry strategies[] = {{"llm", makeLLM},
                                       {"random", makeRandom},
                                       {"exhaustive", makeExhaustive},
                                       {"finite", makeFinite},
                                       {"pattern", makePattern}};

std::vector<std::string> helionc::autotune::strategyNames() {
  std::vector<std::string> names;
  for (const Entry &entry : strategies)
    names.push_back(entry.name.str());
  return names;
}

Made helionc::autotune::createStrategy(llvm::StringRef name, const StrategyContext &context) {
  std::string nearest;
  unsigned best = 4;
  for (const Entry &entry : strategies) {
    if (name == entry.name)
      return entry.make(context);
    if (unsigned distance = name.edit_distance(entry.name, true, best); distance < best) {
      best = distance;
      nearest = "; did you mean '" + entry.name.str() + "'?";
    }
  }
  return llvm::createStringError("unknown search strategy '" + name + "'" + nearest);
}

std::vector<Proposal> helionc::autotune::heuristicSeeds(const tuning::ConfigSpace &space, const KernelFacts &facts,
                                                        size_t count) {
  std::vector<Proposal> seeds = OfflineExpert(space, facts).recipes(count);
  for (Proposal &seed : seeds)
    seed.origin = "seed";
  return seeds;
}
