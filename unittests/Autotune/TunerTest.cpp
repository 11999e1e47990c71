//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of the tuner on synthetic kernels.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include "helionc/Autotune/Search/FiniteSearch.h"
#include "helionc/Autotune/Search/PatternSearch.h"
#include "helionc/Autotune/Search/RandomSearch.h"

#include "gtest/gtest.h"

using namespace helionc;
using namespace helionc::autotune;
using namespace helionc::autotune::test;
using tuning::Config;

namespace {

TEST(Tuner, FindsAFasterOneAndProvesIt) {
  TunerFixture run(cpuMatmul(1024, 1024, 1024));
  run.options.maxCandidates = 60;
  PatternSearch pattern(run.landscape.space, 3);
  TuningResult result = run.run(pattern);
  ASSERT_TRUE(result.best && result.speedUp);
  EXPECT_TRUE(result.speedUp->isFaster());
  EXPECT_GT(result.speedUp->low, 1.0);
  EXPECT_GE(result.speedUp->confidence, 0.95);
  EXPECT_LT(result.bestMeasurement.medianMicros, result.defaultMeasurement.medianMicros);
  EXPECT_EQ(result.stop, StopReason::Candidates);
  EXPECT_EQ(result.observations.size(), 60u);
  EXPECT_FALSE(run.compiler.compiledTwice);
}

TEST(Tuner, IsDeterministic) {
  std::optional<Config> best;
  for (int i = 0; i < 2; ++i) {
    TunerFixture run(cpuRows(4096, 4096));
    run.options.maxCandidates = 30;
    PatternSearch pattern(run.landscape.space, 5);
    TuningResult result = run.run(pattern);
    ASSERT_TRUE(result.best);
    EXPECT_TRUE(!best || best == result.best);
    best = result.best;
  }
}

TEST(Tuner, KeepsTheDefaultWhenNothingIsFasterForCertain) {
  Landscape flat = cpuRows(1024, 1024);
  flat.micros = [](const Config &) { return 10.0; };
  flat.noise = 0.05;
  TunerFixture run(std::move(flat));
  run.options.maxCandidates = 20;
  RandomSearch random(run.landscape.space, 1);
  TuningResult result = run.run(random);
  EXPECT_EQ(result.best, run.landscape.space.defaultConfig());
  EXPECT_FALSE(result.speedUp);
  EXPECT_EQ(result.notes.size(), 1u);
}

TEST(Tuner, AWrongCandidateNeverWins) {
  Landscape land = cpuRows(4096, 4096);
  auto isWrong = [](const Config &config) { return config.getInt("block_sizes.0", 0) < 16; };
  land.status = [=](const Config &config) { return isWrong(config) ? Status::WrongResult : Status::Ok; };
  TunerFixture run(std::move(land));
  run.options.maxCandidates = 50;
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  ASSERT_TRUE(result.best);
  EXPECT_FALSE(isWrong(*result.best));
  EXPECT_GT(result.byStatus[size_t(Status::WrongResult)], 5u);
}

TEST(Tuner, AZeroTimeIsInvalid) {
  Landscape land = cpuRows(64, 64);
  land.micros = [](const Config &config) { return config.getInt("num_threads", 0) == 1 ? 0.0 : 10.0; };
  TunerFixture run(std::move(land));
  FiniteSearch finite("finite", {{{"num_threads", int64_t(1)}}}, "author");
  TuningResult result = run.run(finite);
  EXPECT_EQ(result.byStatus[size_t(Status::LaunchError)], 1u);
  EXPECT_EQ(result.best, run.landscape.space.defaultConfig());
  EXPECT_EQ(result.stop, StopReason::Exhausted);
}

TEST(Tuner, OneBinaryIsMeasuredOnce) {
  Landscape land = cpuRows(64, 64);
  land.digest = [](const Config &config) { return std::to_string(config.getInt("num_threads", 0)); };
  TunerFixture run(std::move(land));
  run.options.maxCandidates = 40;
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  EXPECT_EQ(run.bench.count, 4u);
  EXPECT_EQ(result.reused, 36u);
}

TEST(Tuner, RefusesInvalidSeedsWithTheReason) {
  TunerFixture run(cpuMatmul(256, 256, 256));
  run.options.seeds = {{{{"dot_tile_m", int64_t(12)}, {"dot_tile_n", int64_t(4)}}, "author", ""},
                       {{{"dot_tile_m", int64_t(6)}}, "author", ""},
                       {{{"dot_tile_m", int64_t(6)}}, "author", "again"}};
  FiniteSearch nothing("finite", {}, "");
  TuningResult result = run.run(nothing);
  EXPECT_EQ(result.observations.size(), 3u);
  EXPECT_EQ(result.byStatus[size_t(Status::Refused)], 1u);
  EXPECT_TRUE(llvm::StringRef(result.observations[1].measurement.error).starts_with("too many vector registers"));
}

TEST(Tuner, WorksWithoutADefault) {
  Landscape land = cpuRows(4096, 1024);
  Config defaultConfig = land.space.defaultConfig();
  land.status = [=](const Config &config) { return config == defaultConfig ? Status::CompileError : Status::Ok; };
  TunerFixture run(std::move(land));
  run.options.maxCandidates = 10;
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  EXPECT_TRUE(result.best);
  EXPECT_FALSE(result.speedUp);
  EXPECT_EQ(result.defaultMeasurement.status, Status::CompileError);
}

TEST(Tuner, SaysWhenNothingIsRight) {
  Landscape land = cpuRows(64, 64);
  land.status = [](const Config &) { return Status::Crash; };
  TunerFixture run(std::move(land));
  run.options.maxCandidates = 5;
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.byStatus[size_t(Status::Crash)], 5u);
}

