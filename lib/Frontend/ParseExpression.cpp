//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Parses expressions.
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

/// expr (',' expr)* [','] as one expression or a tuple.
ExprPtr Parser::parseTuple(bool) {
  SMLoc loc = peek().loc;
  auto parseOne = [&]() -> ExprPtr {
    if (!peek().isOp("*"))
      return parseExpr();
    ExprPtr node = make(ExprKind::Starred, next().loc);
    node->operands.push_back(parseExpr());
    return node->operands.back() ? std::move(node) : nullptr;
  };
  ExprPtr first = parseOne();
  if (!first || !peek().isOp(","))
    return first;
  ExprPtr tuple = make(ExprKind::Tuple, loc);
  tuple->operands.push_back(std::move(first));
  while (consumeOp(",")) {
    const Token &token = peek();
    if (token.kind == TokenKind::Newline || token.isOp(")") || token.isOp("]") || token.isOp("=") || token.isOp(":"))
      break;
    ExprPtr element = parseOne();
    if (!element)
      return nullptr;
    tuple->operands.push_back(std::move(element));
  }
  return tuple;
}

ExprPtr Parser::parseExpr() {
  DepthGuard guard(depth);
  if (depth > maxDepth)
    return fail(peek().loc, "this expression is nested too deep");
  if (peek().isName("lambda"))
    return parseLambda();
  ExprPtr value = parseBinary(0);
  if (!value || !peek().isName("if"))
    return value;
  ExprPtr node = make(ExprKind::Conditional, next().loc);
  ExprPtr condition = parseBinary(0);
  if (!condition)
    return nullptr;
  if (!consumeName("else"))
    return unexpected("'else'");
  ExprPtr other = parseExpr();
  if (!other)
    return nullptr;
  node->operands.push_back(std::move(condition));
  node->operands.push_back(std::move(value));
  node->operands.push_back(std::move(other));
  return node;
}

ExprPtr Parser::parseLambda() {
  ExprPtr node = make(ExprKind::Lambda, next().loc);
  if (!parseParams(node->params, ":", /*annotated=*/false) || !expectOp(":"))
    return nullptr;
  ExprPtr body = parseExpr();
  if (!body)
    return nullptr;
  node->operands.push_back(std::move(body));
  return node;
}

/// or, and, not/compare, |, ^, &, shifts, sums, products.
ExprPtr Parser::parseBinary(unsigned level) {
  static const std::vector<std::vector<StringRef>> levels = {
      {"or"}, {"and"}, {}, {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}};
  if (level == levels.size())
    return parseUnary();
  if (level == 2)
    return parseNot();
  ExprPtr left = parseBinary(level + 1);
  while (left) {
    const Token &token = peek();
    bool word = level < 2;
    if (token.kind != (word ? TokenKind::Name : TokenKind::Op) || !llvm::is_contained(levels[level], token.text))
      return left;
    ExprPtr node = make(word ? ExprKind::BoolOp : ExprKind::Binary, token.loc, next().text);
    ExprPtr right = parseBinary(level + 1);
    if (!right)
      return nullptr;
    node->operands.push_back(std::move(left));
    node->operands.push_back(std::move(right));
    left = std::move(node);
  }
  return left;
}

ExprPtr Parser::parseNot() {
  DepthGuard guard(depth);
  if (depth > maxDepth)
    return fail(peek().loc, "this expression is nested too deep");
  if (!peek().isName("not"))
    return parseCompare();
  ExprPtr node = make(ExprKind::Unary, next().loc, "not");
  ExprPtr operand = parseNot();
  if (!operand)
    return nullptr;
  node->operands.push_back(std::move(operand));
  return node;
}

ExprPtr Parser::parseCompare() {
  ExprPtr first = parseBinary(3);
  if (!first)
    return nullptr;
  ExprPtr node;
  while (true) {
    const Token &token = peek();
    std::string op;
    if (token.kind == TokenKind::Op && llvm::is_contained({"<", "<=", ">", ">=", "==", "!="}, StringRef(token.text)))
      op = token.text;
    else if (token.isName("is"))
      op = peek(1).isName("not") ? "is not" : "is";
    else if (token.isName("in"))
      op = "in";
    else if (token.isName("not") && peek(1).isName("in"))
      op = "not in";
    else
      return node ? std::move(node) : std::move(first);
    if (!node) {
      node = make(ExprKind::Compare, token.loc);
      node->operands.push_back(std::move(first));
    }
    next();
    if (op == "is not" || op == "not in")
      next();
    ExprPtr operand = parseBinary(3);
    if (!operand)
      return nullptr;
    node->ops.push_back(op);
    node->operands.push_back(std::move(operand));
  }
}

