//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of tokens.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Lexer.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace helionc::frontend;

namespace {

/// Tokens as words: kinds without text in angle brackets; "error" when there was one.
std::string lex(const std::string &text, std::string *message = nullptr) {
  llvm::SourceMgr sources;
  unsigned buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "t.hl"), llvm::SMLoc());
  std::string output;
  llvm::raw_string_ostream os(output);
  Diagnostics diagnostics(sources, os);
  std::vector<Token> tokens;
  bool ok = tokenize(sources.getMemoryBuffer(buffer)->getBuffer(), diagnostics, tokens);
  if (message)
    *message = output;
  if (!ok)
    return "error";
  static const char *const layout[] = {"<end>", "<line>", "<in>", "<out>"};
  std::string words;
  for (const Token &token : tokens)
    words += (words.empty() ? "" : " ") + (token.kind <= TokenKind::Dedent ? layout[int(token.kind)] : token.text);
  return words;
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(lex("if a:\n  b\n\n  # note\n  c\nd\n"), "if a : <line> <in> b <line> c <line> <out> d <line> <end>");
  EXPECT_EQ(lex("a:\n  b:\n    c"), "a : <line> <in> b : <line> <in> c <line> <out> <out> <end>");
}

TEST(Lexer, LinesAreJoined) {
  EXPECT_EQ(lex("a(\n  b,\n# note\n c)\n"), "a ( b , c ) <line> <end>");
  EXPECT_EQ(lex("a + \\\n  b\n"), "a + b <line> <end>");
  EXPECT_EQ(lex("a + \\\r\n  b\r\n"), "a + b <line> <end>");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(lex("1_000 0x1F 1e-5 .5 2. 3.e2"), "1000 0x1F 1e-5 .5 2. 3.e2 <line> <end>");
  EXPECT_EQ(lex("x[1:2]"), "x [ 1 : 2 ] <line> <end>");
}

TEST(Lexer, Operators) {
  EXPECT_EQ(lex("a **= b // c -> d != e ... f := g"), "a **= b // c -> d != e ... f := g <line> <end>");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(lex("'a\\'b'"), "a'b <line> <end>");
  EXPECT_EQ(lex("r'a\\n'"), "a\\n <line> <end>");
  EXPECT_EQ(lex("\"\"\"x\n'y\"\"\" z"), "x\n'y z <line> <end>");
}

TEST(Lexer, ErrorsNameThePlace) {
  std::string message;
  EXPECT_EQ(lex("a = (1,\nb\n", &message), "error");
  EXPECT_NE(message.find("t.hl:1:5: error: '(' is never closed"), std::string::npos) << message;
  EXPECT_EQ(lex("a = 'x\n", &message), "error");
  EXPECT_NE(message.find("t.hl:1:5: error: this string has no end"), std::string::npos) << message;
  EXPECT_EQ(lex("if a:\n  b\n\tc\n", &message), "error");
  EXPECT_NE(message.find("t.hl:3:1: error: tabs and spaces"), std::string::npos) << message;
  EXPECT_EQ(lex(std::string("a\0b", 3), &message), "error");
  EXPECT_NE(message.find("this is not a text file"), std::string::npos) << message;
}

TEST(Lexer, UnfinishedInputIsAnErrorOrEnds) {
  for (std::string text : {"'", "\"\"\"", "\\", "a\\", "(", "0x", "1e", ".", "f'", "\xEF\xBB\xBF", "#", "  "})
    lex(text);
}

} // namespace