TEST(Tuner, StopsInTime) {
  TunerFixture run(cpuMatmul(512, 512, 512));
  run.options.maxSeconds = 10;
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  EXPECT_EQ(result.stop, StopReason::Time);
  EXPECT_LT(result.time.total, 11.5);
  EXPECT_GT(result.time.compile, 0);
  EXPECT_GT(result.time.measure, 0);
}

TEST(Tuner, EndsWithTheBestWhenInterrupted) {
  TunerFixture run(cpuMatmul(512, 512, 512));
  std::atomic<bool> cancel = false;
  size_t seen = 0;
  run.hooks.cancel = &cancel;
  run.hooks.onObservation = [&](const Observation &) { cancel = ++seen == 7; };
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  EXPECT_EQ(result.stop, StopReason::Cancelled);
  EXPECT_EQ(result.observations.size(), 7u);
  EXPECT_TRUE(result.best);
  EXPECT_EQ(run.bench.comparisons, 0u);
}

TEST(Tuner, AFaultInTheFinalCostsOnlyThatCandidate) {
  Landscape land = cpuRows(4096, 4096);
  Config good{{"block_sizes.0", int64_t(8)}, {"block_sizes.1", int64_t(1024)}};
  Config alsoGood{{"block_sizes.0", int64_t(4)}, {"block_sizes.1", int64_t(1024)}};
  TunerFixture run(std::move(land));
  run.bench.faulty = run.landscape.space.complete(good);
  FiniteSearch finite("finite", {good, alsoGood}, "author");
  TuningResult result = run.run(finite);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(*result.best, run.landscape.space.complete(alsoGood));
  EXPECT_EQ(result.byStatus[size_t(Status::Crash)], 1u);
}

TEST(Tuner, OverlapsWhereTheBenchmarkerAllows) {
  TunerFixture run(gpuMatmul(4096, 4096, 4096));
  run.bench.overlaps = true;
  run.options.maxCandidates = 20;
  RandomSearch random(run.landscape.space, 2);
  TuningResult result = run.run(random);
  EXPECT_EQ(result.observations.size(), 20u);
  EXPECT_TRUE(result.best);
}

TEST(Tuner, ExhaustiveFindsTheOptimum) {
  TunerFixture run(cpuRows(4096, 2048));
  run.landscape.noise = 0.0005;
  auto configs = listExhaustively(run.landscape.space, [&](const Config &c) { return run.landscape.micros(c); });
  ASSERT_TRUE(bool(configs));
  EXPECT_EQ(configs->size(), run.landscape.space.enumerate(1 << 20).size());
  FiniteSearch exhaustive("exhaustive", *configs, "exhaustive");
  TuningResult result = run.run(exhaustive);
  ASSERT_TRUE(result.best);
  EXPECT_NEAR(run.landscape.micros(*result.best) / run.landscape.optimum(), 1, 0.002);
  EXPECT_EQ(result.stop, StopReason::Exhausted);
}

TEST(Search, ExhaustiveRefusesAHugeSpace) {
  auto configs = listExhaustively(cpuMatmul(64, 64, 64).space);
  ASSERT_FALSE(bool(configs));
  EXPECT_EQ(llvm::toString(configs.takeError()),
            "the space has more than 65536 valid configurations, too many for an exhaustive search");
}

TEST(Search, RandomEndsInASmallSpace) {
  Landscape land = cpuRows(64, 64);
  land.space.parameters.resize(1);
  land.space.constraints.clear();
  RandomSearch random(land.space, 1);
  EXPECT_EQ(random.propose(100).size(), 11u);
  EXPECT_EQ(random.propose(100).size(), 0u);
}

} // namespace
