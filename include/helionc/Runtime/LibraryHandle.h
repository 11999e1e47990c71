//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Libraries of candidates, loaded and called.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_RUNTIME_LIBRARYHANDLE_H
#define HELIONC_RUNTIME_LIBRARYHANDLE_H

#include "helionc/Artifact/DLPack.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace helionc::runtime {

/// One library of a kernel.
class LibraryHandle {
public:
  static llvm::Expected<LibraryHandle> open(llvm::StringRef path, llvm::StringRef kernel);
  LibraryHandle(LibraryHandle &&other) noexcept;
  LibraryHandle &operator=(LibraryHandle &&) = delete;
  ~LibraryHandle();
  /// Calls the kernel; arguments in the order of the C interface.
  llvm::Error call(llvm::ArrayRef<void *> arguments, void *stream) const;

private:
  LibraryHandle() = default;
  void *library = nullptr;
  int (*invoke)(void *const *, int64_t, void *) = nullptr;
  const char *(*lastError)() = nullptr;
};

} // namespace helionc::runtime

#endif // HELIONC_RUNTIME_LIBRARYHANDLE_H
