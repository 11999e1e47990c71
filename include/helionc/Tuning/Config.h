//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A configuration: values by parameter name.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TUNING_CONFIG_H
#define HELIONC_TUNING_CONFIG_H

#include "helionc/Tuning/Value.h"

#include <map>

namespace helionc::tuning {

/// Values by flat parameter name (`block_sizes.0`, `num_warps`), in the order of the names. Sparse: what is not there
/// has its default.
class Config {
public:
  using Map = std::map<std::string, Value, std::less<>>;

  Config() = default;
  Config(std::initializer_list<Map::value_type> values) : entries(values) {}

  /// The value of `name`, null when the configuration is silent.
  const Value *find(llvm::StringRef name) const;
  /// The integer (or truth value, as 0 or 1) of `name`, else `otherwise`.
  int64_t getInt(llvm::StringRef name, int64_t otherwise) const;
  void set(llvm::StringRef name, Value value) { entries.insert_or_assign(name.str(), std::move(value)); }
  void erase(llvm::StringRef name);

  const Map &values() const { return entries; }
  bool empty() const { return entries.empty(); }

  /// One-line JSON object with flat names in order: the same text for the same configuration.
  std::string toText() const;
  /// A hash of toText() that never changes between runs, machines or versions.
  uint64_t digest() const;

  bool operator==(const Config &other) const { return entries == other.entries; }
  bool operator!=(const Config &other) const { return entries != other.entries; }
  bool operator<(const Config &other) const { return entries < other.entries; }

private:
  Map entries;
};

} // namespace helionc::tuning

#endif // HELIONC_TUNING_CONFIG_H
