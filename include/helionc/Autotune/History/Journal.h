//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Every measurement on disk as it comes, so that a killed run resumes.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_HISTORY_JOURNAL_H
#define HELIONC_AUTOTUNE_HISTORY_JOURNAL_H

#include "helionc/Autotune/Core/Measurement.h"

#include <functional>
#include <map>

namespace helionc::autotune {

/// What a measurement depends on besides the configuration. No addresses, no paths.
struct JournalKey {
  /// Digest of the kernel with its helpers and numerics flags.
  std::string kernelDigest;
  std::string target, device, shapes, compilerVersion, benchMode;

  llvm::json::Value toJson() const;
};

/// A file of JSON lines, appended to and never rewritten. Trouble with the file is a warning: tuning goes on without.
class Journal {
public:
  using Warn = std::function<void(const std::string &)>;

  /// Reads what `path` knows under `key` and opens it for appending. Lines that cannot be read are skipped with one
  /// warning; a file that cannot be written makes the journal read-only with a warning.
  Journal(std::string path, const JournalKey &key, Warn warn);
  ~Journal();
  Journal(const Journal &) = delete;
  Journal &operator=(const Journal &) = delete;

  /// The measurement of `config` (complete) in an earlier run; null when there is none.
  const Measurement *find(const tuning::Config &config) const;
  /// Appends one line and flushes it to the disk.
  void append(const Observation &observation);
  size_t size() const { return known.size(); }

private:
  void read();
  void readLine(llvm::StringRef line, size_t &badLines);
  void fail(const std::string &what);

  std::string path;
  llvm::json::Value key;
  Warn warn;
  int descriptor = -1;
  std::map<tuning::Config, Measurement> known;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_HISTORY_JOURNAL_H
