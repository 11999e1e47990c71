//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of the conversation with a model, on synthetic kernels.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include "helionc/Autotune/Search/LLMSearch.h"
#include "helionc/Autotune/Search/StrategyRegistry.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <deque>

using namespace helionc;
using namespace helionc::autotune;
using namespace helionc::autotune::test;
using llvm::StringRef;

namespace {

ModelFault fault(ModelFault::Kind kind, std::string text) { return {kind, std::move(text), std::nullopt}; }

/// Gives its replies in turn, the last one again and again; notes what it was asked.
class ScriptedModel final : public LanguageModel {
public:
  explicit ScriptedModel(std::deque<ModelReply> replies) : replies(std::move(replies)) {}
  std::string name() const override { return "scripted"; }
  std::optional<ModelFault> probe(const std::atomic<bool> &) override { return probeFault; }
  ModelReply complete(const ModelRequest &request, const std::atomic<bool> &cancel) override {
    for (double left = delaySeconds; left > 0 && !cancel; left -= 0.01)
      sleepUnlessCancelled(0.01, cancel);
    asked->push_back(request.messages.back().text);
    ModelReply reply = replies.front();
    if (replies.size() > 1)
      replies.pop_front();
    return reply;
  }
  std::deque<ModelReply> replies;
  std::optional<ModelFault> probeFault;
  double delaySeconds = 0;
  std::shared_ptr<std::vector<std::string>> asked = std::make_shared<std::vector<std::string>>();
};

Completion say(std::string text) { return {std::move(text), FinishReason::Stop, 100, 50, 0.5}; }

struct Conversation : TunerFixture {
  explicit Conversation(std::deque<ModelReply> replies) : TunerFixture(gpuMatmul(4096, 4096, 4096)) {
    auto owned = std::make_unique<ScriptedModel>(std::move(replies));
    model = owned.get();
    asked = owned->asked;
    pending = std::move(owned);
    search.retry.firstDelaySeconds = 0.001;
    search.retry.maxDelaySeconds = 0.002;
  }
  llvm::Expected<TuningResult> tune() {
    strategy = std::make_unique<LLMSearch>(landscape.space, std::move(pending), PromptFacts{"k", "src", "", "", "gpu"},
                                           search, nullptr);
    return Tuner(landscape.space, compiler, bench, *strategy, options, hooks).run();
  }
  ScriptedModel *model;
  std::shared_ptr<std::vector<std::string>> asked;
  std::unique_ptr<LanguageModel> pending;
  LLMSearchOptions search;
  std::unique_ptr<LLMSearch> strategy;
};

bool hasNote(const TuningResult &result, StringRef part) {
  return llvm::any_of(result.notes, [&](const std::string &note) { return StringRef(note).contains(part); });
}

TEST(LLMSearch, MeasuresWhatTheModelProposesAndTellsItWhatCameOut) {
  Conversation run({say(R"({"configs": [{"block_sizes": [128, 128, 64], "num_warps": 8, "rationale": "big"},
                                        {"num_warps": 3}]})"),
                    say(R"({"configs": [{"block_sizes": [128, 128, 128], "num_warps": 8}]})"),
                    say(R"({"configs": []})")});
  TuningResult result = llvm::cantFail(run.tune());
  EXPECT_TRUE(result.usage.hasAnswered);
  EXPECT_EQ(result.usage.model, "scripted");
  EXPECT_EQ(result.strategy, "llm");
  EXPECT_EQ(result.stop, StopReason::Exhausted);
  ASSERT_TRUE(result.best && result.speedUp);
  EXPECT_EQ(result.best->getInt("block_sizes.2", 0), 128);
  ASSERT_GE(run.asked->size(), 2u);
  EXPECT_TRUE(StringRef((*run.asked)[0]).contains("Propose 10 configurations."));
  EXPECT_TRUE(StringRef((*run.asked)[1]).contains("times the default's speed"));
  EXPECT_TRUE(StringRef((*run.asked)[1]).contains("'num_warps' = 3 is not allowed"));
  EXPECT_GT(result.usage.inputTokens, 0);
}

TEST(LLMSearch, AsksAgainWhenNothingCouldBeUsed) {
  Conversation run({say("I would rather talk about cats."), say(R"({"configs": [{"num_warps": 8}]})"), say("no"),
                    say("still no"), say("never")});
  TuningResult result = llvm::cantFail(run.tune());
  EXPECT_TRUE(StringRef((*run.asked)[1]).starts_with("Nothing of your last answer could be used:"));
  EXPECT_TRUE(llvm::any_of(result.observations, [](const Observation &o) { return o.origin == "llm"; }));
  EXPECT_TRUE(hasNote(result, "nothing new to propose"));
}

TEST(LLMSearch, AFaultOfConfigurationEndsBeforeAnythingIsTuned) {
  Conversation run({say("")});
  run.model->probeFault = fault(ModelFault::Config, "the endpoint refuses the key: HTTP 401");
  llvm::Expected<TuningResult> result = run.tune();
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()), "the endpoint refuses the key: HTTP 401");
  EXPECT_EQ(run.compiler.count, 0u);
}

