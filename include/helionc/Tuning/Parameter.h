//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// One tuning parameter: its kind, its values, its default.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TUNING_PARAMETER_H
#define HELIONC_TUNING_PARAMETER_H

#include "helionc/Tuning/Value.h"

#include <optional>

namespace helionc::tuning {

/// Which values a parameter takes, as `hl.param` has it.
enum class ParameterKind {
  /// Powers of two from `min` to `max`.
  Pow2,
  /// Integers from `min` to `max`.
  Int,
  /// One of `choices`.
  Enum,
  Bool,
  /// An order of the numbers 0 to `max` - 1.
  Permutation
};

/// A tuning parameter. Plain data; the functions below assume that `min` ≤ `max`, that the bounds of a power of two are
/// powers of two, and that the default is one of the values.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Int;
  int64_t min = 0, max = 0;
  std::vector<Value> choices;
  Value defaultValue = int64_t(0);
  /// Groups parameters for rules and prompts: "block", "warps", "threads", "vector", "dot_tile", "unroll", "grouping".
  std::string role;
  /// One sentence for a person or a model.
  std::string doc;

  /// How many values there are, at most 2^63 - 1.
  uint64_t count() const;
  /// Value number `index` < count(), in ascending (for permutations lexicographic) order, choices as given.
  Value valueAt(uint64_t index) const;
  /// The number of `value`, nothing when it is not a value of the parameter.
  std::optional<uint64_t> indexOf(const Value &value) const;
  bool contains(const Value &value) const { return indexOf(value).has_value(); }
  /// The first values in order, at most `limit`.
  std::vector<Value> values(uint64_t limit = 4096) const;
  /// The values as a reader sees them: `16 32 64 128`, `1 … 100`, `"simt" "mma"`.
  std::string domainText() const;
};

} // namespace helionc::tuning

#endif // HELIONC_TUNING_PARAMETER_H
