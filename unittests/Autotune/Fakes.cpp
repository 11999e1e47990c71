//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Synthetic kernels, compilers and benchmarkers.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include <algorithm>
#include <cmath>

using namespace helionc;
using namespace helionc::autotune;
using namespace helionc::autotune::test;
using tuning::Config;
using tuning::ParameterKind;

double Landscape::optimum() const {
  double best = 1e30;
  std::mt19937_64 random(1);
  for (int start = 0; start < 40; ++start) {
    Config center = *space.sample(random);
    for (bool isMoving = true; isMoving;) {
      isMoving = false;
      for (const Config &near : space.neighbours(center))
        if (status(near) == Status::Ok && micros(near) < micros(center)) {
          center = near;
          isMoving = true;
        }
    }
    best = std::min(best, micros(center));
  }
  return best;
}

void FakeCompiler::compile(llvm::ArrayRef<Config> configs, Callback done) {
  clock.time += 0.05 * double(configs.size());
  // The last one is ready first, as may happen with parallel jobs.
  for (size_t i = configs.size(); i-- > 0;) {
    ++count;
    compiledTwice |= !compiled.insert(configs[i]).second;
    CompiledCandidate candidate;
    candidate.config = configs[i];
    candidate.artifactPath = "lib" + std::to_string(configs[i].digest()) + ".so";
    candidate.compileMillis = 50;
    Status status = landscape.status(configs[i]);
    if (status == Status::CompileError || status == Status::Refused) {
      candidate.status = status;
      candidate.error = "the fake compiler declines";
    } else {
      candidate.digest = landscape.digest(configs[i]);
    }
    done(i, candidate);
  }
}

double FakeBenchmarker::sample(const Config &config) {
  double uniform = double(random() >> 11) / double(uint64_t(1) << 53);
  return landscape.micros(config) * (1 + landscape.noise * (2 * uniform - 1));
}

Measurement FakeBenchmarker::measure(const CompiledCandidate &candidate, const MeasureRequest &request) {
  ++count;
  clock.time += 0.1;
  Measurement measurement;
  measurement.status = landscape.status(candidate.config);
  if (!measurement.isOk()) {
    measurement.error = "the fake benchmarker says so";
    return measurement;
  }
  std::vector<double> times;
  for (int i = 0; i < 5; ++i)
    times.push_back(sample(candidate.config));
  measurement.medianMicros = median(times);
  measurement.minMicros = *std::min_element(times.begin(), times.end());
  measurement.isRough = request.earlyExitMicros > 0 && measurement.medianMicros > request.earlyExitMicros;
  return measurement;
}

