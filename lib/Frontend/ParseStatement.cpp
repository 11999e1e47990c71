//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Parses statements.
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

std::nullptr_t Parser::fail(SMLoc loc, std::string message) {
  if (failure.empty()) {
    failure = std::move(message);
    failureLoc = loc;
  }
  return nullptr;
}

std::nullptr_t Parser::unexpected(StringRef expected) {
  const Token &token = peek();
  std::string found;
  switch (token.kind) {
  case TokenKind::End:
    found = "the end of the file";
    break;
  case TokenKind::Newline:
    found = "the end of the line";
    break;
  case TokenKind::Indent:
    found = "an indented line";
    break;
  case TokenKind::Dedent:
    found = "the end of the block";
    break;
  default:
    found = "'" + token.text + "'";
  }
  return fail(token.loc, "expected " + expected.str() + ", found " + found);
}

bool Parser::expectOp(StringRef op) {
  if (consumeOp(op))
    return true;
  unexpected("'" + op.str() + "'");
  return false;
}

bool Parser::expectNewline() {
  if (peek().kind == TokenKind::End || consumeOp(";"))
    return true;
  if (peek().kind == TokenKind::Newline) {
    next();
    return true;
  }
  unexpected("the end of the line");
  return false;
}

ExprPtr Parser::make(ExprKind kind, SMLoc loc, std::string text) {
  auto node = std::make_unique<Expr>();
  node->kind = kind;
  node->loc = loc;
  node->text = std::move(text);
  return node;
}

StmtPtr Parser::makeStmt(StmtKind kind, SMLoc loc) {
  auto node = std::make_unique<Stmt>();
  node->kind = kind;
  node->loc = loc;
  return node;
}

/// Moves past the statement that began at token `start`: its line, and the block under it.
void Parser::recover(size_t start) {
  at = start;
  while (peek().kind != TokenKind::End && peek().kind != TokenKind::Newline)
    next();
  if (peek().kind == TokenKind::Newline)
    next();
  if (peek().kind != TokenKind::Indent)
    return;
  unsigned open = 0;
  do {
    open += peek().kind == TokenKind::Indent;
    open -= peek().kind == TokenKind::Dedent;
    next();
  } while (open && peek().kind != TokenKind::End);
}

StmtPtr Parser::skipStatement(StmtKind kind, StringRef text) {
  StmtPtr node = makeStmt(kind, peek().loc);
  node->text = text;
  recover(at);
  return node;
}

Module Parser::parseModule() {
  Module module;
  while (peek().kind != TokenKind::End) {
    // An indented line outside a block belongs to a statement that was not understood.
    if (peek().kind == TokenKind::Newline || peek().kind == TokenKind::Indent || peek().kind == TokenKind::Dedent) {
      next();
      continue;
    }
    if (StmtPtr node = parseTopLevel())
      module.body.push_back(std::move(node));
  }
  return module;
}

StmtPtr Parser::parseTopLevel() {
  size_t start = at;
  failure.clear();
  depth = 0;
  std::vector<StmtPtr> parsed;
  if (parseStatement(parsed) && failure.empty() && !parsed.empty())
    return std::move(parsed.front());
  // Keep a definition's name and decorators: it may turn out to be needed.
  StmtPtr node = makeStmt(StmtKind::Other, tokens[start].loc);
  node->text = tokens[start].text;
  node->broken = failure;
  node->brokenLoc = failureLoc;
  at = start;
  std::vector<ExprPtr> decorators;
  std::string kept = failure;
  SMLoc keptLoc = failureLoc;
  while (peek().isOp("@")) {
    failure.clear();
    size_t line = at;
    next();
    ExprPtr decorator = parseExpr();
    if (!decorator || !expectNewline()) {
      recover(line);
      continue;
    }
    decorators.push_back(std::move(decorator));
  }
  if (peek().isName("def") && peek(1).kind == TokenKind::Name) {
    node->kind = StmtKind::Def;
    node->text = peek(1).text;
    node->loc = peek(1).loc;
    node->decorators = std::move(decorators);
    node->broken = kept;
    node->brokenLoc = keptLoc;
  }
  recover(at);
  return node;
}

