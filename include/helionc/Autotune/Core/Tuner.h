//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Finds a kernel's best configuration: seeds, rounds of proposals, final comparison.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_TUNER_H
#define HELIONC_AUTOTUNE_CORE_TUNER_H

#include "helionc/Autotune/Core/Benchmarker.h"
#include "helionc/Autotune/Core/Clock.h"
#include "helionc/Autotune/Core/PairedTest.h"
#include "helionc/Autotune/Core/SearchStrategy.h"
#include "helionc/Tuning/ConfigSpace.h"

#include <array>
#include <atomic>
#include <functional>

namespace helionc::autotune {

class Journal;

/// What a run may cost and when it stops.
struct TunerOptions {
  /// 0: no limit. The limits of wall time and of candidates hold for everything, seeds and waiting included.
  double maxSeconds = 0;
  size_t maxCandidates = 0;
  /// How many proposals are taken at a time.
  size_t batchSize = 8;
  /// A plateau is `patience` rounds that gain less than `minGain`.
  unsigned patience = 2;
  double minGain = 0.005;
  /// How many candidates meet the default in the final, over how many interleaved rounds.
  unsigned finalists = 4, finalRounds = 15;
  double confidence = 0.95;
  /// A candidate this many times slower than the best gets no full measurement.
  double earlyExitFactor = 1.5;
  MeasureRequest measure;
  /// Measured before the strategy's proposals: the author's configurations, then heuristic ones.
  std::vector<Proposal> seeds;
};

/// What the tuner tells while it runs.
struct Progress {
  llvm::StringRef phase;
  double seconds = 0, secondsLeft = 0;
  size_t candidates = 0, maxCandidates = 0;
  double bestMicros = 0, defaultMicros = 0;
  std::array<size_t, statusCount> byStatus{};
};

/// Where a run reports to; every part may be left empty.
struct TunerHooks {
  Journal *journal = nullptr;
  std::function<void(const Progress &)> onProgress;
  std::function<void(const Observation &)> onObservation;
  /// Set from a signal handler: the run ends with the best so far.
  const std::atomic<bool> *cancel = nullptr;
  const Clock *clock = nullptr;
};

enum class StopReason { Exhausted, Plateau, Time, Candidates, Cancelled };
llvm::StringRef toText(StopReason reason);

/// Where the time went.
struct TimeSplit {
  double total = 0, compile = 0, measure = 0, wait = 0, final = 0;
};

/// The end of a run.
struct TuningResult {
  /// The winner, complete; the default's when nothing is faster for certain. Nothing when no candidate was right.
  std::optional<tuning::Config> best;
  Measurement bestMeasurement, defaultMeasurement;
  /// Of the winner over the default, from rounds taken after the winner was chosen. Nothing when the default failed,
  /// won itself, or the run was cut short.
  std::optional<SpeedUp> speedUp;
  std::vector<Observation> observations;
  std::array<size_t, statusCount> byStatus{};
  size_t reused = 0;
  StopReason stop = StopReason::Exhausted;
  TimeSplit time;
  std::string strategy;
  ModelUsage usage;
  std::vector<std::string> notes;
};

/// Runs one search; one object, one run.
///
///     tuning::ConfigSpace space = …;
///     auto strategy = autotune::createStrategy("llm", context);           // Search/StrategyRegistry.h
///     autotune::Tuner tuner(space, compiler, benchmarker, **strategy, options, hooks);
///     llvm::Expected<autotune::TuningResult> result = tuner.run();
///     errs << autotune::resultTable(*result, space);                      // Report/ResultTable.h
///
/// Holds after run(): no configuration was compiled twice, one binary was measured once, the winner's outputs were
/// checked, and the winner beat the default in interleaved rounds or is the default.
class Tuner {
public:
  Tuner(const tuning::ConfigSpace &space, CandidateCompiler &compiler, Benchmarker &benchmarker,
        SearchStrategy &strategy, TunerOptions options, TunerHooks hooks = {});
  /// Fails only when the strategy cannot begin. Failed candidates are in the result.
  llvm::Expected<TuningResult> run();

private:
  void evaluate(llvm::ArrayRef<Proposal> proposals, llvm::StringRef phase);
  bool needsCompiling(const Proposal &proposal);
  void compileAndMeasure(llvm::ArrayRef<Proposal> batch, llvm::StringRef phase);
  void finish(const CompiledCandidate &candidate, const Proposal &proposal);
  Measurement measure(const CompiledCandidate &candidate, double earlyExitMicros);
  void record(const Proposal &proposal, Measurement measurement, bool isReused);
  void observeNew();
  void runRounds();
  bool runRound();
  bool waitForStrategy();
  std::vector<Proposal> nearIncumbent(size_t count);
  std::optional<StopReason> outOfBudget() const;
  bool isCancelled() const { return hooks.cancel && hooks.cancel->load(); }
  size_t candidatesLeft() const;
  double now() const;
  const Observation *bestObservation() const;
  double bestMicros() const;
  bool isOutOfTime() const;
  size_t affordableCandidates() const;
  void report(llvm::StringRef phase);

  void runFinal();
  const CompiledCandidate *ready(const tuning::Config &config);
  std::vector<CompiledCandidate> leaders();
  std::vector<CompiledCandidate> rank(std::vector<CompiledCandidate> candidates, const CompiledCandidate *baseline);
  bool duel(const CompiledCandidate &leader, const CompiledCandidate &baseline);
  void declare(const tuning::Config &config);
  void replaceMeasurement(const tuning::Config &config, Measurement measurement);

  const tuning::ConfigSpace &space;
  CandidateCompiler &compiler;
  Benchmarker &benchmarker;
  SearchStrategy &strategy;
  TunerOptions options;
  TunerHooks hooks;
  double startSeconds = 0;
  TuningResult result;
  /// What was compiled in this run, and the observation of every configuration tried.
  std::map<tuning::Config, CompiledCandidate> compiled;
  std::map<tuning::Config, size_t> tried;
  /// The observation that measured a binary.
  std::map<std::string, size_t> byDigest;
  std::optional<size_t> bestPlace;
  size_t observedCount = 0, candidateCount = 0, fillerCount = 0;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_TUNER_H
