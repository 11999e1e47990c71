//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The recursive-descent parser's state, shared by the files that parse expressions and statements.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_FRONTEND_PARSERIMPL_H
#define HELIONC_LIB_FRONTEND_PARSERIMPL_H

#include "helionc/Frontend/Parser.h"

namespace helionc::frontend {

/// Functions return null after a failure, whose first place and message are kept; the caller at a top-level statement
/// decides what becomes of it.
class Parser {
public:
  explicit Parser(const std::vector<Token> &tokens) : tokens(tokens) {}
  Module parseModule();

private:
  // Statements.
  StmtPtr parseTopLevel();
  bool parseStatement(std::vector<StmtPtr> &into);
  StmtPtr parseCompound();
  StmtPtr parseSimple();
  bool parseBlock(std::vector<StmtPtr> &body);
  StmtPtr parseDef(std::vector<ExprPtr> decorators);
  StmtPtr parseIf();
  StmtPtr parseFor();
  StmtPtr parseWhile();
  StmtPtr parseAssignment();
  StmtPtr skipStatement(StmtKind kind, llvm::StringRef text);
  bool parseParams(std::vector<Param> &params, llvm::StringRef close, bool annotated);
  void recover(size_t start);

  // Expressions, loosest first.
  ExprPtr parseTuple(bool allowStar = true);
  ExprPtr parseExpr();
  ExprPtr parseLambda();
  ExprPtr parseBinary(unsigned level);
  ExprPtr parseNot();
  ExprPtr parseCompare();
  ExprPtr parseUnary();
  ExprPtr parsePower();
  ExprPtr parsePostfix();
  ExprPtr parseCall(ExprPtr callee);
  ExprPtr parseSubscript(ExprPtr base);
  ExprPtr parseIndex();
  ExprPtr parseAtom();
  ExprPtr parseNumber();
  ExprPtr parseBracketed(llvm::StringRef close, ExprKind kind);
  ExprPtr parseDict();
  ExprPtr parseComprehension(ExprPtr element, llvm::StringRef close);

  const Token &peek(size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
  const Token &next() { return tokens[at + 1 < tokens.size() ? at++ : at]; }
  bool consumeOp(llvm::StringRef op) { return peek().isOp(op) && (next(), true); }
  bool consumeName(llvm::StringRef name) { return peek().isName(name) && (next(), true); }
  bool expectOp(llvm::StringRef op);
  bool expectNewline();
  std::nullptr_t fail(llvm::SMLoc loc, std::string message);
  std::nullptr_t unexpected(llvm::StringRef expected);
  static ExprPtr make(ExprKind kind, llvm::SMLoc loc, std::string text = "");
  static StmtPtr makeStmt(StmtKind kind, llvm::SMLoc loc);

  /// Nesting is bounded so that no input overflows the stack.
  static constexpr unsigned maxDepth = 100;
  struct DepthGuard {
    explicit DepthGuard(unsigned &depth) : depth(depth) { ++depth; }
    ~DepthGuard() { --depth; }
    unsigned &depth;
  };

  const std::vector<Token> &tokens;
  size_t at = 0;
  unsigned depth = 0;
  llvm::SMLoc failureLoc;
  std::string failure;
};

} // namespace helionc::frontend

#endif // HELIONC_LIB_FRONTEND_PARSERIMPL_H
