//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Configurations as text: Helion's JSON form, the flat form, and the line that pins one in a source file.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TUNING_CONFIGCODEC_H
#define HELIONC_TUNING_CONFIGCODEC_H

#include "helionc/Tuning/ConfigSpace.h"

#include "llvm/Support/JSON.h"

namespace helionc::tuning {

/// Text from outside is refused beyond these, before it is parsed.
constexpr size_t maxJsonBytes = 1 << 20;
constexpr unsigned maxJsonDepth = 32;

/// Parses JSON that nobody vouches for: capped in bytes and depth, invalid UTF-8 replaced.
llvm::Expected<llvm::json::Value> parseUntrustedJson(llvm::StringRef text, size_t maxBytes = maxJsonBytes);

/// A configuration as far as it could be read, and what could not.
struct DecodedConfig {
  Config config;
  std::vector<std::string> problems;
};

/// Reads Helion's form, `{"block_sizes": [128, 64], "num_warps": 4}`: a list under a key of which the space has
/// numbered parameters (`block_sizes.0`, `block_sizes.1`) is spread over them, `null` leaving the default. Flat names
/// are taken too. Values are only checked for being integers, truth values, strings or lists of integers: see
/// ConfigSpace::check for the rest.
DecodedConfig decodeConfig(const llvm::json::Object &object, const ConfigSpace &space);

/// Reads and checks Helion's form. The error holds every reason, one a line.
llvm::Expected<Config> parseConfig(llvm::StringRef text, const ConfigSpace &space);

/// Reads the flat form that Config::toText writes, without a space.
llvm::Expected<Config> parseFlatConfig(llvm::StringRef text);
/// The same from a parsed object.
llvm::Expected<Config> parseFlatConfig(const llvm::json::Object &object);

/// Helion's form: numbered names collected into lists. The list is complete because `config` is completed first.
std::string toHelionJson(const Config &config, const ConfigSpace &space);
/// `helion.Config(block_sizes=[128, 64], num_warps=4)`: pins the configuration in a source file.
std::string toHelionLine(const Config &config, const ConfigSpace &space);

/// One value as JSON.
llvm::json::Value toJson(const Value &value);
/// The configuration in flat form.
llvm::json::Value toJson(const Config &config);

} // namespace helionc::tuning

#endif // HELIONC_TUNING_CONFIGCODEC_H
