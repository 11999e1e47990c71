//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Prints located errors.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

using namespace helionc::frontend;

void Diagnostics::error(llvm::SMLoc loc, const llvm::Twine &message, const llvm::Twine &help) {
  if (++errors > maxErrors)
    return;
  sources.PrintMessage(os, loc, llvm::SourceMgr::DK_Error, message, {}, {}, /*ShowColors=*/false);
  llvm::SmallString<64> storage;
  if (llvm::StringRef text = help.toStringRef(storage); !text.empty())
    os << "help: " << text << '\n';
  if (errors == maxErrors)
    os << "note: too many errors, the rest is not shown\n";
}

void Diagnostics::note(llvm::SMLoc loc, const llvm::Twine &message) {
  if (errors <= maxErrors)
    sources.PrintMessage(os, loc, llvm::SourceMgr::DK_Note, message, {}, {}, /*ShowColors=*/false);
}