bool Parser::parseBlock(std::vector<StmtPtr> &body) {
  if (!expectOp(":"))
    return false;
  if (peek().kind != TokenKind::Newline)
    return parseStatement(body);
  next();
  if (peek().kind != TokenKind::Indent) {
    unexpected("an indented block");
    return false;
  }
  next();
  while (peek().kind != TokenKind::Dedent && peek().kind != TokenKind::End)
    if (!parseStatement(body))
      return false;
  if (peek().kind == TokenKind::Dedent)
    next();
  return true;
}

bool Parser::parseStatement(std::vector<StmtPtr> &into) {
  DepthGuard guard(depth);
  if (depth > maxDepth)
    return fail(peek().loc, "this is nested too deep"), false;
  std::vector<ExprPtr> decorators;
  while (peek().isOp("@")) {
    next();
    ExprPtr decorator = parseExpr();
    if (!decorator || !expectNewline())
      return false;
    decorators.push_back(std::move(decorator));
  }
  StmtPtr node;
  if (peek().isName("def")) {
    node = parseDef(std::move(decorators));
  } else {
    node = parseCompound();
    if (!node && failure.empty()) {
      do {
        node = parseSimple();
        if (!node || !expectNewline())
          return false;
        into.push_back(std::move(node));
      } while (tokens[at - 1].isOp(";") && peek().kind != TokenKind::Newline);
      return true;
    }
  }
  if (!node)
    return false;
  into.push_back(std::move(node));
  return true;
}

/// Statements with a block; null without a failure when the statement is a simple one.
StmtPtr Parser::parseCompound() {
  const Token &token = peek();
  if (token.kind != TokenKind::Name)
    return nullptr;
  if (token.text == "if")
    return parseIf();
  if (token.text == "for")
    return parseFor();
  if (token.text == "while")
    return parseWhile();
  static constexpr StringRef skipped[] = {"class", "try", "except", "finally", "else", "elif", "with", "async", "match"};
  bool blockFollows = !peek(1).isOp("=") && !peek(1).isOp(".");
  if (llvm::is_contained(skipped, token.text) && blockFollows)
    return skipStatement(StmtKind::Other, token.text);
  return nullptr;
}

StmtPtr Parser::parseDef(std::vector<ExprPtr> decorators) {
  next();
  StmtPtr node = makeStmt(StmtKind::Def, peek().loc);
  if (peek().kind != TokenKind::Name)
    return unexpected("a function's name"), nullptr;
  node->text = next().text;
  node->decorators = std::move(decorators);
  if (!expectOp("(") || !parseParams(node->params, ")", /*annotated=*/true) || !expectOp(")"))
    return nullptr;
  if (consumeOp("->") && !(node->annotation = parseExpr()))
    return nullptr;
  return parseBlock(node->body) ? std::move(node) : nullptr;
}

bool Parser::parseParams(std::vector<Param> &params, StringRef close, bool annotated) {
  while (!peek().isOp(close)) {
    // '*' and '/' only sort arguments into kinds.
    if (consumeOp("*") || consumeOp("/") || consumeOp("**")) {
      if (peek().kind != TokenKind::Name) {
        consumeOp(",");
        continue;
      }
      fail(peek().loc, "a parameter that takes any number of arguments is not supported");
      return false;
    }
    if (peek().kind != TokenKind::Name) {
      unexpected("a parameter's name");
      return false;
    }
    Param param;
    param.loc = peek().loc;
    param.name = next().text;
    if (annotated && consumeOp(":") && !(param.annotation = parseExpr()))
      return false;
    if (consumeOp("=") && !(param.defaultValue = parseExpr()))
      return false;
    params.push_back(std::move(param));
    if (!consumeOp(","))
      break;
  }
  return true;
}

StmtPtr Parser::parseIf() {
  StmtPtr node = makeStmt(StmtKind::If, next().loc);
  if (!(node->value = parseExpr()) || !parseBlock(node->body))
    return nullptr;
  if (peek().isName("elif")) {
    StmtPtr other = parseIf();
    if (!other)
      return nullptr;
    node->orElse.push_back(std::move(other));
  } else if (consumeName("else") && !parseBlock(node->orElse)) {
    return nullptr;
  }
  return node;
}

