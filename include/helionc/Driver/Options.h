//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The command line of helionc: every option is declared once, in Options.cpp.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_OPTIONS_H
#define HELIONC_DRIVER_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helionc::driver {

/// Exit codes, part of the interface.
enum ExitCode : int {
  ExitOk = 0,
  ExitInput = 1,
  ExitUsage = 2,
  ExitEnvironment = 3,
  ExitNoCandidate = 4,
  ExitInternal = 70,
};

/// What the command line asks for.
struct Options {
  std::vector<std::string> inputs;
  std::string kernel, output, emit;
  std::vector<std::string> targets;
  std::vector<std::string> args, dims;
  std::string config;
  int optLevel = 3;

  std::string autotune = "none", llm, llmLog, effort = "full", tuneLog, tuneRecord, benchMode;
  std::optional<double> tuneSeconds;
  std::optional<int64_t> tuneCandidates, tuneTokens;
  uint64_t seed = 0;
  int64_t jobs = 0, numWarmupRounds = 0;
  double llmTimeout = 120, compileTimeout = 60;
  bool noJournal = false, quiet = false, verbose = false, help = false, version = false, printTargets = false;
};

/// Parses `arguments` (without the program's name). The error's text is a whole message, with help lines.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<std::string> arguments);

/// The text of --help: grouped options and examples.
std::string helpText();

/// Parses a budget such as "60s", "2m", "30c" (candidates), "20000t" (tokens), or several joined by commas.
llvm::Error parseBudget(llvm::StringRef text, Options &options);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_OPTIONS_H
