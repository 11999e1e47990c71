//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Turns recipes and measurements into proposals.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/OfflineExpert.h"

#include "ExpertRules.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <set>

using namespace helionc;
using namespace helionc::autotune;

/// How far apart two positive numbers are, in factors of two.
static double distance(int64_t a, int64_t b) {
  return std::abs(std::log2(double(std::max<int64_t>(a, 1))) - std::log2(double(std::max<int64_t>(b, 1))));
}

static tuning::Value snap(const tuning::Parameter &parameter, int64_t wanted) {
  if (parameter.kind == tuning::ParameterKind::Bool)
    return wanted != 0;
  const tuning::Value *best = nullptr;
  std::vector<tuning::Value> values = parameter.values();
  for (const tuning::Value &value : values) {
    auto *integer = std::get_if<int64_t>(&value);
    if (integer && (!best || distance(*integer, wanted) < distance(std::get<int64_t>(*best), wanted)))
      best = &value;
  }
  return best ? *best : parameter.defaultValue;
}

static bool holds(const tuning::Constraint &constraint, const tuning::Config &config) {
  llvm::Expected<int64_t> value =
      constraint.condition.evaluate([&](llvm::StringRef name) -> std::optional<tuning::Value> {
        const tuning::Value *known = config.find(name);
        return known ? std::optional<tuning::Value>(*known) : std::nullopt;
      });
  if (value)
    return *value != 0;
  llvm::consumeError(value.takeError());
  return false;
}

/// The integer parameters that a constraint names, those first that are cheapest to give way: not the blocks, then the
/// largest block.
static std::vector<const tuning::Parameter *>
givingWay(const tuning::ConfigSpace &space, const tuning::Constraint &constraint, const tuning::Config &config) {
  std::vector<const tuning::Parameter *> found;
  for (const std::string &name : constraint.condition.names())
    if (const tuning::Parameter *parameter = space.find(name))
      found.push_back(parameter);
  sortByScore(found, [&](const tuning::Parameter *parameter) {
    double value = double(config.getInt(parameter->name, 0));
    return parameter->role == "block" ? value : 1e18 + value;
  });
  return found;
}

/// Moves one parameter by one step: such that the constraint holds if that can be, else the largest block down.
static bool giveWay(const tuning::ConfigSpace &space, const tuning::Constraint &broken, tuning::Config &config) {
  std::vector<const tuning::Parameter *> parameters = givingWay(space, broken, config);
  for (const tuning::Parameter *parameter : parameters) {
    std::optional<uint64_t> place = parameter->indexOf(*config.find(parameter->name));
    for (int step : {-1, 1}) {
      if (!place || (step < 0 && *place == 0) || (step > 0 && *place + 1 >= parameter->count()))
        continue;
      tuning::Config moved = config;
      moved.set(parameter->name, parameter->valueAt(*place + step));
      if (holds(broken, moved)) {
        config = std::move(moved);
        return true;
      }
    }
  }
  for (bool wantsBlock : {true, false})
    for (const tuning::Parameter *parameter : parameters) {
      std::optional<uint64_t> place = parameter->indexOf(*config.find(parameter->name));
      if ((parameter->role == "block") == wantsBlock && place && *place > 0) {
        config.set(parameter->name, parameter->valueAt(*place - 1));
        return true;
      }
    }
  return false;
}

std::optional<tuning::Config> helionc::autotune::fitToSpace(const tuning::ConfigSpace &space, const Wish &wish) {
  tuning::Config config = space.defaultConfig();
  for (const auto &[name, wanted] : wish.values)
    if (const tuning::Parameter *parameter = space.find(name))
      config.set(name, snap(*parameter, wanted));
  constexpr int maxSteps = 100;
  for (int step = 0; step < maxSteps; ++step) {
    auto broken = llvm::find_if(space.constraints, [&](const auto &constraint) { return !holds(constraint, config); });
    if (broken == space.constraints.end())
      return space.isValid(config) ? std::optional(config) : std::nullopt;
    if (!giveWay(space, *broken, config))
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> helionc::autotune::withRole(const tuning::ConfigSpace &space, llvm::StringRef role) {
  std::vector<std::string> names;
  for (const tuning::Parameter &parameter : space.parameters)
    if (parameter.role == role)
      names.push_back(parameter.name);
  return names;
}

LoopRoles helionc::autotune::classifyLoops(const KernelFacts &facts) {
  LoopRoles roles;
  for (const LoopFact &loop : facts.loops) {
    if (loop.blockParam.empty())
      continue;
    if (loop.isDotM && !roles.m)
      roles.m = &loop;
    else if (loop.isDotN && !roles.n)
      roles.n = &loop;
    else if (loop.isDotK && !roles.k)
      roles.k = &loop;
    (loop.isGrid && !loop.isReduction ? roles.rows : roles.columns).push_back(&loop);
  }
  return roles;
}

double helionc::autotune::gridPrograms(const KernelFacts &facts, const std::map<std::string, int64_t> &values) {
  std::map<int64_t, double> byLaunch;
  for (const LoopFact &loop : facts.loops) {
    if (!loop.isGrid || loop.extent <= 0)
      continue;
    auto block = values.find(loop.blockParam);
    double size = block == values.end() ? 1 : double(std::max<int64_t>(1, block->second));
    byLaunch.try_emplace(loop.launch, 1).first->second *= std::ceil(double(loop.extent) / size);
  }
  double fewest = byLaunch.empty() ? 1 : byLaunch.begin()->second;
  for (const auto &[launch, programs] : byLaunch)
    fewest = std::min(fewest, programs);
  return fewest;
}

static std::vector<Wish> wishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  if (facts.hasDot)
    return facts.isGpu ? gpuDotWishes(space, facts) : cpuDotWishes(space, facts);
  if (facts.hasReduction)
    return facts.isGpu ? gpuRowWishes(space, facts) : cpuRowWishes(space, facts);
  return facts.isGpu ? gpuElementwiseWishes(space, facts) : cpuElementwiseWishes(space, facts);
}

std::vector<Proposal> OfflineExpert::recipes(size_t count) const {
  std::vector<Proposal> proposals;
  std::set<tuning::Config> seen = {space.defaultConfig()};
  for (Wish &wish : wishes(space, facts)) {
    if (proposals.size() >= count)
      break;
    std::optional<tuning::Config> config = fitToSpace(space, wish);
    if (config && seen.insert(*config).second)
      proposals.push_back({std::move(*config), "embedded expert", std::move(wish.rationale)});
  }
  return proposals;
}

std::vector<Proposal> OfflineExpert::propose(llvm::ArrayRef<Observation> observations, size_t count) const {
  std::set<tuning::Config> seen;
  for (const Observation &observation : observations)
    seen.insert(space.complete(observation.config));
  std::vector<Proposal> proposals;
  auto take = [&](std::vector<Proposal> from, size_t limit) {
    for (Proposal &proposal : from)
      if (proposals.size() < limit && seen.insert(proposal.config).second)
        proposals.push_back(std::move(proposal));
  };
  // Recipes that were not tried keep a fifth of every later round: the best may sit in a basin that nobody saw.
  bool isFirst = llvm::none_of(observations, [](const Observation &o) { return o.origin == "embedded expert"; });
  constexpr size_t recipeLimit = 24;
  if (!isFirst)
    take(refineBest(space, observations, 4 * count), count - count / 5);
  take(recipes(recipeLimit), count);
  if (proposals.size() < count)
    take(refineBest(space, observations, 8 * count), count);
  return proposals;
}