TEST(LLMSearch, APassingFaultIsRetried) {
  Conversation run({fault(ModelFault::Passing, "HTTP 500"), say(R"({"configs": [{"num_warps": 8}]})"), say("{}")});
  TuningResult result = llvm::cantFail(run.tune());
  EXPECT_TRUE(result.usage.hasAnswered);
  EXPECT_FALSE(hasNote(result, "stopped answering"));
}

TEST(LLMSearch, GoesOnWithAClassicalSearchWhenNobodyAnswers) {
  Conversation run({fault(ModelFault::Passing, "HTTP 503")});
  run.options.maxCandidates = 20;
  TuningResult result = llvm::cantFail(run.tune());
  EXPECT_FALSE(result.usage.hasAnswered);
  EXPECT_TRUE(hasNote(result, "the model stopped answering: HTTP 503; went on with a pattern search"));
  EXPECT_GT(result.observations.size(), 5u);
  EXPECT_TRUE(result.best);
}

TEST(LLMSearch, MeasuresSeedsAndNeighboursWhileTheModelThinks) {
  Conversation run({say(R"({"configs": [{"block_sizes": [128, 128, 64], "num_warps": 8}]})"), say("{}")});
  run.model->delaySeconds = 0.1;
  run.options.maxCandidates = 12;
  run.options.seeds = heuristicSeeds(run.landscape.space, run.landscape.facts, 3);
  TuningResult result = llvm::cantFail(run.tune());
  ASSERT_GT(result.observations.size(), 4u);
  EXPECT_EQ(result.observations[0].origin, "default");
  EXPECT_EQ(result.observations[1].origin, "seed");
  EXPECT_TRUE(llvm::any_of(result.observations, [](const Observation &o) { return o.origin == "neighbour"; }));
  EXPECT_TRUE(llvm::any_of(result.observations, [](const Observation &o) { return o.origin == "llm"; }));
}

TEST(LLMSearch, StopsAskingAtTheTokenBudget) {
  Conversation run({say(R"({"configs": [{"num_warps": 8}]})")});
  run.search.maxTokens = 100;
  TuningResult result = llvm::cantFail(run.tune());
  EXPECT_EQ(result.usage.requests, 1);
  EXPECT_TRUE(hasNote(result, "the token budget is used up"));
}

TEST(LLMSearch, AnInterruptEndsTheRequest) {
  Conversation run({say("{}")});
  run.model->delaySeconds = 20;
  std::atomic<bool> cancel{true};
  run.hooks.cancel = &cancel;
  double begin = Clock::system().seconds();
  TuningResult result = llvm::cantFail(run.tune());
  EXPECT_EQ(result.stop, StopReason::Cancelled);
  EXPECT_LT(Clock::system().seconds() - begin, 5);
}

TEST(LLMSearch, TheEmbeddedExpertIsNoLLM) {
  for (int repeat = 0; repeat < 2; ++repeat) {
    TunerFixture run(cpuMatmul(1024, 1024, 1024));
    run.options.maxCandidates = 30;
    StrategyContext context(run.landscape.space);
    context.facts = run.landscape.facts;
    auto strategy = createStrategy("llm", context);
    ASSERT_TRUE(bool(strategy)) << llvm::toString(strategy.takeError());
    TuningResult result = run.run(**strategy);
    EXPECT_EQ(result.strategy, "embedded expert");
    EXPECT_FALSE(result.usage.hasAnswered);
    ASSERT_TRUE(result.best);
    EXPECT_LE(run.landscape.micros(*result.best), 1.12 * run.landscape.optimum());
    for (const Observation &observation : result.observations)
      EXPECT_NE(observation.origin, "neighbour") << "nothing is filled in where nobody waits";
  }
}

TEST(LLMSearch, ATranscriptReplaysTheSameRun) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("run", "jsonl", path));
  auto tune = [&](ModelChoice choice, std::string transcript) {
    TunerFixture run(cpuRows(4096, 4096));
    run.options.maxCandidates = 24;
    StrategyContext context(run.landscape.space);
    context.facts = run.landscape.facts;
    context.model = choice;
    context.transcriptPath = std::move(transcript);
    auto strategy = llvm::cantFail(createStrategy("llm", context));
    return run.run(*strategy);
  };
  TuningResult first = tune({}, path.str().str());
  ModelChoice replay;
  replay.provider = "replay";
  replay.argument = path.str().str();
  TuningResult second = tune(replay, "");
  EXPECT_FALSE(second.usage.hasAnswered) << "the transcript is the embedded expert's";
  EXPECT_EQ(first.best, second.best);
  EXPECT_EQ(first.observations.size(), second.observations.size());
  llvm::sys::fs::remove(path);
}

TEST(StrategyRegistry, NamesAndErrors) {
  Landscape land = cpuMatmul(64, 64, 64);
  StrategyContext context(land.space);
  auto error = [&](StringRef name) { return llvm::toString(createStrategy(name, context).takeError()); };
  EXPECT_EQ(error("randon"), "unknown search strategy 'randon'; did you mean 'random'?");
  EXPECT_TRUE(StringRef(error("finite")).starts_with("the finite search needs configurations"));
  EXPECT_TRUE(StringRef(error("exhaustive")).contains("too many"));
  EXPECT_EQ(strategyNames().size(), 5u);
}

} // namespace
