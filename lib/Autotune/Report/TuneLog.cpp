//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The log of candidates, as CSV or JSON lines.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Report/TuneLog.h"

#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace helionc;
using namespace helionc::autotune;
namespace json = llvm::json;

TuneLog::TuneLog(std::string path, bool isCsv, std::error_code &error)
    : path(std::move(path)), isCsv(isCsv), stream(this->path, error, llvm::sys::fs::OF_Text) {}

llvm::Expected<std::unique_ptr<TuneLog>> TuneLog::create(llvm::StringRef path) {
  std::error_code error;
  std::unique_ptr<TuneLog> log(new TuneLog(path.str(), path.ends_with_insensitive(".csv"), error));
  if (error) {
    log->stream.clear_error();
    return llvm::createStringError(error, "cannot write the log '" + path + "': " + error.message());
  }
  if (log->isCsv)
    log->stream << "kernel,seconds,origin,status,median_us,min_us,spread,compile_ms,registers,spill_bytes,smem_bytes,"
                   "reused,config,error,rationale\n";
  log->stream.flush();
  return log;
}

/// A quoted field. A leading character that spreadsheets take for a formula gets an apostrophe before it: the text may
/// be a model's.
static std::string field(llvm::StringRef text) {
  std::string quoted = "\"";
  if (!text.empty() && llvm::StringRef("=+-@\t\r").contains(text[0]))
    quoted += '\'';
  for (char c : text) {
    if (c == '"')
      quoted += '"';
    quoted += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quoted + "\"";
}

void TuneLog::append(llvm::StringRef kernel, double seconds, const Observation &observation) {
  const Measurement &m = observation.measurement;
  if (isCsv) {
    stream << llvm::formatv("{0},{1:f3},{2},{3},{4:f3},{5:f3},{6:f4},{7:f1},{8},{9},{10},{11},{12},{13},{14}\n",
                            field(kernel), seconds, field(observation.origin), toText(m.status), m.medianMicros,
                            m.minMicros, m.spread, m.compileMillis, m.registers, m.spillBytes, m.smemBytes,
                            observation.isReused ? 1 : 0, field(observation.config.toText()), field(m.error),
                            field(observation.rationale));
  } else {
    json::Object object{{"kernel", json::fixUTF8(kernel)},
                        {"seconds", seconds},
                        {"origin", json::fixUTF8(observation.origin)},
                        {"reused", observation.isReused},
                        {"config", tuning::toJson(observation.config)},
                        {"measurement", toJson(m)}};
    if (!observation.rationale.empty())
      object["rationale"] = json::fixUTF8(observation.rationale);
    stream << json::Value(std::move(object)) << "\n";
  }
  stream.flush();
}

llvm::Error TuneLog::close() {
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error ? llvm::createStringError(error, "cannot write the log '" + path + "': " + error.message())
               : llvm::Error::success();
}