ExprPtr Parser::parseUnary() {
  DepthGuard guard(depth);
  if (depth > maxDepth)
    return fail(peek().loc, "this expression is nested too deep");
  if (!peek().isOp("-") && !peek().isOp("+") && !peek().isOp("~"))
    return parsePower();
  ExprPtr node = make(ExprKind::Unary, peek().loc, next().text);
  ExprPtr operand = parseUnary();
  if (!operand)
    return nullptr;
  node->operands.push_back(std::move(operand));
  return node;
}

ExprPtr Parser::parsePower() {
  ExprPtr base = parsePostfix();
  if (!base || !peek().isOp("**"))
    return base;
  ExprPtr node = make(ExprKind::Binary, next().loc, "**");
  ExprPtr exponent = parseUnary();
  if (!exponent)
    return nullptr;
  node->operands.push_back(std::move(base));
  node->operands.push_back(std::move(exponent));
  return node;
}

ExprPtr Parser::parsePostfix() {
  ExprPtr node = parseAtom();
  while (node) {
    if (peek().isOp("(")) {
      node = parseCall(std::move(node));
    } else if (peek().isOp("[")) {
      node = parseSubscript(std::move(node));
    } else if (peek().isOp(".")) {
      next();
      if (peek().kind != TokenKind::Name)
        return unexpected("a name after '.'");
      ExprPtr attribute = make(ExprKind::Attribute, peek().loc, next().text);
      attribute->operands.push_back(std::move(node));
      node = std::move(attribute);
    } else {
      break;
    }
  }
  return node;
}

ExprPtr Parser::parseCall(ExprPtr callee) {
  ExprPtr node = make(ExprKind::Call, callee->loc);
  node->operands.push_back(std::move(callee));
  next();
  while (!peek().isOp(")")) {
    if (peek().kind == TokenKind::Name && peek(1).isOp("=")) {
      std::string name = next().text;
      next();
      ExprPtr value = parseExpr();
      if (!value)
        return nullptr;
      node->keywords.emplace_back(name, std::move(value));
    } else if (peek().isOp("**")) {
      return fail(peek().loc, "'**' in a call is not supported");
    } else {
      SMLoc loc = peek().loc;
      bool starred = consumeOp("*");
      ExprPtr argument = parseExpr();
      if (argument && peek().isName("for"))
        return fail(peek().loc, "a generator is not supported; use a list");
      if (argument && starred) {
        ExprPtr star = make(ExprKind::Starred, loc);
        star->operands.push_back(std::move(argument));
        argument = std::move(star);
      }
      if (!argument)
        return nullptr;
      node->operands.push_back(std::move(argument));
    }
    if (!consumeOp(","))
      break;
  }
  return expectOp(")") ? std::move(node) : nullptr;
}

ExprPtr Parser::parseSubscript(ExprPtr base) {
  ExprPtr node = make(ExprKind::Subscript, base->loc);
  node->operands.push_back(std::move(base));
  next();
  while (!peek().isOp("]")) {
    ExprPtr index = parseIndex();
    if (!index)
      return nullptr;
    node->operands.push_back(std::move(index));
    if (!consumeOp(","))
      break;
  }
  if (node->operands.size() == 1)
    return unexpected("an index");
  return expectOp("]") ? std::move(node) : nullptr;
}

ExprPtr Parser::parseIndex() {
  SMLoc loc = peek().loc;
  if (consumeOp("*")) {
    ExprPtr star = make(ExprKind::Starred, loc);
    star->operands.push_back(parseExpr());
    return star->operands.back() ? std::move(star) : nullptr;
  }
  ExprPtr lower;
  if (!peek().isOp(":")) {
    lower = parseExpr();
    if (!lower || !peek().isOp(":"))
      return lower;
  }
  ExprPtr slice = make(ExprKind::Slice, loc);
  slice->operands.push_back(std::move(lower));
  for (int part = 0; part < 2; ++part) {
    ExprPtr bound;
    if (consumeOp(":") && !peek().isOp(":") && !peek().isOp("]") && !peek().isOp(",")) {
      bound = parseExpr();
      if (!bound)
        return nullptr;
    }
    slice->operands.push_back(std::move(bound));
  }
  return slice;
}

