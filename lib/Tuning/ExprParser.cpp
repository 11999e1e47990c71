//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Parses expressions over tuning parameters by recursive descent.
//===----------------------------------------------------------------------===//
#include "ExprNode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc::tuning;
using llvm::StringRef;

namespace {

using Node = Expr::Node;
using Op = Node::Op;
using NodePtr = std::shared_ptr<const Node>;

/// Deeper nesting than any generated constraint has; keeps hostile text from exhausting the stack.
constexpr unsigned maxDepth = 100;
/// Longer text than any generated constraint has; bounds the depth of a chain of operators.
constexpr size_t maxLength = 16 << 10;

class ExprParser {
public:
  explicit ExprParser(StringRef text) : text(text) { advance(); }
  NodePtr parseAll();

  std::string error;
  std::vector<std::string> names;

private:
  enum class TokenKind { End, Integer, String, Word, Symbol, Bad };
  void advance();
  void lexString();
  void lexInteger();
  bool isSymbol(StringRef symbol) const { return kind == TokenKind::Symbol && token == symbol; }
  bool isWord(StringRef word) const { return kind == TokenKind::Word && token == word; }
  bool takeSymbol(StringRef symbol);
  bool takeWord(StringRef word);
  NodePtr fail(const llvm::Twine &message);
  NodePtr make(Op op, std::vector<NodePtr> operands);
  NodePtr parseExpr();
  NodePtr parseOr();
  NodePtr parseAnd();
  NodePtr parseNot();
  NodePtr parseCompare();
  NodePtr parseSum();
  NodePtr parseTerm();
  NodePtr parseUnary();
  NodePtr parsePrimary();
  NodePtr parseCall(StringRef function, size_t place);

  StringRef text, token;
  size_t position = 0, tokenStart = 0;
  TokenKind kind = TokenKind::End;
  int64_t integer = 0;
  unsigned depth = 0;
};

bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

} // namespace

void ExprParser::lexString() {
  char quote = text[position];
  size_t end = text.find(quote, position + 1);
  if (end == StringRef::npos) {
    kind = TokenKind::Bad;
    token = text.substr(position, 1);
    fail("a string is not closed");
    return;
  }
  kind = TokenKind::String;
  token = text.slice(position + 1, end);
  position = end + 1;
}

void ExprParser::lexInteger() {
  token = text.substr(position).take_while([](char c) { return llvm::isAlnum(c); });
  kind = TokenKind::Integer;
  position += token.size();
  if (token.getAsInteger(10, integer)) {
    kind = TokenKind::Bad;
    fail("'" + token + "' is not a 64-bit decimal integer");
  }
}

void ExprParser::advance() {
  while (position < text.size() && llvm::isSpace(text[position]))
    ++position;
  tokenStart = position;
  if (position >= text.size()) {
    kind = TokenKind::End;
    token = "";
    return;
  }
  char c = text[position];
  if (c == '"' || c == '\'')
    return lexString();
  if (llvm::isDigit(c))
    return lexInteger();
  if (isWordStart(c)) {
    size_t end = position;
    while (end < text.size() &&
           (isWordPart(text[end]) || (text[end] == '.' && end + 1 < text.size() && isWordPart(text[end + 1]))))
      ++end;
    kind = TokenKind::Word;
    token = text.slice(position, end);
    position = end;
    return;
  }
  kind = TokenKind::Symbol;
  StringRef two = text.substr(position, 2);
  bool isTwo = llvm::is_contained({"==", "!=", "<=", ">=", "//"}, two);
  token = text.substr(position, isTwo ? 2 : 1);
  position += token.size();
}

bool ExprParser::takeSymbol(StringRef symbol) {
  if (!isSymbol(symbol))
    return false;
  advance();
  return true;
}

bool ExprParser::takeWord(StringRef word) {
  if (!isWord(word))
    return false;
  advance();
  return true;
}

NodePtr ExprParser::fail(const llvm::Twine &message) {
  if (error.empty())
    error = ("column " + llvm::Twine(tokenStart + 1) + ": " + message).str();
  return nullptr;
}

NodePtr ExprParser::make(Op op, std::vector<NodePtr> operands) {
  if (llvm::is_contained(operands, nullptr))
    return nullptr;
  auto node = std::make_shared<Node>();
  node->op = op;
  node->operands = std::move(operands);
  return node;
}

NodePtr ExprParser::parseAll() {
  NodePtr root = parseExpr();
  if (root && error.empty() && kind != TokenKind::End)
    return fail("expected an operator or the end, found '" + token + "'");
  return error.empty() ? root : nullptr;
}

NodePtr ExprParser::parseExpr() {
  if (depth >= maxDepth)
    return fail("the expression is nested too deeply");
  ++depth;
  NodePtr value = parseOr();
  if (value && takeWord("if")) {
    NodePtr condition = parseOr();
    if (condition && !takeWord("else"))
      condition = fail("expected 'else'");
    value = condition ? make(Op::If, {condition, value, parseExpr()}) : nullptr;
  }
  --depth;
  return value;
}

