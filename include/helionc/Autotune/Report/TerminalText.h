//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Makes text from outside safe to print.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_REPORT_TERMINALTEXT_H
#define HELIONC_AUTOTUNE_REPORT_TERMINALTEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace helionc::autotune {

/// `text` for one line of a terminal: control characters (escape sequences with them), line breaks and the characters
/// that turn the writing direction become spaces or visible escapes; at most `most` bytes, cut at a character.
std::string terminalText(llvm::StringRef text, size_t most = 200);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_REPORT_TERMINALTEXT_H
