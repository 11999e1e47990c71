//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Errors in kernel text: place, line, caret, remedy.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_FRONTEND_DIAGNOSTICS_H
#define HELIONC_FRONTEND_DIAGNOSTICS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/SourceMgr.h"

namespace helionc::frontend {

/// Prints located errors; after 20 it is silent.
class Diagnostics {
public:
  Diagnostics(llvm::SourceMgr &sources, llvm::raw_ostream &os) : sources(sources), os(os) {}
  /// Prints "file:line:col: error: message", the line, a caret, and "help: …" when `help` is not empty.
  void error(llvm::SMLoc loc, const llvm::Twine &message, const llvm::Twine &help = "");
  void note(llvm::SMLoc loc, const llvm::Twine &message);
  unsigned errorCount() const { return errors; }
  llvm::SourceMgr &sourceManager() { return sources; }

private:
  static constexpr unsigned maxErrors = 20;
  llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
  unsigned errors = 0;
};

} // namespace helionc::frontend

#endif // HELIONC_FRONTEND_DIAGNOSTICS_H
