//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Configurations: access, text, digest.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/Config.h"

#include "llvm/Support/xxhash.h"

using namespace helionc::tuning;

const Value *Config::find(llvm::StringRef name) const {
  auto it = entries.find(std::string_view(name));
  return it == entries.end() ? nullptr : &it->second;
}

int64_t Config::getInt(llvm::StringRef name, int64_t otherwise) const {
  const Value *value = find(name);
  if (!value)
    return otherwise;
  if (auto *integer = std::get_if<int64_t>(value))
    return *integer;
  if (auto *flag = std::get_if<bool>(value))
    return *flag;
  return otherwise;
}

void Config::erase(llvm::StringRef name) {
  auto it = entries.find(std::string_view(name));
  if (it != entries.end())
    entries.erase(it);
}

std::string Config::toText() const {
  std::string text = "{";
  for (const auto &[name, value] : entries)
    text += (text.size() == 1 ? "" : ", ") + tuning::toText(name) + ": " + tuning::toText(value);
  return text + "}";
}

uint64_t Config::digest() const { return llvm::xxh3_64bits(toText()); }
