//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Files: atomic writes, probes, temporary folders.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_SUPPORT_FILESYSTEM_H
#define HELIONC_SUPPORT_FILESYSTEM_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace helionc::support {

/// Writes `bytes` to a neighbour of `path` and renames it: nobody ever sees half a file.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef bytes);

/// Whether a file can be written at `path`, found out without changing one that is there.
llvm::Error checkWritable(llvm::StringRef path);

/// The bytes of a file.
llvm::Expected<std::string> readFile(llvm::StringRef path);

/// A new folder that only this user can read, removed with its contents when the object goes.
class TempDirectory {
public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory &) = delete;
  TempDirectory &operator=(const TempDirectory &) = delete;
  /// "" when none could be made.
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

} // namespace helionc::support

#endif // HELIONC_SUPPORT_FILESYSTEM_H