NodePtr ExprParser::parseOr() {
  NodePtr left = parseAnd();
  while (left && takeWord("or"))
    left = make(Op::Or, {left, parseAnd()});
  return left;
}

NodePtr ExprParser::parseAnd() {
  NodePtr left = parseNot();
  while (left && takeWord("and"))
    left = make(Op::And, {left, parseNot()});
  return left;
}

NodePtr ExprParser::parseNot() {
  bool negate = false;
  while (takeWord("not"))
    negate = !negate;
  NodePtr value = parseCompare();
  return negate ? make(Op::Not, {value}) : value;
}

static std::optional<Op> comparison(StringRef symbol) {
  static constexpr std::pair<llvm::StringLiteral, Op> table[] = {{"==", Op::Eq}, {"!=", Op::Ne}, {"<", Op::Lt},
                                                                 {"<=", Op::Le}, {">", Op::Gt},  {">=", Op::Ge}};
  for (const auto &[text, op] : table)
    if (symbol == text)
      return op;
  return std::nullopt;
}

NodePtr ExprParser::parseCompare() {
  NodePtr left = parseSum();
  if (!left || kind != TokenKind::Symbol)
    return left;
  std::optional<Op> op = comparison(token);
  if (!op)
    return left;
  advance();
  left = make(*op, {left, parseSum()});
  if (left && kind == TokenKind::Symbol && comparison(token))
    return fail("comparisons do not chain; join them by 'and'");
  return left;
}

NodePtr ExprParser::parseSum() {
  NodePtr left = parseTerm();
  while (left && (isSymbol("+") || isSymbol("-"))) {
    Op op = isSymbol("+") ? Op::Add : Op::Sub;
    advance();
    left = make(op, {left, parseTerm()});
  }
  return left;
}

NodePtr ExprParser::parseTerm() {
  NodePtr left = parseUnary();
  while (left && (isSymbol("*") || isSymbol("/") || isSymbol("//") || isSymbol("%"))) {
    Op op = isSymbol("*") ? Op::Mul : isSymbol("%") ? Op::Mod : Op::Div;
    advance();
    left = make(op, {left, parseUnary()});
  }
  return left;
}

NodePtr ExprParser::parseUnary() {
  bool negate = false;
  while (takeSymbol("-"))
    negate = !negate;
  NodePtr value = parsePrimary();
  return negate ? make(Op::Neg, {value}) : value;
}

NodePtr ExprParser::parseCall(StringRef function, size_t place) {
  static constexpr std::tuple<llvm::StringLiteral, Op, unsigned, unsigned> table[] = {{"min", Op::Min, 1, 64},
                                                                                      {"max", Op::Max, 1, 64},
                                                                                      {"ceildiv", Op::CeilDiv, 2, 2},
                                                                                      {"nextpow2", Op::NextPow2, 1, 1}};
  for (const auto &[name, op, least, most] : table) {
    if (function != name)
      continue;
    std::vector<NodePtr> operands;
    do {
      operands.push_back(parseExpr());
    } while (operands.back() && takeSymbol(","));
    if (operands.back() && !takeSymbol(")"))
      return fail("expected ')'");
    if (operands.back() && (operands.size() < least || operands.size() > most))
      return fail(function + " takes " + llvm::Twine(least) + " operands, found " + llvm::Twine(operands.size()));
    return make(op, std::move(operands));
  }
  tokenStart = place;
  return fail("unknown function '" + function + "'; there are min, max, ceildiv and nextpow2");
}

NodePtr ExprParser::parsePrimary() {
  if (!error.empty())
    return nullptr;
  if (takeSymbol("(")) {
    NodePtr value = parseExpr();
    return !value || takeSymbol(")") ? value : fail("expected ')'");
  }
  auto leaf = std::make_shared<Node>();
  leaf->text = token.str();
  leaf->integer = integer;
  if (kind == TokenKind::Integer || kind == TokenKind::String) {
    leaf->op = kind == TokenKind::Integer ? Op::Integer : Op::String;
    advance();
    return leaf;
  }
  if (kind != TokenKind::Word || llvm::is_contained({"if", "else", "and", "or", "not"}, token))
    return fail(kind == TokenKind::End ? llvm::Twine("expected a value, found the end")
                                       : "expected a value, found '" + token + "'");
  StringRef word = token;
  size_t place = tokenStart;
  advance();
  if (takeSymbol("("))
    return parseCall(word, place);
  bool isTrue = word == "true" || word == "True", isFalse = word == "false" || word == "False";
  leaf->op = isTrue || isFalse ? Op::Integer : Op::Name;
  leaf->integer = isTrue;
  if (leaf->op == Op::Name && !llvm::is_contained(names, word))
    names.push_back(word.str());
  return leaf;
}

llvm::Expected<Expr> Expr::parse(StringRef text) {
  if (text.size() > maxLength)
    return llvm::createStringError("the expression is longer than " + llvm::Twine(maxLength) + " bytes");
  ExprParser parser(text);
  NodePtr root = parser.parseAll();
  if (!root)
    return llvm::createStringError(parser.error);
  Expr expr;
  expr.root = std::move(root);
  expr.usedNames = std::move(parser.names);
  return expr;
}
