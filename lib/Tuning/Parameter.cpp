//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The values of a tuning parameter, counted and numbered.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/Parameter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>
#include <limits>

using namespace helionc::tuning;

static constexpr uint64_t maxCount = std::numeric_limits<int64_t>::max();

std::string helionc::tuning::toText(const Value &value) {
  if (auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  if (auto *text = std::get_if<std::string>(&value)) {
    std::string quoted = "\"";
    for (char c : *text) {
      if (c == '"' || c == '\\')
        quoted += '\\';
      quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return quoted + "\"";
  }
  std::string list = "[";
  for (int64_t item : std::get<std::vector<int64_t>>(value))
    list += (list.size() == 1 ? "" : ", ") + std::to_string(item);
  return list + "]";
}

llvm::StringRef helionc::tuning::kindName(const Value &value) {
  static constexpr llvm::StringLiteral names[] = {"an integer", "a truth value", "a string", "a list"};
  return names[value.index()];
}

static uint64_t factorial(uint64_t n) {
  uint64_t product = 1;
  for (uint64_t i = 2; i <= n; ++i) {
    if (product > maxCount / i)
      return maxCount;
    product *= i;
  }
  return product;
}

uint64_t Parameter::count() const {
  switch (kind) {
  case ParameterKind::Pow2:
    return llvm::Log2_64(uint64_t(max)) - llvm::Log2_64(uint64_t(min)) + 1;
  case ParameterKind::Int:
    return std::min(maxCount - 1, uint64_t(max) - uint64_t(min)) + 1;
  case ParameterKind::Enum:
    return choices.size();
  case ParameterKind::Bool:
    return 2;
  case ParameterKind::Permutation:
    return factorial(uint64_t(std::max<int64_t>(max, 0)));
  }
  return 0;
}

/// Permutation number `index` of `n` things in lexicographic order.
static std::vector<int64_t> permutationAt(uint64_t n, uint64_t index) {
  std::vector<int64_t> left, order;
  for (uint64_t i = 0; i < n; ++i)
    left.push_back(int64_t(i));
  for (uint64_t i = n; i-- > 0;) {
    uint64_t block = factorial(i);
    uint64_t place = std::min<uint64_t>(index / block, left.size() - 1);
    index %= block;
    order.push_back(left[place]);
    left.erase(left.begin() + place);
  }
  return order;
}

static std::optional<uint64_t> permutationIndex(const std::vector<int64_t> &order, int64_t n) {
  if (int64_t(order.size()) != n)
    return std::nullopt;
  uint64_t index = 0;
  std::vector<bool> seen(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0 || order[i] >= n || seen[order[i]])
      return std::nullopt;
    uint64_t smaller = 0;
    for (int64_t j = 0; j < order[i]; ++j)
      smaller += !seen[j];
    seen[order[i]] = true;
    index += smaller * factorial(order.size() - 1 - i);
  }
  return index;
}

Value Parameter::valueAt(uint64_t index) const {
  assert(index < count() && "no such value");
  switch (kind) {
  case ParameterKind::Pow2:
    return int64_t(uint64_t(min) << index);
  case ParameterKind::Int:
    return int64_t(uint64_t(min) + index);
  case ParameterKind::Enum:
    return choices[index];
  case ParameterKind::Bool:
    return index != 0;
  case ParameterKind::Permutation:
    return permutationAt(uint64_t(max), index);
  }
  return int64_t(0);
}

std::optional<uint64_t> Parameter::indexOf(const Value &value) const {
  auto *integer = std::get_if<int64_t>(&value);
  switch (kind) {
  case ParameterKind::Pow2:
    if (integer && *integer >= min && *integer <= max && llvm::isPowerOf2_64(uint64_t(*integer)))
      return llvm::Log2_64(uint64_t(*integer)) - llvm::Log2_64(uint64_t(min));
    return std::nullopt;
  case ParameterKind::Int:
    if (integer && *integer >= min && *integer <= max)
      return uint64_t(*integer) - uint64_t(min);
    return std::nullopt;
  case ParameterKind::Enum: {
    auto it = llvm::find(choices, value);
    if (it != choices.end())
      return uint64_t(it - choices.begin());
    return std::nullopt;
  }
  case ParameterKind::Bool:
    if (auto *flag = std::get_if<bool>(&value))
      return uint64_t(*flag);
    return std::nullopt;
  case ParameterKind::Permutation:
    if (auto *order = std::get_if<std::vector<int64_t>>(&value))
      return permutationIndex(*order, max);
    return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Value> Parameter::values(uint64_t limit) const {
  std::vector<Value> all;
  for (uint64_t i = 0, end = std::min(count(), limit); i < end; ++i)
    all.push_back(valueAt(i));
  return all;
}

std::string Parameter::domainText() const {
  if (kind == ParameterKind::Permutation)
    return "an order of 0 to " + std::to_string(max - 1);
  uint64_t number = count();
  if (number > 24)
    return toText(valueAt(0)) + " to " + toText(valueAt(number - 1));
  std::string text;
  for (const Value &value : values())
    text += (text.empty() ? "" : " ") + toText(value);
  return text;
}
