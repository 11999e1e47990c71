//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Refinement: one step from the best, following what helped.
//===----------------------------------------------------------------------===//
#include "ExpertRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace helionc;
using namespace helionc::autotune;

namespace {

/// A parameter moved up (+1) or down (-1) its values.
struct Direction {
  std::string parameter;
  int sign;
  bool operator<(const Direction &other) const {
    return std::tie(parameter, sign) < std::tie(other.parameter, other.sign);
  }
};

/// A step from the best: where it leads, how much is expected of it, and why.
struct Step {
  tuning::Config config;
  double promise;
  std::string why;
};

/// Learns what single steps did, and proposes the next ones.
class Refiner {
public:
  Refiner(const tuning::ConfigSpace &space, llvm::ArrayRef<Observation> observations)
      : space(space), observations(observations), best(fastest(observations)) {}
  std::vector<Proposal> run(size_t count);

private:
  void learn();
  std::optional<tuning::Config> moved(const tuning::Config &from, const Direction &direction, int steps) const;
  void addSingles();
  void addPairs();
  double promise(const Direction &direction) const;
  std::string reason(const Direction &direction, const tuning::Config &to) const;

  const tuning::ConfigSpace &space;
  llvm::ArrayRef<Observation> observations;
  const Observation *best;
  /// The mean gain (time before / after - 1) that was seen for a direction, and how often.
  std::map<Direction, std::pair<double, int>> gains;
  std::vector<Step> steps;
};

} // namespace

/// What a step of this kind is usually worth: the order in which directions are explored that nothing is known of.
static double prior(llvm::StringRef role) {
  if (role == "block")
    return 0.03;
  if (role == "warps" || role == "dot_tile")
    return 0.025;
  if (role == "stages" || role == "threads")
    return 0.015;
  if (role == "unroll" || role == "grouping")
    return 0.01;
  return 0.008;
}

/// The one parameter in which two complete configurations differ, null when there are more or none.
static const tuning::Parameter *onlyDifference(const tuning::ConfigSpace &space, const tuning::Config &a,
                                               const tuning::Config &b) {
  const tuning::Parameter *found = nullptr;
  for (const tuning::Parameter &parameter : space.parameters) {
    if (*a.find(parameter.name) == *b.find(parameter.name))
      continue;
    if (found)
      return nullptr;
    found = &parameter;
  }
  return found;
}

void Refiner::learn() {
  std::vector<std::pair<tuning::Config, double>> good;
  for (const Observation &observation : observations)
    if (observation.measurement.isOk())
      good.push_back({space.complete(observation.config), observation.measurement.medianMicros});
  for (const auto &[from, before] : good)
    for (const auto &[to, after] : good) {
      const tuning::Parameter *parameter = onlyDifference(space, from, to);
      if (!parameter)
        continue;
      auto start = parameter->indexOf(*from.find(parameter->name)), end = parameter->indexOf(*to.find(parameter->name));
      if (!start || !end)
        continue;
      auto &[sum, count] = gains[{parameter->name, *end > *start ? 1 : -1}];
      sum += before / after - 1;
      ++count;
    }
}

double Refiner::promise(const Direction &direction) const {
  const tuning::Parameter *parameter = space.find(direction.parameter);
  double usual = prior(parameter->role);
  auto it = gains.find(direction);
  if (it == gains.end())
    return usual;
  double mean = it->second.first / it->second.second;
  return (usual + it->second.second * mean) / (1 + it->second.second);
}

std::optional<tuning::Config> Refiner::moved(const tuning::Config &from, const Direction &direction, int steps) const {
  const tuning::Parameter *parameter = space.find(direction.parameter);
  std::optional<uint64_t> place = parameter->indexOf(*from.find(parameter->name));
  if (!place)
    return std::nullopt;
  int64_t target = int64_t(*place) + direction.sign * steps;
  if (target < 0 || target >= int64_t(parameter->count()))
    return std::nullopt;
  tuning::Config config = from;
  config.set(parameter->name, parameter->valueAt(uint64_t(target)));
  return config;
}

std::string Refiner::reason(const Direction &direction, const tuning::Config &to) const {
  std::string move = direction.parameter + " = " + tuning::toText(*to.find(direction.parameter));
  auto it = gains.find(direction);
  if (it != gains.end() && it->second.first > 0)
    return llvm::formatv("{0}: steps in this direction gained {1:f1} % on average", move,
                         100 * it->second.first / it->second.second);
  return move + ": one step from the best so far";
}

void Refiner::addSingles() {
  tuning::Config center = space.complete(best->config);
  for (const tuning::Parameter &parameter : space.parameters)
    for (int sign : {-1, 1}) {
      Direction direction{parameter.name, sign};
      for (int steps : {1, 2}) {
        std::optional<tuning::Config> config = moved(center, direction, steps);
        if (config && space.isValid(*config))
          this->steps.push_back({*config, promise(direction) * (steps == 1 ? 1 : 0.6), reason(direction, *config)});
      }
    }
}

/// Two parameters at once: traded against each other (a tile made taller and narrower), or two good moves together.
void Refiner::addPairs() {
  tuning::Config center = space.complete(best->config);
  for (const tuning::Parameter &first : space.parameters)
    for (const tuning::Parameter &second : space.parameters) {
      if (&first >= &second)
        continue;
      for (int sign : {-1, 1})
        for (int otherSign : {-1, 1}) {
          Direction one{first.name, sign}, two{second.name, otherSign};
          std::optional<tuning::Config> half = moved(center, one, 1);
          std::optional<tuning::Config> config = half ? moved(*half, two, 1) : std::nullopt;
          if (!config || !space.isValid(*config))
            continue;
          bool isTrade = sign != otherSign && first.role == second.role;
          double hope =
              isTrade ? 0.8 * std::max(0.015, promise(one) + promise(two)) : 0.7 * (promise(one) + promise(two));
          steps.push_back(
              {*config, hope,
               first.name + " and " + second.name + (isTrade ? " traded against each other" : " moved together")});
        }
    }
}

std::vector<Proposal> Refiner::run(size_t count) {
  std::vector<Proposal> proposals;
  if (!best)
    return proposals;
  learn();
  addSingles();
  addPairs();
  sortByScore(steps, [](const Step &step) { return step.promise; });
  std::set<tuning::Config> seen;
  for (const Observation &observation : observations)
    seen.insert(space.complete(observation.config));
  for (Step &step : steps)
    if (proposals.size() < count && step.promise > -0.02 && seen.insert(step.config).second)
      proposals.push_back({std::move(step.config), "embedded expert", std::move(step.why)});
  return proposals;
}

std::vector<Proposal> helionc::autotune::refineBest(const tuning::ConfigSpace &space,
                                                    llvm::ArrayRef<Observation> observations, size_t count) {
  return Refiner(space, observations).run(count);
}
