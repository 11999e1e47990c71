//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Measurements as text and JSON.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/Measurement.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace helionc::autotune;
namespace json = llvm::json;

static constexpr llvm::StringLiteral statusNames[statusCount] = {
    "ok", "refused", "compile_error", "launch_error", "wrong_result", "timeout", "crash"};

llvm::StringRef helionc::autotune::toText(Status status) { return statusNames[size_t(status)]; }

std::optional<Status> helionc::autotune::parseStatus(llvm::StringRef text) {
  auto it = llvm::find(statusNames, text);
  if (it == std::end(statusNames))
    return std::nullopt;
  return Status(it - std::begin(statusNames));
}

Measurement Measurement::failure(Status status, std::string error) {
  Measurement measurement;
  measurement.status = status;
  measurement.error = std::move(error);
  return measurement;
}

/// A name and where the number lives, for the fields that are written when they are not 0.
template <typename M, typename Visit> static void visitNumbers(M &measurement, Visit visit) {
  visit("median_us", measurement.medianMicros);
  visit("min_us", measurement.minMicros);
  visit("spread", measurement.spread);
  visit("compile_ms", measurement.compileMillis);
  visit("registers", measurement.registers);
  visit("spill_bytes", measurement.spillBytes);
  visit("smem_bytes", measurement.smemBytes);
  visit("scratch_bytes", measurement.scratchBytes);
  visit("flops_per_s", measurement.flopsPerSecond);
  visit("bytes_per_s", measurement.bytesPerSecond);
  visit("flops_share", measurement.flopsShare);
  visit("bytes_share", measurement.bytesShare);
}

json::Value helionc::autotune::toJson(const Measurement &measurement) {
  json::Object object{{"status", toText(measurement.status)}};
  visitNumbers(measurement, [&](llvm::StringRef name, const auto &number) {
    if (number != 0 && std::isfinite(double(number)))
      object[name] = number;
  });
  if (!measurement.error.empty())
    object["error"] = json::isUTF8(measurement.error) ? measurement.error : json::fixUTF8(measurement.error);
  if (!measurement.digest.empty())
    object["digest"] = json::isUTF8(measurement.digest) ? measurement.digest : json::fixUTF8(measurement.digest);
  if (measurement.isRough)
    object["rough"] = true;
  return object;
}

static void assignNumber(const json::Object &object, llvm::StringRef name, double &number) {
  number = object.getNumber(name).value_or(0);
}

static void assignNumber(const json::Object &object, llvm::StringRef name, int64_t &number) {
  number = object.getInteger(name).value_or(0);
}

std::optional<Measurement> helionc::autotune::measurementFromJson(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  std::optional<Status> status = object ? parseStatus(object->getString("status").value_or("")) : std::nullopt;
  if (!status)
    return std::nullopt;
  Measurement measurement;
  measurement.status = *status;
  visitNumbers(measurement, [&](llvm::StringRef name, auto &number) { assignNumber(*object, name, number); });
  measurement.error = object->getString("error").value_or("").str();
  measurement.digest = object->getString("digest").value_or("").str();
  measurement.isRough = object->getBoolean("rough").value_or(false);
  bool hasTime = std::isfinite(measurement.medianMicros) && measurement.medianMicros > 0;
  if (measurement.isOk() && !hasTime)
    return std::nullopt;
  return measurement;
}

const Observation *helionc::autotune::fastest(llvm::ArrayRef<Observation> observations) {
  const Observation *best = nullptr;
  for (const Observation &observation : observations)
    if (observation.measurement.isOk() &&
        (!best || observation.measurement.medianMicros < best->measurement.medianMicros))
      best = &observation;
  return best;
}
