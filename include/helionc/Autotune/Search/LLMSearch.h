//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The search that asks a language model, or the embedded expert.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_SEARCH_LLMSEARCH_H
#define HELIONC_AUTOTUNE_SEARCH_LLMSEARCH_H

#include "helionc/Autotune/Core/SearchStrategy.h"
#include "helionc/Autotune/LLM/LanguageModel.h"
#include "helionc/Autotune/LLM/PromptRenderer.h"
#include "helionc/Autotune/LLM/Retry.h"
#include "helionc/Autotune/LLM/Transcript.h"
#include "helionc/Autotune/Search/PatternSearch.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace helionc::autotune {

struct LLMSearchOptions {
  /// Configurations asked for in the first and in every later round.
  size_t firstCount = 10, laterCount = 6;
  /// No further request once so many tokens were used. 0: no limit.
  int64_t maxTokens = 0;
  double timeoutSeconds = 120;
  RetryPolicy retry;
  uint64_t seed = 0;
  /// Told to the model as measured anyway: the same as TunerOptions::seeds.
  std::vector<Proposal> seeds;
  /// Ends the probe of the endpoint; as TunerHooks::cancel. May be null.
  const std::atomic<bool> *cancel = nullptr;
};

/// One request in flight at a time, in a thread of its own. The first goes out in begin(); a next one as soon as
/// everything that the last one proposed was observed. When the model fails for good after begin(), a pattern search
/// goes on, and a note says so.
class LLMSearch final : public SearchStrategy {
public:
  /// `transcript` may be null.
  LLMSearch(const tuning::ConfigSpace &space, std::unique_ptr<LanguageModel> model, PromptFacts facts,
            LLMSearchOptions options, std::unique_ptr<TranscriptWriter> transcript);
  ~LLMSearch() override { cancel(); }

  llvm::StringRef name() const override { return strategyName; }
  llvm::Error begin() override;
  bool waitUntilReady(double seconds) override;
  std::vector<Proposal> propose(size_t count) override;
  void observe(llvm::ArrayRef<Observation> results) override;
  bool stopsOnPlateau() const override { return true; }
  void cancel() override;
  std::vector<std::string> notes() const override { return remarks; }
  ModelUsage usage() const override { return used; }

private:
  void request(std::vector<Message> messages, size_t count);
  void requestInitial();
  void requestRefinement();
  bool requestRepair();
  void run(ModelRequest request);
  void takeReply();
  void takeCompletion(const Completion &completion);
  void giveUp(const std::string &why);
  bool isOverTokenBudget() const;

  const tuning::ConfigSpace &space;
  std::unique_ptr<LanguageModel> model;
  PromptRenderer renderer;
  LLMSearchOptions options;
  std::unique_ptr<TranscriptWriter> transcript;
  std::string strategyName;
  std::mt19937_64 random;
  PatternSearch fallback;

  std::vector<Observation> observations;
  std::vector<Proposal> queue;
  std::set<tuning::Config> tried;
  std::vector<std::string> refusals, remarks;
  std::vector<Message> conversation;
  std::string lastReply;
  size_t lastCount = 0, repairs = 0;
  bool hasGivenUp = false, isOver = false;
  ModelUsage used;

  std::thread thread;
  std::mutex mutex;
  std::condition_variable arrived;
  std::atomic<bool> cancelled{false};
  bool isWaiting = false, isDone = false;
  std::optional<ModelReply> reply;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_SEARCH_LLMSEARCH_H
