//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Writes every candidate of a run to a file.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_REPORT_TUNELOG_H
#define HELIONC_AUTOTUNE_REPORT_TUNELOG_H

#include "helionc/Autotune/Core/Measurement.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace helionc::autotune {

/// CSV when the path ends in .csv, JSON lines otherwise.
class TuneLog {
public:
  static llvm::Expected<std::unique_ptr<TuneLog>> create(llvm::StringRef path);
  /// Writes one candidate, flushed. `seconds` since the start of the run.
  void append(llvm::StringRef kernel, double seconds, const Observation &observation);
  /// The first error of writing, if there was one.
  llvm::Error close();

private:
  TuneLog(std::string path, bool isCsv, std::error_code &error);
  std::string path;
  bool isCsv;
  llvm::raw_fd_ostream stream;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_REPORT_TUNELOG_H
