//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Defaults, checks and the size of a configuration space.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/ConfigSpace.h"

#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace helionc::tuning;
using llvm::StringRef;

const Parameter *ConfigSpace::find(StringRef name) const {
  auto it = llvm::find_if(parameters, [&](const Parameter &parameter) { return parameter.name == name; });
  return it == parameters.end() ? nullptr : &*it;
}

Config ConfigSpace::defaultConfig() const {
  Config config;
  for (const Parameter &parameter : parameters)
    config.set(parameter.name, parameter.defaultValue);
  return config;
}

Config ConfigSpace::complete(const Config &config) const {
  Config full = defaultConfig();
  for (const auto &[name, value] : config.values())
    full.set(name, value);
  return full;
}

Config ConfigSpace::diffFromDefault(const Config &config) const {
  Config diff;
  for (const auto &[name, value] : config.values()) {
    const Parameter *parameter = find(name);
    if (!parameter || parameter->defaultValue != value)
      diff.set(name, value);
  }
  return diff;
}

/// "block_sizes" of "block_sizes.0".
static StringRef listName(StringRef name) {
  auto [list, place] = name.rsplit('.');
  return !place.empty() && llvm::all_of(place, llvm::isDigit) ? list : name;
}

std::string ConfigSpace::unknownKeyText(StringRef name) const {
  std::string text = "unknown key '" + name.str() + "'";
  unsigned nearest = std::max<unsigned>(3, name.size() / 3 + 1);
  StringRef best;
  for (const Parameter &parameter : parameters)
    for (StringRef candidate : {StringRef(parameter.name), listName(parameter.name)})
      if (unsigned distance = name.edit_distance_insensitive(candidate, true, nearest); distance < nearest) {
        nearest = distance;
        best = candidate;
      }
  return best.empty() ? text : text + "; did you mean '" + best.str() + "'?";
}

static std::string wrongValueText(const Parameter &parameter, const Value &value) {
  std::string allowed = parameter.kind == ParameterKind::Bool ? "true or false" : parameter.domainText();
  bool wantsInteger = parameter.kind == ParameterKind::Pow2 || parameter.kind == ParameterKind::Int;
  std::string given = "'" + parameter.name + "' = " + toText(value);
  if (wantsInteger && !std::holds_alternative<int64_t>(value))
    return given + " is " + kindName(value).str() + ", not an integer; allowed: " + allowed;
  return given + " is not allowed; allowed: " + allowed;
}

namespace {
/// Looks names up in a configuration, then in the defaults.
struct ValueLookup {
  const ConfigSpace &space;
  const Config &config;
  std::optional<Value> operator()(StringRef name) const {
    if (const Value *value = config.find(name))
      return *value;
    if (const Parameter *parameter = space.find(name))
      return parameter->defaultValue;
    return std::nullopt;
  }
};
} // namespace

static std::string brokenConstraintText(const Constraint &constraint, const ValueLookup &lookup) {
  std::string values;
  for (const std::string &name : constraint.condition.names())
    if (std::optional<Value> value = lookup(name))
      values += (values.empty() ? "" : ", ") + name + " = " + toText(*value);
  std::string numbers = constraint.condition.printEvaluated(lookup);
  return constraint.reason + " (requires " + constraint.condition.print() + "; here " + values +
         (numbers.empty() ? "" : ": " + numbers) + ")";
}

std::vector<std::string> ConfigSpace::check(const Config &config) const {
  std::vector<std::string> problems;
  Config known;
  for (const auto &[name, value] : config.values()) {
    const Parameter *parameter = find(name);
    if (!parameter)
      problems.push_back(unknownKeyText(name));
    else if (!parameter->contains(value))
      problems.push_back(wrongValueText(*parameter, value));
    else
      known.set(name, value);
  }
  ValueLookup lookup{*this, known};
  for (const Constraint &constraint : constraints) {
    bool isKnown = llvm::all_of(constraint.condition.names(),
                                [&](StringRef name) { return !config.find(name) || known.find(name); });
    if (!isKnown)
      continue;
    llvm::Expected<int64_t> holds = constraint.condition.evaluate(lookup);
    if (!holds)
      problems.push_back(constraint.reason + " (" + constraint.condition.print() + ": " +
                         llvm::toString(holds.takeError()) + ")");
    else if (*holds == 0)
      problems.push_back(brokenConstraintText(constraint, lookup));
  }
  return problems;
}

bool ConfigSpace::isValid(const Config &config) const { return check(config).empty(); }

uint64_t ConfigSpace::size() const {
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  uint64_t product = 1;
  for (const Parameter &parameter : parameters) {
    uint64_t count = parameter.count();
    if (count == 0)
      return 0;
    if (product > most / count)
      product = most;
    else
      product *= count;
  }
  return product;
}

static std::string padded(StringRef text, size_t width) {
  return text.str() + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string ConfigSpace::toText() const {
  size_t nameWidth = 4, domainWidth = 6, defaultWidth = 7;
  for (const Parameter &parameter : parameters) {
    nameWidth = std::max(nameWidth, parameter.name.size());
    domainWidth = std::max(domainWidth, std::min<size_t>(48, parameter.domainText().size()));
    defaultWidth = std::max(defaultWidth, tuning::toText(parameter.defaultValue).size());
  }
  auto row = [&](StringRef name, StringRef domain, StringRef defaultValue, StringRef doc) {
    std::string line = padded(name, nameWidth) + "  " + padded(domain, domainWidth) + "  " +
                       padded(defaultValue, defaultWidth) + "  " + doc.str();
    return StringRef(line).rtrim().str() + "\n";
  };
  std::string text = row("name", "values", "default", "meaning");
  for (const Parameter &parameter : parameters) {
    std::string doc = parameter.role.empty() ? parameter.doc : "[" + parameter.role + "] " + parameter.doc;
    text += row(parameter.name, parameter.domainText(), tuning::toText(parameter.defaultValue), doc);
  }
  for (const Constraint &constraint : constraints)
    text += "require " + constraint.condition.print() + "  (else: " + constraint.reason + ")\n";
  uint64_t count = size();
  bool isHuge = count == uint64_t(std::numeric_limits<int64_t>::max());
  return text + (isHuge ? "more than 2^63" : std::to_string(count)) + " configurations before constraints\n";
}

static StringRef kindText(ParameterKind kind) {
  static constexpr llvm::StringLiteral names[] = {"pow2", "int", "enum", "bool", "permutation"};
  return names[size_t(kind)];
}

llvm::json::Value ConfigSpace::toJson() const {
  llvm::json::Array list, rules;
  for (const Parameter &parameter : parameters) {
    llvm::json::Object object{{"name", parameter.name},
                              {"kind", kindText(parameter.kind)},
                              {"default", tuning::toJson(parameter.defaultValue)},
                              {"role", parameter.role},
                              {"doc", parameter.doc}};
    if (parameter.kind == ParameterKind::Enum) {
      llvm::json::Array choices;
      for (const Value &choice : parameter.choices)
        choices.push_back(tuning::toJson(choice));
      object["choices"] = std::move(choices);
    } else if (parameter.kind != ParameterKind::Bool) {
      object["max"] = parameter.max;
      if (parameter.kind != ParameterKind::Permutation)
        object["min"] = parameter.min;
    }
    list.push_back(std::move(object));
  }
  for (const Constraint &constraint : constraints)
    rules.push_back(llvm::json::Object{{"condition", constraint.condition.print()}, {"reason", constraint.reason}});
  return llvm::json::Object{{"parameters", std::move(list)}, {"constraints", std::move(rules)}};
}
