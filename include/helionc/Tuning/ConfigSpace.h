//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// All configurations of a kernel: parameters and the constraints between them.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TUNING_CONFIGSPACE_H
#define HELIONC_TUNING_CONFIGSPACE_H

#include "helionc/Tuning/Config.h"
#include "helionc/Tuning/Expr.h"
#include "helionc/Tuning/Parameter.h"

#include "llvm/Support/JSON.h"

#include <optional>
#include <random>

namespace helionc::tuning {

/// A condition that every valid configuration meets, and what to say when one does not.
struct Constraint {
  Expr condition;
  std::string reason;
};

/// The space of configurations. Plain data: fill `parameters` and `constraints`, names being unique.
struct ConfigSpace {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;

  /// The parameter called `name`, null when there is none.
  const Parameter *find(llvm::StringRef name) const;
  /// Every parameter at its default.
  Config defaultConfig() const;
  /// `config` with the defaults of what it leaves out: two configurations that mean the same become equal.
  Config complete(const Config &config) const;
  /// What `config` sets to something else than the default.
  Config diffFromDefault(const Config &config) const;

  /// Every reason why `config` is not valid: unknown names, wrong kinds, values out of range, broken constraints with
  /// their numbers. Empty when it is valid.
  std::vector<std::string> check(const Config &config) const;
  bool isValid(const Config &config) const;
  /// "unknown key 'num_warp'; did you mean 'num_warps'?"
  std::string unknownKeyText(llvm::StringRef name) const;

  /// How many configurations there are when no constraint is counted, at most 2^63 - 1.
  uint64_t size() const;
  /// Valid configurations in a fixed order (the first parameter slowest), at most `limit`, giving up after `maxSteps`
  /// partial ones. Complete ones.
  std::vector<Config> enumerate(size_t limit, size_t maxSteps = 1 << 22) const;
  /// A valid, complete configuration at random, the same for the same state of `random`; nothing when none was found in
  /// a bounded number of tries.
  std::optional<Config> sample(std::mt19937_64 &random) const;
  /// Valid, complete configurations that differ from `config` in one parameter by one step: half or double, one place
  /// on in an ordered list, any other choice by name, two neighbours swapped.
  std::vector<Config> neighbours(const Config &config) const;

  /// A table for people and models: name, values, default, meaning; then the constraints.
  std::string toText() const;
  llvm::json::Value toJson() const;
};

} // namespace helionc::tuning

#endif // HELIONC_TUNING_CONFIGSPACE_H
