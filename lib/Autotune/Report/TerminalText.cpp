//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Escapes for the terminal.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Report/TerminalText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

/// The code point that begins at `at`, whose bytes are valid UTF-8, and its length.
static std::pair<unsigned, size_t> codePoint(llvm::StringRef text, size_t at) {
  unsigned char lead = text[at];
  size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  unsigned code = length == 1 ? lead : lead & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
  return {code, length};
}

static bool isHarmful(unsigned code) {
  bool isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  bool turnsDirection = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
                        code == 0x200f || code == 0x061c;
  return isControl || turnsDirection || code == 0x2028 || code == 0x2029;
}

std::string helionc::autotune::terminalText(llvm::StringRef given, size_t most) {
  std::string valid = llvm::json::fixUTF8(given);
  llvm::StringRef text = valid;
  std::string safe;
  for (size_t at = 0; at < text.size();) {
    auto [code, length] = codePoint(text, at);
    std::string part = text.substr(at, length).str();
    if (code == '\n' || code == '\t' || code == '\r')
      part = " ";
    else if (isHarmful(code))
      part = llvm::formatv("\\u{{{0:x-}}", code).str();
    if (safe.size() + part.size() > most)
      return safe + "…";
    safe += part;
    at += length;
  }
  return safe;
}
