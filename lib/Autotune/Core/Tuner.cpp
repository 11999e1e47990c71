//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The search: seeds first, then rounds of proposals, each candidate compiled and measured once.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/Tuner.h"

#include "helionc/Autotune/History/Journal.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

using namespace helionc;
using namespace helionc::autotune;

/// What is kept of the time limit for the final comparison.
static constexpr double searchShare = 0.85;
/// How many rounds without anything new end a search that has no plateau.
static constexpr unsigned maxEmptyRounds = 4;

llvm::StringRef helionc::autotune::toText(StopReason reason) {
  static constexpr llvm::StringLiteral names[] = {"nothing left to try", "no gain in the last rounds", "time budget",
                                                  "candidate budget", "interrupted"};
  return names[size_t(reason)];
}

Tuner::Tuner(const tuning::ConfigSpace &space, CandidateCompiler &compiler, Benchmarker &benchmarker,
             SearchStrategy &strategy, TunerOptions options, TunerHooks hooks)
    : space(space), compiler(compiler), benchmarker(benchmarker), strategy(strategy), options(std::move(options)),
      hooks(std::move(hooks)) {}

double Tuner::now() const { return (hooks.clock ? *hooks.clock : Clock::system()).seconds() - startSeconds; }

size_t Tuner::candidatesLeft() const {
  if (options.maxCandidates == 0)
    return SIZE_MAX;
  return options.maxCandidates > candidateCount ? options.maxCandidates - candidateCount : 0;
}

const Observation *Tuner::bestObservation() const { return bestPlace ? &result.observations[*bestPlace] : nullptr; }

double Tuner::bestMicros() const {
  const Observation *best = bestObservation();
  return best ? best->measurement.medianMicros : 0;
}

bool Tuner::isOutOfTime() const { return options.maxSeconds > 0 && now() >= options.maxSeconds * searchShare; }

/// How many candidates fit the time that is left, judged by those so far; at least one.
size_t Tuner::affordableCandidates() const {
  double spent = result.time.compile + result.time.measure;
  if (options.maxSeconds <= 0 || candidateCount == 0 || spent <= 0)
    return SIZE_MAX;
  double left = std::max(0.0, options.maxSeconds * searchShare - now());
  return std::max<size_t>(1, size_t(std::min(1e9, left * double(candidateCount) / spent)));
}

std::optional<StopReason> Tuner::outOfBudget() const {
  if (isCancelled())
    return StopReason::Cancelled;
  if (isOutOfTime())
    return StopReason::Time;
  if (candidatesLeft() == 0)
    return StopReason::Candidates;
  return std::nullopt;
}

void Tuner::report(llvm::StringRef phase) {
  if (!hooks.onProgress)
    return;
  Progress progress;
  progress.phase = phase;
  progress.seconds = now();
  progress.secondsLeft = options.maxSeconds > 0 ? std::max(0.0, options.maxSeconds - progress.seconds) : 0;
  progress.candidates = result.observations.size();
  progress.maxCandidates = options.maxCandidates;
  progress.bestMicros = bestMicros();
  progress.defaultMicros = result.defaultMeasurement.medianMicros;
  progress.byStatus = result.byStatus;
  hooks.onProgress(progress);
}

//===----------------------------------------------------------------------===//
// One candidate
//===----------------------------------------------------------------------===//

void Tuner::record(const Proposal &proposal, Measurement measurement, bool isReused) {
  bool hasTime = std::isfinite(measurement.medianMicros) && measurement.medianMicros > 0;
  if (measurement.isOk() && !hasTime)
    measurement = Measurement::failure(Status::LaunchError, "the measured time is not positive");
  ++result.byStatus[size_t(measurement.status)];
  result.reused += isReused;
  tried[proposal.config] = result.observations.size();
  if (proposal.origin == "default")
    result.defaultMeasurement = measurement;
  if (measurement.isOk() && (!bestPlace || measurement.medianMicros < bestMicros()))
    bestPlace = result.observations.size();
  result.observations.push_back(
      {proposal.config, std::move(measurement), proposal.origin, proposal.rationale, isReused});
  if (hooks.onObservation)
    hooks.onObservation(result.observations.back());
}