ExprPtr Parser::parseNumber() {
  const Token &token = next();
  bool isFloat = token.kind == TokenKind::Float;
  ExprPtr node = make(isFloat ? ExprKind::Float : ExprKind::Int, token.loc);
  if (isFloat ? StringRef(token.text).getAsDouble(node->number) : StringRef(token.text).getAsInteger(0, node->integer))
    return fail(token.loc, "'" + token.text + "' is not a number that fits");
  return node;
}

/// Elements up to `close` (a bracket, or the word 'in' of a for loop).
ExprPtr Parser::parseBracketed(StringRef close, ExprKind kind) {
  ExprPtr node = make(kind, peek().loc);
  auto closes = [&] { return close == "in" ? peek().isName("in") : peek().isOp(close); };
  bool comma = false;
  while (!closes()) {
    SMLoc loc = peek().loc;
    bool starred = consumeOp("*");
    // The targets of a loop are postfix expressions: 'in' would otherwise be read as an operator.
    ExprPtr element = close == "in" ? parsePostfix() : parseExpr();
    if (!element)
      return nullptr;
    if (peek().isName("for"))
      return parseComprehension(std::move(element), close);
    if (starred) {
      ExprPtr star = make(ExprKind::Starred, loc);
      star->operands.push_back(std::move(element));
      element = std::move(star);
    }
    node->operands.push_back(std::move(element));
    if (!(comma = consumeOp(",")))
      break;
  }
  if (close != "in" && !expectOp(close))
    return nullptr;
  bool grouped = kind == ExprKind::Tuple && node->operands.size() == 1 && !comma;
  if (close == "in" && node->operands.empty())
    return unexpected("a loop variable");
  return grouped ? std::move(node->operands.front()) : std::move(node);
}

ExprPtr Parser::parseComprehension(ExprPtr element, StringRef close) {
  ExprPtr node = make(ExprKind::Comprehension, next().loc);
  ExprPtr target = parseBracketed("in", ExprKind::Tuple);
  if (!target || !consumeName("in"))
    return unexpected("'in'");
  ExprPtr iterable = parseBinary(0), condition;
  if (!iterable)
    return nullptr;
  if (consumeName("if") && !(condition = parseBinary(0)))
    return nullptr;
  if (!expectOp(close))
    return nullptr;
  node->operands.push_back(std::move(element));
  node->operands.push_back(std::move(target));
  node->operands.push_back(std::move(iterable));
  node->operands.push_back(std::move(condition));
  return node;
}

ExprPtr Parser::parseDict() {
  ExprPtr node = make(ExprKind::Dict, peek().loc);
  while (!peek().isOp("}")) {
    ExprPtr key = parseExpr();
    if (!key || !expectOp(":"))
      return nullptr;
    ExprPtr value = parseExpr();
    if (!value)
      return nullptr;
    node->operands.push_back(std::move(key));
    node->operands.push_back(std::move(value));
    if (!consumeOp(","))
      break;
  }
  return expectOp("}") ? std::move(node) : nullptr;
}

ExprPtr Parser::parseAtom() {
  const Token &token = peek();
  switch (token.kind) {
  case TokenKind::Int:
  case TokenKind::Float:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FString: {
    ExprPtr node = make(token.kind == TokenKind::String ? ExprKind::String : ExprKind::FString, token.loc);
    while (peek().kind == TokenKind::String || peek().kind == TokenKind::FString)
      node->text += next().text;
    return node;
  }
  case TokenKind::Name: {
    static constexpr StringRef keywords[] = {"else", "elif", "for", "in", "is", "and", "or", "not", "import", "return",
                                             "def", "class", "with", "yield", "await", "as"};
    if (llvm::is_contained(keywords, token.text))
      return unexpected("an expression");
    next();
    if (token.text == "None")
      return make(ExprKind::None, token.loc);
    ExprPtr node = make(ExprKind::Name, token.loc, token.text);
    if (token.text == "True" || token.text == "False") {
      node->kind = ExprKind::Bool;
      node->integer = token.text == "True";
      node->text.clear();
    }
    return node;
  }
  default:
    break;
  }
  if (consumeOp("("))
    return parseBracketed(")", ExprKind::Tuple);
  if (consumeOp("["))
    return parseBracketed("]", ExprKind::List);
  if (consumeOp("{"))
    return parseDict();
  if (token.isOp("..."))
    return make(ExprKind::Ellipsis, next().loc);
  return unexpected("an expression");
}
