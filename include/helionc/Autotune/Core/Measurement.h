//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What is known about one candidate after it was tried: failures are data too.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_MEASUREMENT_H
#define HELIONC_AUTOTUNE_CORE_MEASUREMENT_H

#include "helionc/Tuning/Config.h"

#include "llvm/Support/JSON.h"

#include <optional>

namespace helionc::autotune {

/// How a candidate ended.
enum class Status { Ok, Refused, CompileError, LaunchError, WrongResult, Timeout, Crash };
constexpr size_t statusCount = 7;

/// "ok", "refused", "compile_error", …: the spelling in journals and logs.
llvm::StringRef toText(Status status);
std::optional<Status> parseStatus(llvm::StringRef text);

/// One candidate's result. Fields that do not apply to the target, or that nobody knows, are 0.
struct Measurement {
  Status status = Status::Ok;
  /// Median and minimum time of one call, and (third quartile - first quartile) / median.
  double medianMicros = 0, minMicros = 0, spread = 0;
  double compileMillis = 0;
  int64_t registers = 0, spillBytes = 0, smemBytes = 0, scratchBytes = 0;
  /// Achieved rates, and their shares of the target's peaks (1 is the roofline).
  double flopsPerSecond = 0, bytesPerSecond = 0, flopsShare = 0, bytesShare = 0;
  /// Why it failed; "" when it did not.
  std::string error;
  /// Digest of the binary: two configurations with the same one are the same program.
  std::string digest;
  /// The measurement was cut short because the candidate was clearly slow.
  bool isRough = false;

  bool isOk() const { return status == Status::Ok; }
  static Measurement failure(Status status, std::string error);
};

llvm::json::Value toJson(const Measurement &measurement);
/// Nothing when `value` is not a measurement.
std::optional<Measurement> measurementFromJson(const llvm::json::Value &value);

/// A configuration that somebody proposed.
struct Proposal {
  tuning::Config config;
  /// Who: "default", "author", "seed", "neighbour", "random", "llm", "embedded expert", …
  std::string origin;
  /// Why, in the proposer's words; "" when it gave none. Written by a model: escape it before showing it.
  std::string rationale;
};

/// A proposal and what became of it.
struct Observation {
  tuning::Config config;
  Measurement measurement;
  std::string origin, rationale;
  /// Taken from the journal, or from another configuration with the same binary, instead of measured.
  bool isReused = false;
};

/// The fastest observation that is ok, null when there is none.
const Observation *fastest(llvm::ArrayRef<Observation> observations);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_MEASUREMENT_H