/// Whether an earlier run's result still says something: what may have been the machine's fault is tried again.
static bool isWorthReusing(const Measurement &measurement) {
  return measurement.status != Status::LaunchError && measurement.status != Status::Timeout;
}

bool Tuner::needsCompiling(const Proposal &proposal) {
  if (tried.count(proposal.config))
    return false;
  std::vector<std::string> problems = space.check(proposal.config);
  if (!problems.empty()) {
    record(proposal, Measurement::failure(Status::Refused, llvm::join(problems, "; ")), false);
    return false;
  }
  const Measurement *known = hooks.journal ? hooks.journal->find(proposal.config) : nullptr;
  if (!known || !isWorthReusing(*known))
    return true;
  if (known->isOk() && !known->digest.empty())
    byDigest.try_emplace(known->digest, result.observations.size());
  record(proposal, *known, true);
  return false;
}

Measurement Tuner::measure(const CompiledCandidate &candidate, double earlyExitMicros) {
  MeasureRequest request = options.measure;
  request.earlyExitMicros = earlyExitMicros;
  double begin = now();
  Measurement measurement = benchmarker.measure(candidate, request);
  result.time.measure += now() - begin;
  measurement.compileMillis = candidate.compileMillis;
  measurement.digest = candidate.digest;
  for (auto [to, from] : {std::pair(&measurement.registers, candidate.registers),
                          std::pair(&measurement.spillBytes, candidate.spillBytes),
                          std::pair(&measurement.smemBytes, candidate.smemBytes),
                          std::pair(&measurement.scratchBytes, candidate.scratchBytes)})
    if (*to == 0)
      *to = from;
  return measurement;
}

void Tuner::finish(const CompiledCandidate &candidate, const Proposal &proposal) {
  if (!candidate.isOk()) {
    Measurement failed = Measurement::failure(candidate.status, candidate.error);
    failed.compileMillis = candidate.compileMillis;
    record(proposal, std::move(failed), false);
  } else if (auto same = byDigest.find(candidate.digest); !candidate.digest.empty() && same != byDigest.end()) {
    record(proposal, result.observations[same->second].measurement, true);
  } else {
    // The default gets a full measurement always: everything is compared with it.
    double limit = proposal.origin == "default" ? 0 : bestMicros() * options.earlyExitFactor;
    record(proposal, measure(candidate, limit), false);
    if (!candidate.digest.empty())
      byDigest.try_emplace(candidate.digest, result.observations.size() - 1);
  }
  if (hooks.journal)
    hooks.journal->append(result.observations.back());
}

void Tuner::compileAndMeasure(llvm::ArrayRef<Proposal> batch, llvm::StringRef phase) {
  std::vector<tuning::Config> configs;
  for (const Proposal &proposal : batch)
    configs.push_back(proposal.config);
  candidateCount += batch.size();
  std::vector<size_t> order;
  double begin = now(), measuredBefore = result.time.measure;
  bool overlaps = benchmarker.canOverlapCompilation();
  auto finishOne = [&](size_t place) {
    bool isDefault = batch[place].origin == "default";
    if (isCancelled() || (isOutOfTime() && !isDefault))
      return;
    finish(compiled[configs[place]], batch[place]);
    report(phase);
  };
  compiler.compile(configs, [&](size_t place, const CompiledCandidate &candidate) {
    compiled[configs[place]] = candidate;
    order.push_back(place);
    if (overlaps)
      finishOne(place);
  });
  result.time.compile += now() - begin - (result.time.measure - measuredBefore);
  if (!overlaps)
    for (size_t place = 0; place < batch.size(); ++place)
      if (llvm::is_contained(order, place))
        finishOne(place);
}

