//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Walks a configuration space: enumeration, random samples, neighbours.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/ConfigSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace helionc::tuning;
using llvm::StringRef;

static bool holds(const Constraint &constraint, const Config &config) {
  llvm::Expected<int64_t> value = constraint.condition.evaluate([&](StringRef name) -> std::optional<Value> {
    const Value *known = config.find(name);
    return known ? std::optional<Value>(*known) : std::nullopt;
  });
  if (value)
    return *value != 0;
  llvm::consumeError(value.takeError());
  return false;
}

namespace {

/// Depth-first over the parameters. A constraint is tested as soon as its last parameter has a value, which prunes all
/// that would follow: block sizes 512 × 512 are refused once, not once per num_warps, unroll and so on.
class Enumerator {
public:
  Enumerator(const ConfigSpace &space, size_t limit, size_t maxSteps)
      : space(space), limit(limit), stepsLeft(maxSteps), ready(space.parameters.size() + 1) {
    for (const Constraint &constraint : space.constraints)
      ready[lastPlace(constraint)].push_back(&constraint);
  }
  std::vector<Config> run() {
    if (allHold(0))
      visit(0);
    return std::move(found);
  }

private:
  /// 1 + the place of the last parameter that the constraint names.
  size_t lastPlace(const Constraint &constraint) const {
    size_t last = 0;
    for (size_t i = 0; i < space.parameters.size(); ++i)
      if (llvm::is_contained(constraint.condition.names(), space.parameters[i].name))
        last = i + 1;
    return last;
  }
  bool allHold(size_t place) const {
    return llvm::all_of(ready[place], [&](const Constraint *constraint) { return holds(*constraint, current); });
  }
  void visit(size_t place) {
    if (place == space.parameters.size()) {
      found.push_back(current);
      return;
    }
    const Parameter &parameter = space.parameters[place];
    for (uint64_t i = 0, end = parameter.count(); i < end && found.size() < limit && stepsLeft > 0; ++i) {
      --stepsLeft;
      current.set(parameter.name, parameter.valueAt(i));
      if (allHold(place + 1))
        visit(place + 1);
    }
  }

  const ConfigSpace &space;
  size_t limit, stepsLeft;
  std::vector<std::vector<const Constraint *>> ready;
  Config current;
  std::vector<Config> found;
};

} // namespace

std::vector<Config> ConfigSpace::enumerate(size_t limit, size_t maxSteps) const {
  return limit == 0 ? std::vector<Config>() : Enumerator(*this, limit, maxSteps).run();
}

/// Tries to make a broken constraint hold by changing one parameter that it names.
static bool repair(const ConfigSpace &space, const Constraint &broken, Config &config, std::mt19937_64 &random) {
  const std::vector<std::string> &names = broken.condition.names();
  if (names.empty())
    return false;
  size_t first = random() % names.size();
  for (size_t i = 0; i < names.size(); ++i) {
    const Parameter *parameter = space.find(names[(first + i) % names.size()]);
    if (!parameter)
      continue;
    Value before = *config.find(parameter->name);
    uint64_t count = parameter->count(), start = random() % count;
    for (uint64_t j = 0; j < std::min<uint64_t>(count, 64); ++j) {
      config.set(parameter->name, parameter->valueAt((start + j) % count));
      if (holds(broken, config))
        return true;
    }
    config.set(parameter->name, before);
  }
  return false;
}

std::optional<Config> ConfigSpace::sample(std::mt19937_64 &random) const {
  constexpr int maxTries = 64, maxRepairs = 32;
  if (size() == 0)
    return std::nullopt;
  for (int attempt = 0; attempt < maxTries; ++attempt) {
    Config config;
    for (const Parameter &parameter : parameters)
      config.set(parameter.name, parameter.valueAt(random() % parameter.count()));
    for (int step = 0; step < maxRepairs; ++step) {
      auto broken = llvm::find_if(constraints, [&](const Constraint &rule) { return !holds(rule, config); });
      if (broken == constraints.end())
        return config;
      if (!repair(*this, *broken, config, random))
        break;
    }
  }
  return std::nullopt;
}

/// The values one step from `value`.
static std::vector<Value> steps(const Parameter &parameter, const Value &value) {
  std::vector<Value> near;
  std::optional<uint64_t> index = parameter.indexOf(value);
  if (!index)
    return near;
  if (parameter.kind == ParameterKind::Permutation) {
    std::vector<int64_t> order = std::get<std::vector<int64_t>>(value);
    for (size_t i = 0; i + 1 < order.size(); ++i) {
      std::swap(order[i], order[i + 1]);
      near.push_back(order);
      std::swap(order[i], order[i + 1]);
    }
    return near;
  }
  if (std::holds_alternative<std::string>(value)) {
    for (uint64_t i = 0; i < parameter.count(); ++i)
      if (i != *index)
        near.push_back(parameter.valueAt(i));
    return near;
  }
  if (*index > 0)
    near.push_back(parameter.valueAt(*index - 1));
  if (*index + 1 < parameter.count())
    near.push_back(parameter.valueAt(*index + 1));
  return near;
}

std::vector<Config> ConfigSpace::neighbours(const Config &config) const {
  std::vector<Config> near;
  Config base = complete(config);
  for (const Parameter &parameter : parameters)
    for (const Value &value : steps(parameter, *base.find(parameter.name))) {
      Config moved = base;
      moved.set(parameter.name, value);
      if (isValid(moved))
        near.push_back(std::move(moved));
    }
  return near;
}