llvm::Expected<std::vector<std::vector<double>>> FakeBenchmarker::compare(llvm::ArrayRef<CompiledCandidate> candidates,
                                                                          unsigned rounds) {
  ++comparisons;
  clock.time += 0.01 * rounds;
  std::vector<std::vector<double>> times(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    if (faulty && candidates[i].config == *faulty)
      return llvm::createStringError("the worker died");
  for (unsigned round = 0; round < rounds; ++round) {
    double slowdown = 1 + 0.05 * round;
    for (size_t i = 0; i < candidates.size(); ++i)
      times[i].push_back(sample(candidates[i].config) * slowdown);
  }
  return times;
}

static tuning::Parameter pow2(std::string name, int64_t min, int64_t max, int64_t value) {
  return {std::move(name), ParameterKind::Pow2, min, max, {}, value, "block", ""};
}

static tuning::Parameter choice(std::string name, std::vector<int64_t> choices, int64_t value, std::string role) {
  std::vector<tuning::Value> values(choices.begin(), choices.end());
  return {std::move(name), ParameterKind::Enum, 0, 0, std::move(values), value, std::move(role), ""};
}

static tuning::Constraint require(llvm::StringRef condition, std::string reason) {
  return {llvm::cantFail(tuning::Expr::parse(condition)), std::move(reason)};
}

static double waste(double extent, double step) { return std::ceil(extent / step) * step / extent; }

Landscape test::cpuMatmul(int64_t m, int64_t n, int64_t k) {
  Landscape land;
  land.space.parameters = {pow2("block_sizes.0", 1, 1024, 32),
                           pow2("block_sizes.1", 1, 1024, 32),
                           pow2("block_sizes.2", 1, 1024, 32),
                           choice("num_threads", {1, 2, 4, 8, 16}, 16, "threads"),
                           choice("vector_width", {4, 8, 16}, 16, "vector"),
                           choice("l2_groupings", {1, 2, 4, 8, 16}, 1, "grouping"),
                           choice("dot_tile_m", {1, 2, 4, 6, 8, 12}, 8, "dot_tile"),
                           choice("dot_tile_n", {1, 2, 3, 4}, 2, "dot_tile"),
                           choice("unroll", {1, 2, 4}, 1, "unroll")};
  land.space.constraints = {require("dot_tile_m * dot_tile_n + dot_tile_n + 1 <= 32", "too many vector registers"),
                            require("block_sizes.0 * block_sizes.1 <= 65536", "the accumulator tile is too large")};
  KernelFacts &facts = land.facts;
  facts.flops = 2.0 * double(m) * double(n) * double(k);
  facts.bytes = 4.0 * double(m * k + k * n + m * n);
  facts.loops = {{"tile_m", m, "block_sizes.0", true, true, false, false, false},
                 {"tile_n", n, "block_sizes.1", true, false, true, false, false},
                 {"tile_k", k, "block_sizes.2", false, false, false, true, true}};
  facts.hasDot = facts.hasReduction = true;
  facts.cores = 16;
  facts.vectorBits = 512;
  facts.vectorRegisters = 32;
  facts.l1Bytes = 48 << 10;
  facts.l2Bytes = 2 << 20;
  land.micros = [=](const Config &c) {
    double bm = double(c.getInt("block_sizes.0", 0)), bn = double(c.getInt("block_sizes.1", 0));
    double bk = double(c.getInt("block_sizes.2", 0)), threads = double(c.getInt("num_threads", 0));
    double tm = double(c.getInt("dot_tile_m", 0)), tn = double(c.getInt("dot_tile_n", 0));
    double lanes = double(c.getInt("vector_width", 0));
    double peak = 2 * 3e9 * 2 * lanes * threads;
    double cyclesPerStep = std::max({tm * tn / 2, (tm + tn) / 2, 4.0});
    double registerShare = (tm * tn / 2) / cyclesPerStep;
    double tiles = waste(bm, tm) * waste(bn, tn * lanes) * waste(double(m), bm) * waste(double(n), bn);
    double programs = std::ceil(double(m) / bm) * std::ceil(double(n) / bn);
    double balance = std::ceil(programs / threads) * threads / programs;
    double start = 1 + 40 / bk + 20 / (bm * bn / (bm + bn));
    double footprint = 4 * (bm * bk + bk * bn + bm * bn);
    double cache = footprint > 1.5e6 ? std::sqrt(footprint / 1.5e6) : 1;
    double group = 1 + 0.02 * std::abs(std::log2(double(c.getInt("l2_groupings", 1)) / 4));
    double unroll = 1 + 0.02 * std::abs(std::log2(double(c.getInt("unroll", 1)) / 2));
    return 1e6 * facts.flops / peak / registerShare * tiles * balance * start * cache * group * unroll + 5;
  };
  return land;
}

Landscape test::cpuRows(int64_t rows, int64_t columns) {
  Landscape land;
  land.space.parameters = {pow2("block_sizes.0", 1, 1024, 16), pow2("block_sizes.1", 1, 65536, 64),
                           choice("num_threads", {1, 2, 4, 8}, 8, "threads"),
                           choice("vector_width", {4, 8}, 8, "vector")};
  land.space.constraints = {require("block_sizes.0 * block_sizes.1 <= 16777216", "a tile has too many elements")};
  KernelFacts &facts = land.facts;
  facts.bytes = 4.0 * double(rows * columns);
  facts.flops = 4.0 * double(rows * columns);
  facts.loops = {{"tile_m", rows, "block_sizes.0", true, false, false, false, false},
                 {"tile_n", columns, "block_sizes.1", false, false, false, false, true}};
  facts.hasReduction = true;
  facts.cores = 8;
  land.micros = [=](const Config &c) {
    double br = double(c.getInt("block_sizes.0", 0)), bc = double(c.getInt("block_sizes.1", 0));
    double threads = double(c.getInt("num_threads", 0));
    double programs = std::ceil(double(rows) / br);
    double balance = std::ceil(programs / threads) * threads / programs;
    double rate = std::min(1.0, threads / 4) * 20e9;
    double overhead = 1 + 64 / bc + 0.1 / br;
    double cache = br * bc * 4 > 32768 ? 1.3 : 1;
    return 1e6 * facts.bytes / rate * balance * overhead * cache * waste(double(columns), bc) *
               (c.getInt("vector_width", 8) == 8 ? 1 : 1.2) +
           3 * threads;
  };
  return land;
}

Landscape test::gpuMatmul(int64_t m, int64_t n, int64_t k) {
  Landscape land;
  land.space.parameters = {pow2("block_sizes.0", 16, 256, 32), pow2("block_sizes.1", 16, 256, 32),
                           pow2("block_sizes.2", 16, 128, 32), choice("num_warps", {1, 2, 4, 8, 16, 32}, 1, "warps"),
                           choice("l2_groupings", {1, 2, 4, 8, 16, 32, 64}, 1, "grouping")};
  land.space.constraints = {
      require("block_sizes.0 * block_sizes.1 <= 4096 * num_warps", "too many elements a thread"),
      require("(block_sizes.0 * block_sizes.2 + block_sizes.2 * block_sizes.1) * 4 <= 232448", "shared memory")};
  KernelFacts &facts = land.facts;
  facts.isGpu = facts.hasDot = true;
  facts.flops = 2.0 * double(m) * double(n) * double(k);
  facts.cores = 132;
  facts.elementBytes = 2;
  facts.loops = {{"tile_m", m, "block_sizes.0", true, true, false, false, false},
                 {"tile_n", n, "block_sizes.1", true, false, true, false, false},
                 {"tile_k", k, "block_sizes.2", false, false, false, true, true}};
  land.micros = [=](const Config &c) {
    double bm = double(c.getInt("block_sizes.0", 0)), bn = double(c.getInt("block_sizes.1", 0));
    double bk = double(c.getInt("block_sizes.2", 0)), warps = double(c.getInt("num_warps", 0));
    double programs = std::ceil(double(m) / bm) * std::ceil(double(n) / bn);
    double perSm = std::max(1.0, std::floor(16 / warps));
    double waves = std::ceil(programs / (132 * perSm)) * 132 * perSm / programs;
    double reuse = bm * bn / (bm + bn), perWarp = bm * bn / warps;
    double fit = 1 + 0.1 * std::abs(std::log2(perWarp / 2048));
    return 1e6 * facts.flops / 6e14 * waves * (1 + 20 / reuse) * (1 + 8 / bk) * fit *
               (1 + 0.02 * std::abs(std::log2(double(c.getInt("l2_groupings", 1)) / 8))) +
           3;
  };
  return land;
}