StmtPtr Parser::parseFor() {
  StmtPtr node = makeStmt(StmtKind::For, next().loc);
  ExprPtr target = parseBracketed("in", ExprKind::Tuple);
  if (!target)
    return nullptr;
  node->targets.push_back(std::move(target));
  if (!consumeName("in"))
    return unexpected("'in'"), nullptr;
  if (!(node->value = parseTuple()) || !parseBlock(node->body))
    return nullptr;
  if (consumeName("else") && !parseBlock(node->orElse))
    return nullptr;
  return node;
}

StmtPtr Parser::parseWhile() {
  StmtPtr node = makeStmt(StmtKind::While, next().loc);
  if (!(node->value = parseExpr()) || !parseBlock(node->body))
    return nullptr;
  return node;
}

StmtPtr Parser::parseSimple() {
  const Token &token = peek();
  SMLoc loc = token.loc;
  if (token.kind != TokenKind::Name)
    return parseAssignment();
  if (token.text == "return") {
    next();
    StmtPtr node = makeStmt(StmtKind::Return, loc);
    if (peek().kind == TokenKind::Newline || peek().isOp(";") || peek().kind == TokenKind::End)
      return node;
    node->value = parseTuple();
    return node->value ? std::move(node) : nullptr;
  }
  if (token.text == "assert") {
    next();
    StmtPtr node = makeStmt(StmtKind::Assert, loc);
    if (!(node->value = parseExpr()))
      return nullptr;
    if (consumeOp(",")) {
      ExprPtr message = parseExpr();
      if (!message)
        return nullptr;
      node->targets.push_back(std::move(message));
    }
    return node;
  }
  static constexpr std::pair<StringRef, StmtKind> words[] = {
      {"pass", StmtKind::Pass}, {"break", StmtKind::Break}, {"continue", StmtKind::Continue}};
  for (auto [word, kind] : words)
    if (token.text == word) {
      next();
      return makeStmt(kind, loc);
    }
  static constexpr StringRef skipped[] = {"import", "from", "global", "nonlocal", "del", "raise", "type"};
  if (llvm::is_contained(skipped, token.text) && peek(1).kind != TokenKind::Op) {
    StmtPtr node = makeStmt(token.text == "import" || token.text == "from" ? StmtKind::Import : StmtKind::Other, loc);
    node->text = token.text;
    while (peek().kind != TokenKind::Newline && peek().kind != TokenKind::End)
      next();
    return node;
  }
  return parseAssignment();
}

StmtPtr Parser::parseAssignment() {
  SMLoc loc = peek().loc;
  ExprPtr first = parseTuple();
  if (!first)
    return nullptr;
  static constexpr StringRef updates[] = {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="};
  for (StringRef update : updates)
    if (consumeOp(update)) {
      StmtPtr node = makeStmt(StmtKind::AugAssign, loc);
      node->text = update.drop_back();
      node->targets.push_back(std::move(first));
      node->value = parseTuple();
      return node->value ? std::move(node) : nullptr;
    }
  if (consumeOp(":")) {
    // An annotated assignment; without a value it declares nothing that matters.
    StmtPtr node = makeStmt(StmtKind::Assign, loc);
    if (!(node->annotation = parseExpr()))
      return nullptr;
    if (!consumeOp("="))
      return makeStmt(StmtKind::Pass, loc);
    node->targets.push_back(std::move(first));
    node->value = parseTuple();
    return node->value ? std::move(node) : nullptr;
  }
  if (!peek().isOp("=")) {
    StmtPtr node = makeStmt(StmtKind::Expr, loc);
    node->value = std::move(first);
    return node;
  }
  StmtPtr node = makeStmt(StmtKind::Assign, loc);
  node->targets.push_back(std::move(first));
  while (consumeOp("=")) {
    ExprPtr value = parseTuple();
    if (!value)
      return nullptr;
    if (peek().isOp("="))
      node->targets.push_back(std::move(value));
    else
      node->value = std::move(value);
  }
  return node;
}

Module helionc::frontend::parseModule(const std::vector<Token> &tokens) { return Parser(tokens).parseModule(); }
