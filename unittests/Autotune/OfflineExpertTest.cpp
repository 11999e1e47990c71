//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of the embedded expert on synthetic kernels.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include "helionc/Autotune/LLM/OfflineExpert.h"
#include "helionc/Autotune/Search/RandomSearch.h"

#include "gtest/gtest.h"

using namespace helionc;
using namespace helionc::autotune;
using namespace helionc::autotune::test;
using tuning::Config;

namespace {

/// The expert as a strategy.
class ExpertSearch final : public SearchStrategy {
public:
  ExpertSearch(const tuning::ConfigSpace &space, KernelFacts facts) : expert(space, std::move(facts)) {}
  llvm::StringRef name() const override { return "expert"; }
  std::vector<Proposal> propose(size_t count) override { return expert.propose(seen, count); }
  void observe(llvm::ArrayRef<Observation> results) override {
    seen.insert(seen.end(), results.begin(), results.end());
  }
  OfflineExpert expert;
  std::vector<Observation> seen;
};

double bestAfter(Landscape land, size_t candidates, bool useExpert) {
  TunerFixture run(std::move(land));
  run.options.maxCandidates = candidates;
  run.options.batchSize = 8;
  ExpertSearch expert(run.landscape.space, run.landscape.facts);
  RandomSearch random(run.landscape.space, 11);
  SearchStrategy *strategy = &random;
  if (useExpert)
    strategy = &expert;
  TuningResult result = run.run(*strategy);
  return result.best ? run.landscape.micros(*result.best) : 1e30;
}

void checkProposals(const Landscape &land) {
  OfflineExpert expert(land.space, land.facts);
  std::vector<Proposal> proposals = expert.propose({}, 10);
  EXPECT_GE(proposals.size(), 4u);
  std::set<Config> distinct;
  for (const Proposal &proposal : proposals) {
    EXPECT_TRUE(land.space.isValid(proposal.config)) << proposal.config.toText();
    EXPECT_FALSE(proposal.rationale.empty());
    EXPECT_EQ(proposal.origin, "embedded expert");
    EXPECT_TRUE(distinct.insert(proposal.config).second);
  }
}

TEST(OfflineExpert, ProposesValidConfigurations) {
  checkProposals(cpuMatmul(1024, 1024, 1024));
  checkProposals(cpuMatmul(16, 8192, 8192));
  checkProposals(cpuRows(4096, 4096));
  checkProposals(gpuMatmul(4096, 4096, 4096));
  Landscape elementwise = cpuRows(4096, 4096);
  elementwise.facts.hasReduction = false;
  checkProposals(elementwise);
  elementwise.facts.isGpu = true;
  checkProposals(elementwise);
  Landscape gpuRows = cpuRows(4096, 4096);
  gpuRows.facts.isGpu = true;
  checkProposals(gpuRows);
}

TEST(OfflineExpert, ComesCloseToTheOptimumInThirtyCandidates) {
  struct Case {
    const char *name;
    Landscape land;
    double within;
  };
  for (Case &test : std::vector<Case>{{"square", cpuMatmul(1024, 1024, 1024), 1.10},
                                      {"odd", cpuMatmul(1000, 1000, 1000), 1.10},
                                      {"small", cpuMatmul(128, 128, 128), 1.15},
                                      {"flat", cpuMatmul(16, 4096, 4096), 1.15},
                                      {"rows", cpuRows(4096, 4096), 1.05},
                                      {"short rows", cpuRows(65536, 64), 1.10},
                                      {"gpu", gpuMatmul(4096, 4096, 4096), 1.10},
                                      {"gpu small", gpuMatmul(512, 512, 512), 1.25}}) {
    double optimum = test.land.optimum(), random = bestAfter(test.land, 30, false),
           expert = bestAfter(test.land, 30, true);
    EXPECT_LE(expert, optimum * test.within) << test.name;
    EXPECT_LE(expert, random * 1.10) << test.name;
  }
}

TEST(OfflineExpert, RefinesWhatHelped) {
  Landscape land = cpuRows(4096, 4096);
  OfflineExpert expert(land.space, land.facts);
  std::vector<Observation> seen;
  auto see = [&](int64_t rows, int64_t columns, double micros) {
    Measurement measurement;
    measurement.medianMicros = micros;
    seen.push_back({land.space.complete({{"block_sizes.0", rows}, {"block_sizes.1", columns}}), measurement,
                    "embedded expert", "", false});
  };
  see(1, 256, 100);
  see(1, 512, 80);
  see(2, 512, 120);
  std::vector<Proposal> proposals = expert.propose(seen, 6);
  ASSERT_FALSE(proposals.empty());
  EXPECT_EQ(proposals[0].config.getInt("block_sizes.1", 0), 1024);
  EXPECT_TRUE(llvm::StringRef(proposals[0].rationale).contains("gained"));
}

TEST(OfflineExpert, EndsInAnExhaustedSpace) {
  tuning::ConfigSpace space;
  space.parameters = {
      {"num_threads", tuning::ParameterKind::Enum, 0, 0, {int64_t(1), int64_t(2)}, int64_t(2), "threads", ""}};
  KernelFacts facts;
  facts.cores = 2;
  OfflineExpert expert(space, facts);
  EXPECT_LE(expert.propose({}, 10).size(), 1u);
  EXPECT_TRUE(OfflineExpert({}, {}).propose({}, 5).empty());
}

} // namespace
