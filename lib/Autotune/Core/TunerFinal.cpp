//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The final: leaders and default in interleaved rounds, the winner against the default once more.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/Tuner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace helionc;
using namespace helionc::autotune;

void Tuner::replaceMeasurement(const tuning::Config &config, Measurement measurement) {
  Observation &observation = result.observations[tried[config]];
  --result.byStatus[size_t(observation.measurement.status)];
  ++result.byStatus[size_t(measurement.status)];
  observation.measurement = std::move(measurement);
  if (observation.origin == "default")
    result.defaultMeasurement = observation.measurement;
  const Observation *best = fastest(result.observations);
  bestPlace = best ? std::optional<size_t>(best - result.observations.data()) : std::nullopt;
}

/// The compiled candidate of a configuration that is ok, null when it is not. A result from the journal is compiled and
/// checked here, for the first time in this run.
const CompiledCandidate *Tuner::ready(const tuning::Config &config) {
  auto place = tried.find(config);
  if (place == tried.end() || !result.observations[place->second].measurement.isOk())
    return nullptr;
  if (auto it = compiled.find(config); it != compiled.end())
    return it->second.isOk() ? &it->second : nullptr;
  compiler.compile(config, [&](size_t, const CompiledCandidate &candidate) { compiled[config] = candidate; });
  const CompiledCandidate &candidate = compiled[config];
  Measurement measurement =
      candidate.isOk() ? measure(candidate, 0) : Measurement::failure(candidate.status, candidate.error);
  bool isOk = measurement.isOk() && measurement.medianMicros > 0;
  replaceMeasurement(config, std::move(measurement));
  return isOk ? &candidate : nullptr;
}

/// The fastest few with different binaries, without the default.
std::vector<CompiledCandidate> Tuner::leaders() {
  std::vector<const Observation *> sorted;
  for (const Observation &observation : result.observations)
    if (observation.measurement.isOk() && !observation.measurement.isRough && observation.origin != "default")
      sorted.push_back(&observation);
  llvm::sort(sorted, [](const Observation *a, const Observation *b) {
    return std::pair(a->measurement.medianMicros, a) < std::pair(b->measurement.medianMicros, b);
  });
  std::vector<std::string> digests = {result.defaultMeasurement.digest};
  std::vector<tuning::Config> chosen;
  for (const Observation *observation : sorted) {
    const std::string &digest = observation->measurement.digest;
    if (chosen.size() >= options.finalists || (!digest.empty() && llvm::is_contained(digests, digest)))
      continue;
    digests.push_back(digest);
    chosen.push_back(observation->config);
  }
  std::vector<CompiledCandidate> found;
  for (const tuning::Config &config : chosen)
    if (const CompiledCandidate *candidate = ready(config))
      found.push_back(*candidate);
  return found;
}

/// Sorts the candidates by interleaved rounds, fastest first: by the median ratio to the baseline when there is one. An
/// unsuccessful comparison leaves the order as it is.
std::vector<CompiledCandidate> Tuner::rank(std::vector<CompiledCandidate> candidates,
                                           const CompiledCandidate *baseline) {
  if (candidates.size() < 2)
    return candidates;
  std::vector<CompiledCandidate> all = candidates;
  if (baseline)
    all.push_back(*baseline);
  auto times = benchmarker.compare(all, std::max(5u, options.finalRounds / 2));
  if (!times) {
    result.notes.push_back("the leaders could not be compared: " + llvm::toString(times.takeError()));
    return candidates;
  }
  if (times->size() != all.size())
    return candidates;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < candidates.size(); ++i) {
    double rate = baseline ? comparePaired(times->back(), (*times)[i]).ratio : 1 / std::max(1e-9, median((*times)[i]));
    order.push_back({-rate, i});
  }
  llvm::sort(order);
  std::vector<CompiledCandidate> ranked;
  for (const auto &entry : order)
    ranked.push_back(candidates[entry.second]);
  return ranked;
}

/// Fresh rounds of one leader against the default. True when it is faster for certain.
bool Tuner::duel(const CompiledCandidate &leader, const CompiledCandidate &baseline) {
  auto times = benchmarker.compare({baseline, leader}, std::max(6u, options.finalRounds));
  if (!times) {
    std::string reason = llvm::toString(times.takeError());
    result.notes.push_back("a leader failed in the final: " + reason);
    replaceMeasurement(leader.config, Measurement::failure(Status::Crash, reason));
    return false;
  }
  if (times->size() != 2)
    return false;
  SpeedUp speedUp = comparePaired((*times)[0], (*times)[1], options.confidence);
  if (!speedUp.isFaster())
    return false;
  result.speedUp = speedUp;
  declare(leader.config);
  result.bestMeasurement.medianMicros = median((*times)[1]);
  result.defaultMeasurement.medianMicros = median((*times)[0]);
  return true;
}

void Tuner::declare(const tuning::Config &config) {
  result.best = config;
  result.bestMeasurement = result.observations[tried[config]].measurement;
}

void Tuner::runFinal() {
  const Observation *best = bestObservation();
  if (!best)
    return;
  if (isCancelled()) {
    result.stop = StopReason::Cancelled;
    result.notes.push_back("interrupted before the leaders were compared: the best is by single measurements");
    return declare(tuning::Config(best->config));
  }
  report("final");
  tuning::Config defaultConfig = space.defaultConfig();
  const CompiledCandidate *baseline = ready(defaultConfig);
  std::vector<CompiledCandidate> ranked = rank(leaders(), baseline);
  if (!baseline) {
    if (!ranked.empty())
      declare(ranked.front().config);
    return;
  }
  declare(defaultConfig);
  constexpr size_t maxDuels = 2;
  for (const CompiledCandidate &leader : llvm::ArrayRef(ranked).take_front(maxDuels)) {
    report("final");
    if (isCancelled() || duel(leader, *baseline))
      return;
  }
  if (!ranked.empty())
    result.notes.push_back("no candidate was faster than the default for certain: the default stays");
}
