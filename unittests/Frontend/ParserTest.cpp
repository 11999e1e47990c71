//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of syntax trees.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace helionc::frontend;

namespace {

/// A file with its tree.
struct Parsed {
  llvm::SourceMgr sources;
  std::string messages;
  Module module;

  explicit Parsed(const std::string &text) {
    unsigned buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "t.hl"), llvm::SMLoc());
    llvm::raw_string_ostream os(messages);
    Diagnostics diagnostics(sources, os);
    std::vector<Token> tokens;
    if (tokenize(sources.getMemoryBuffer(buffer)->getBuffer(), diagnostics, tokens))
      module = parseModule(tokens);
  }
};

/// An expression with a bracket around every operation.
std::string spell(const Expr &expr) {
  auto operand = [&](size_t i) { return expr.operands[i] ? spell(*expr.operands[i]) : std::string("_"); };
  switch (expr.kind) {
  case ExprKind::Int:
    return std::to_string(expr.integer);
  case ExprKind::Unary:
    return "(" + expr.text + " " + operand(0) + ")";
  case ExprKind::Binary:
  case ExprKind::BoolOp:
    return "(" + operand(0) + " " + expr.text + " " + operand(1) + ")";
  case ExprKind::Compare: {
    std::string text = "(" + operand(0);
    for (size_t i = 0; i < expr.ops.size(); ++i)
      text += " " + expr.ops[i] + " " + operand(i + 1);
    return text + ")";
  }
  default: {
    std::string text = expr.text;
    if (expr.operands.empty())
      return text;
    text += "<";
    for (size_t i = 0; i < expr.operands.size(); ++i)
      text += (i ? " " : "") + operand(i);
    for (const auto &[key, value] : expr.keywords)
      text += " " + key + "=" + spell(*value);
    return text + ">";
  }
  }
}

std::string parseExpression(const std::string &text) {
  Parsed parsed(text + "\n");
  if (parsed.module.body.size() != 1 || parsed.module.body[0]->kind != StmtKind::Expr)
    return "error";
  return spell(*parsed.module.body[0]->value);
}

TEST(Parser, Precedence) {
  EXPECT_EQ(parseExpression("a + b * c"), "(a + (b * c))");
  EXPECT_EQ(parseExpression("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(parseExpression("-a ** 2"), "(- (a ** 2))");
  EXPECT_EQ(parseExpression("2 ** 3 ** 2"), "(2 ** (3 ** 2))");
  EXPECT_EQ(parseExpression("2 ** -1"), "(2 ** (- 1))");
  EXPECT_EQ(parseExpression("not a == b and c or d"), "(((not (a == b)) and c) or d)");
  EXPECT_EQ(parseExpression("a | b & c << 1 + d"), "(a | (b & (c << (1 + d))))");
  EXPECT_EQ(parseExpression("a < b <= c"), "(a < b <= c)");
  EXPECT_EQ(parseExpression("a not in b"), "(a not in b)");
  EXPECT_EQ(parseExpression("a is not None"), "(a is not )");
}

TEST(Parser, CallsAndIndices) {
  EXPECT_EQ(parseExpression("f(a, *b, c=d)"), "<f a <b> c=d>");
  EXPECT_EQ(parseExpression("x[a, 1:, ::2]"), "<x a <1 _ _> <_ _ 2>>");
  EXPECT_EQ(parseExpression("a.b(c)[d]"), "<<b<a> c> d>");
  EXPECT_EQ(parseExpression("a if b else c"), "<b a c>");
  EXPECT_EQ(parseExpression("(a)"), "a");
  EXPECT_EQ(parseExpression("(a,)"), "<a>");
}

TEST(Parser, ADefinitionThatIsNotUnderstoodIsKeptAsBroken) {
  Parsed parsed("def f(x):\n  return x +\n\ndef g(x):\n  return x\n");
  ASSERT_EQ(parsed.module.body.size(), 2u);
  EXPECT_EQ(parsed.module.body[0]->text, "f");
  EXPECT_FALSE(parsed.module.body[0]->broken.empty());
  EXPECT_EQ(parsed.module.body[1]->text, "g");
  EXPECT_TRUE(parsed.module.body[1]->broken.empty());
}

TEST(Parser, ElifIsAnIfInTheElse) {
  Parsed parsed("if a:\n  b\nelif c:\n  d\nelse:\n  e\n");
  ASSERT_EQ(parsed.module.body.size(), 1u);
  ASSERT_EQ(parsed.module.body[0]->orElse.size(), 1u);
  EXPECT_EQ(parsed.module.body[0]->orElse[0]->kind, StmtKind::If);
  EXPECT_EQ(parsed.module.body[0]->orElse[0]->orElse.size(), 1u);
}

TEST(Parser, NestingIsBounded) {
  for (std::string piece : {"(", "[", "-", "not ", "f(", "x[", "lambda: ", "a if b else "}) {
    std::string text = "y = ";
    for (int i = 0; i < 100000; ++i)
      text += piece;
    Parsed parsed(text + "\n");
  }
  std::string chain = "y = 1", links = "y = a", branches = "if a:\n  b\n";
  for (int i = 0; i < 100000; ++i) {
    chain += " + 1";
    links += ".b";
    branches += "elif a:\n  b\n";
  }
  EXPECT_FALSE(Parsed(chain + "\n").module.body[0]->broken.empty());
  EXPECT_FALSE(Parsed(links + "\n").module.body[0]->broken.empty());
  EXPECT_FALSE(Parsed(branches).module.body[0]->broken.empty());
}

} // namespace
