//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tokens of the kernel language: Python's, with indentation.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_FRONTEND_LEXER_H
#define HELIONC_FRONTEND_LEXER_H

#include "helionc/Frontend/Diagnostics.h"

#include <string>
#include <vector>

namespace helionc::frontend {

enum class TokenKind { End, Newline, Indent, Dedent, Name, Int, Float, String, FString, Op };

struct Token {
  TokenKind kind = TokenKind::End;
  /// The token's text; of a string, its value with escapes resolved.
  std::string text;
  llvm::SMLoc loc;

  bool isOp(llvm::StringRef op) const { return kind == TokenKind::Op && text == op; }
  bool isName(llvm::StringRef name) const { return kind == TokenKind::Name && text == name; }
};

/// Splits `text`, which must be part of a buffer of the diagnostics' source manager. False after an error.
bool tokenize(llvm::StringRef text, Diagnostics &diagnostics, std::vector<Token> &tokens);

} // namespace helionc::frontend

#endif // HELIONC_FRONTEND_LEXER_H
