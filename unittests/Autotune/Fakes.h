//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Synthetic kernels, compilers and benchmarkers for the tuner's tests.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_UNITTESTS_AUTOTUNE_FAKES_H
#define HELIONC_UNITTESTS_AUTOTUNE_FAKES_H

#include "helionc/Autotune/Core/Tuner.h"
#include "helionc/Autotune/LLM/KernelFacts.h"

#include <functional>
#include <random>
#include <set>

namespace helionc::autotune::test {

/// A clock that the fakes move.
class FakeClock final : public Clock {
public:
  double seconds() const override { return time; }
  mutable double time = 100;
};

/// Where a synthetic kernel's time comes from: µs of a configuration, and its failures.
struct Landscape {
  tuning::ConfigSpace space;
  KernelFacts facts;
  std::function<double(const tuning::Config &)> micros;
  /// The status of a configuration, Ok unless set.
  std::function<Status(const tuning::Config &)> status = [](const tuning::Config &) { return Status::Ok; };
  /// The binary's digest: by default every configuration's own.
  std::function<std::string(const tuning::Config &)> digest = [](const tuning::Config &c) { return c.toText(); };
  double noise = 0.01;
  /// The smallest time that climbing from many starts finds.
  double optimum() const;
};

/// Compiles at once and counts.
class FakeCompiler final : public CandidateCompiler {
public:
  FakeCompiler(const Landscape &landscape, FakeClock &clock) : landscape(landscape), clock(clock) {}
  void compile(llvm::ArrayRef<tuning::Config> configs, Callback done) override;
  size_t count = 0;
  std::set<tuning::Config> compiled;
  bool compiledTwice = false;

private:
  const Landscape &landscape;
  FakeClock &clock;
};

/// Times with seeded noise and counts.
class FakeBenchmarker final : public Benchmarker {
public:
  FakeBenchmarker(const Landscape &landscape, FakeClock &clock) : landscape(landscape), clock(clock) {}
  Measurement measure(const CompiledCandidate &candidate, const MeasureRequest &request) override;
  llvm::Expected<std::vector<std::vector<double>>> compare(llvm::ArrayRef<CompiledCandidate> candidates,
                                                           unsigned rounds) override;
  size_t count = 0, comparisons = 0;
  bool overlaps = false;
  /// Makes compare() fail whenever this configuration takes part.
  std::optional<tuning::Config> faulty;
  bool canOverlapCompilation() const override { return overlaps; }

private:
  double sample(const tuning::Config &config);
  const Landscape &landscape;
  FakeClock &clock;
  std::mt19937_64 random{1};
};

/// The space of a matrix product on a CPU with AVX2 or AVX-512, and a time that a simple machine would take.
Landscape cpuMatmul(int64_t m, int64_t n, int64_t k);
/// Row sums, row by row, on a CPU.
Landscape cpuRows(int64_t rows, int64_t columns);
/// A matrix product on a GPU.
Landscape gpuMatmul(int64_t m, int64_t n, int64_t k);

/// Everything a run needs, with fakes.
struct TunerFixture {
  explicit TunerFixture(Landscape given)
      : landscape(std::move(given)), compiler(landscape, clock), bench(landscape, clock) {
    hooks.clock = &clock;
  }
  TuningResult run(SearchStrategy &strategy) {
    Tuner tuner(landscape.space, compiler, bench, strategy, options, hooks);
    return llvm::cantFail(tuner.run());
  }
  Landscape landscape;
  FakeClock clock;
  FakeCompiler compiler;
  FakeBenchmarker bench;
  TunerOptions options;
  TunerHooks hooks;
};

} // namespace helionc::autotune::test

#endif // HELIONC_UNITTESTS_AUTOTUNE_FAKES_H