void Tuner::evaluate(llvm::ArrayRef<Proposal> proposals, llvm::StringRef phase) {
  std::vector<Proposal> batch;
  std::set<tuning::Config> inBatch;
  size_t limit = std::min(candidatesLeft(), affordableCandidates());
  for (const Proposal &given : proposals) {
    Proposal proposal = given;
    proposal.config = space.complete(given.config);
    if (batch.size() < limit && !inBatch.count(proposal.config) && needsCompiling(proposal)) {
      inBatch.insert(proposal.config);
      batch.push_back(std::move(proposal));
    }
  }
  report(phase);
  if (!batch.empty())
    compileAndMeasure(batch, phase);
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

void Tuner::observeNew() {
  if (observedCount == result.observations.size())
    return;
  strategy.observe(llvm::ArrayRef(result.observations).drop_front(observedCount));
  observedCount = result.observations.size();
}

std::vector<Proposal> Tuner::nearIncumbent(size_t count) {
  std::vector<Proposal> proposals;
  const Observation *best = bestObservation();
  if (!best || (options.maxCandidates > 0 && fillerCount * 3 >= options.maxCandidates))
    return proposals;
  for (tuning::Config &config : space.neighbours(best->config))
    if (proposals.size() < count && !tried.count(config))
      proposals.push_back({std::move(config), "neighbour", "one step from the best so far, while the model thinks"});
  fillerCount += proposals.size();
  return proposals;
}

/// While the strategy thinks, candidates near the best so far are measured. False when the budget ran out first.
bool Tuner::waitForStrategy() {
  while (!strategy.waitUntilReady(0)) {
    if (std::optional<StopReason> reason = outOfBudget()) {
      result.stop = *reason;
      return false;
    }
    std::vector<Proposal> filler = nearIncumbent(std::min<size_t>(2, candidatesLeft()));
    if (!filler.empty()) {
      evaluate(filler, "near the best, meanwhile");
      continue;
    }
    report("waiting for the model");
    double begin = now();
    strategy.waitUntilReady(0.2);
    result.time.wait += now() - begin;
  }
  return true;
}

/// One batch of the strategy's proposals. False when there was none.
bool Tuner::runRound() {
  std::vector<Proposal> proposals = strategy.propose(std::min(options.batchSize, candidatesLeft()));
  if (proposals.empty())
    return false;
  evaluate(proposals, strategy.name());
  return true;
}

void Tuner::runRounds() {
  unsigned stale = 0;
  unsigned patience = strategy.stopsOnPlateau() ? options.patience : maxEmptyRounds;
  double bestBefore = bestMicros();
  while (true) {
    observeNew();
    if (std::optional<StopReason> reason = outOfBudget()) {
      result.stop = *reason;
      return;
    }
    if (!waitForStrategy())
      return;
    observeNew();
    size_t triedBefore = tried.size();
    if (!runRound()) {
      result.stop = StopReason::Exhausted;
      return;
    }
    double best = bestMicros();
    bool isNew = tried.size() > triedBefore;
    bool hasGain = best > 0 && (bestBefore == 0 || bestBefore / best - 1 >= options.minGain);
    bool isProgress = strategy.stopsOnPlateau() ? hasGain : isNew;
    stale = isProgress ? 0 : stale + 1;
    bestBefore = best;
    if (stale >= patience) {
      result.stop = isNew ? StopReason::Plateau : StopReason::Exhausted;
      observeNew();
      return;
    }
  }
}

llvm::Expected<TuningResult> Tuner::run() {
  startSeconds = now();
  result.strategy = strategy.name().str();
  if (llvm::Error error = strategy.begin())
    return std::move(error);
  evaluate(Proposal{space.defaultConfig(), "default", ""}, "default");
  evaluate(options.seeds, "seeds");
  runRounds();
  strategy.cancel();
  double begin = now();
  runFinal();
  result.time.final = now() - begin;
  result.time.total = now();
  result.usage = strategy.usage();
  llvm::append_range(result.notes, strategy.notes());
  return std::move(result);
}
