//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tokens to syntax tree.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_FRONTEND_PARSER_H
#define HELIONC_FRONTEND_PARSER_H

#include "helionc/Frontend/AST.h"
#include "helionc/Frontend/Lexer.h"

namespace helionc::frontend {

/// Parses a file. Top-level statements that are not understood are kept as broken or skipped ones: a file may hold
/// anything beside its kernels.
Module parseModule(const std::vector<Token> &tokens);

} // namespace helionc::frontend

#endif // HELIONC_FRONTEND_PARSER_H
