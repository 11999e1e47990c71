//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Takes a key out of a text in every form in which it may be echoed.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/Redaction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"

static void replaceAll(std::string &text, const std::string &from) {
  if (from.size() < 4)
    return;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), "[key]");
}

static std::string percentEncoded(const std::string &secret, bool lowerCase) {
  std::string text;
  for (unsigned char c : secret) {
    if (llvm::isAlnum(char(c)) || c == '-' || c == '_' || c == '.' || c == '~')
      text += char(c);
    else
      text += std::string("%") + llvm::hexdigit(c >> 4, lowerCase) + llvm::hexdigit(c & 15, lowerCase);
  }
  return text;
}

static std::string jsonEscaped(const std::string &secret, bool escapeSlash) {
  std::string text;
  for (char c : secret) {
    if (c == '"' || c == '\\' || (c == '/' && escapeSlash))
      text += '\\';
    text += c;
  }
  return text;
}

/// The characters of a Base64 text that only depend on the secret, when `before` bytes come before it.
static std::string base64Core(const std::string &secret, size_t before) {
  std::string encoded = llvm::encodeBase64(std::string(before, 'x') + secret);
  size_t first = before == 0 ? 0 : before == 1 ? 2 : 3;
  size_t whole = (before + secret.size()) * 8 / 6;
  return whole > first ? encoded.substr(first, whole - first) : "";
}

std::string helionc::autotune::redact(std::string text, const std::string &secret) {
  if (secret.size() < 4)
    return text;
  replaceAll(text, secret);
  for (bool flag : {false, true}) {
    replaceAll(text, percentEncoded(secret, flag));
    replaceAll(text, jsonEscaped(secret, flag));
  }
  for (size_t before : {0, 1, 2}) {
    std::string core = base64Core(secret, before);
    if (core.size() >= 6)
      replaceAll(text, core);
  }
  return text;
}
