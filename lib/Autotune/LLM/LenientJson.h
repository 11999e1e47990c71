//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads JSON as language models write it.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_AUTOTUNE_LLM_LENIENTJSON_H
#define HELIONC_LIB_AUTOTUNE_LLM_LENIENTJSON_H

#include "llvm/Support/JSON.h"

#include <optional>

namespace helionc::autotune {

/// A value read leniently.
struct LenientValue {
  llvm::json::Value value = nullptr;
  /// Where reading ended.
  size_t end = 0;
  /// The text ended first. A cut object that is an element of a list was left out; a cut list, or the object that holds
  /// it, has what was complete.
  bool wasCut = false;
};

/// Reads the object, list or call `Name(key=value, …)` that begins at `begin` in `text`, which is valid UTF-8. Beyond
/// JSON it takes: comments (//, #, /* */), trailing commas, 'single quotes', True, False, None, keys without quotes.
/// Nothing when no such value begins there. Nesting beyond 32 is refused.
std::optional<LenientValue> readLenientJson(llvm::StringRef text, size_t begin);

} // namespace helionc::autotune

#endif // HELIONC_LIB_AUTOTUNE_LLM_LENIENTJSON_H
