//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The value of a tuning parameter.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TUNING_VALUE_H
#define HELIONC_TUNING_VALUE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace helionc::tuning {

/// An integer, a truth value, a choice by name, or an order of things.
using Value = std::variant<int64_t, bool, std::string, std::vector<int64_t>>;

/// The value as JSON text: `64`, `true`, `"simt"`, `[1, 0]`.
std::string toText(const Value &value);

/// What kind of thing the value is, for a message: "an integer", "a truth value", "a string", "a list".
llvm::StringRef kindName(const Value &value);

} // namespace helionc::tuning

#endif // HELIONC_TUNING_VALUE_H
