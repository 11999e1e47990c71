//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Splits kernel text into tokens.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Lexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

namespace {

class Lexer {
public:
  Lexer(StringRef text, Diagnostics &diagnostics, std::vector<Token> &tokens)
      : cursor(text.begin()), end(text.end()), diagnostics(diagnostics), tokens(tokens) {}
  bool run();

private:
  bool lexLine();
  bool lexIndentation();
  bool lexToken();
  bool lexString(StringRef prefix);
  void lexNumber();
  bool lexOperator();
  void skipComment();
  bool atEnd() const { return cursor == end; }
  char peek(size_t ahead = 0) const { return size_t(end - cursor) > ahead ? cursor[ahead] : '\0'; }
  SMLoc here() const { return SMLoc::getFromPointer(cursor); }
  void push(TokenKind kind, StringRef text, SMLoc loc) { tokens.push_back({kind, text.str(), loc}); }
  bool fail(SMLoc loc, const llvm::Twine &message, const llvm::Twine &help = "") {
    diagnostics.error(loc, message, help);
    return false;
  }

  const char *cursor, *end;
  Diagnostics &diagnostics;
  std::vector<Token> &tokens;
  std::vector<unsigned> indents{0};
  /// The open brackets, for joining lines and for naming the one that is not closed.
  std::vector<std::pair<char, SMLoc>> brackets;
  /// The character that indents this file: ' ' or '\t', 0 until the first indented line.
  char indentChar = 0;
};

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_' || (c & 0x80); }
bool isNamePart(char c) { return isNameStart(c) || llvm::isDigit(c); }

} // namespace

void Lexer::skipComment() {
  while (!atEnd() && peek() != '\n')
    ++cursor;
}

/// Blank lines and lines of a comment do not count. Emits Indent and Dedent.
bool Lexer::lexIndentation() {
  const char *start = cursor;
  while (peek() == ' ' || peek() == '\t')
    ++cursor;
  if (atEnd() || peek() == '\n' || peek() == '\r' || peek() == '#')
    return true;
  StringRef blanks(start, cursor - start);
  for (const char &c : blanks) {
    if (indentChar && c != indentChar)
      return fail(SMLoc::getFromPointer(&c), "tabs and spaces are mixed in the indentation",
                  indentChar == ' ' ? "indent with spaces, as the lines above do"
                                    : "indent with tabs, as the lines above do");
    indentChar = c;
  }
  unsigned width = blanks.size();
  if (width > indents.back()) {
    indents.push_back(width);
    push(TokenKind::Indent, "", here());
    return true;
  }
  while (width < indents.back()) {
    indents.pop_back();
    push(TokenKind::Dedent, "", here());
  }
  if (width != indents.back())
    return fail(here(), "this line's indentation matches no line above", "indent it as far as the block it belongs to");
  return true;
}

bool Lexer::lexString(StringRef prefix) {
  SMLoc loc = SMLoc::getFromPointer(cursor - prefix.size());
  char quote = peek();
  bool triple = peek(1) == quote && peek(2) == quote;
  bool raw = prefix.contains_insensitive("r"), formatted = prefix.contains_insensitive("f");
  cursor += triple ? 3 : 1;
  std::string text;
  while (true) {
    if (atEnd() || (!triple && peek() == '\n'))
      return fail(loc, "this string has no end", llvm::Twine("close it with ") + std::string(triple ? 3 : 1, quote));
    if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
      break;
    if (peek() == '\\' && !raw && size_t(end - cursor) > 1) {
      char c = peek(1);
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      cursor += 2;
      continue;
    }
    text += *cursor++;
  }
  cursor += triple ? 3 : 1;
  push(formatted ? TokenKind::FString : TokenKind::String, text, loc);
  return true;
}

void Lexer::lexNumber() {
  const char *start = cursor;
  bool isFloat = false;
  if (peek() == '0' && llvm::is_contained({'x', 'X', 'b', 'B', 'o', 'O'}, peek(1))) {
    cursor += 2;
    while (llvm::isAlnum(peek()) || peek() == '_')
      ++cursor;
  } else {
    while (llvm::isDigit(peek()) || peek() == '_')
      ++cursor;
    if (peek() == '.' && !(peek(1) == '.')) {
      isFloat = true;
      ++cursor;
      while (llvm::isDigit(peek()) || peek() == '_')
        ++cursor;
    }
    bool exponent = (peek() == 'e' || peek() == 'E') &&
                    (llvm::isDigit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && llvm::isDigit(peek(2))));
    if (exponent) {
      isFloat = true;
      cursor += 2;
      while (llvm::isDigit(peek()))
        ++cursor;
    }
  }
  std::string text(start, cursor);
  llvm::erase(text, '_');
  push(isFloat ? TokenKind::Float : TokenKind::Int, text, SMLoc::getFromPointer(start));
}

bool Lexer::lexOperator() {
  static constexpr StringRef operators[] = {"**=", "//=", ">>=", "<<=", "...", "->", ":=", "**", "//", ">>", "<<", "<=",
                                            ">=",  "==",  "!=",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@="};
  StringRef rest(cursor, end - cursor);
  SMLoc loc = here();
  for (StringRef op : operators)
    if (rest.starts_with(op)) {
      cursor += op.size();
      push(TokenKind::Op, op, loc);
      return true;
    }
  char c = peek();
  if (!StringRef("+-*/%@&|^~<>()[]{},:;.=").contains(c))
    return fail(loc, llvm::isPrint(c) ? "unexpected character '" + llvm::Twine(c) + "'"
                                      : llvm::Twine("unexpected character (this may not be a text file)"));
  if (StringRef("([{").contains(c))
    brackets.emplace_back(c, loc);
  if (StringRef(")]}").contains(c)) {
    char open = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (brackets.empty() || brackets.back().first != open)
      return fail(loc, "'" + llvm::Twine(c) + "' closes nothing");
    brackets.pop_back();
  }
  ++cursor;
  push(TokenKind::Op, StringRef(&c, 1), loc);
  return true;
}

bool Lexer::lexToken() {
  char c = peek();
  if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
    ++cursor;
    return true;
  }
  if (c == '#') {
    skipComment();
    return true;
  }
  if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
    cursor += peek(1) == '\n' ? 2 : 3;
    return true;
  }
  if (c == '"' || c == '\'')
    return lexString("");
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1)))) {
    lexNumber();
    return true;
  }
  if (!isNameStart(c))
    return lexOperator();
  const char *start = cursor;
  while (isNamePart(peek()) && !atEnd())
    ++cursor;
  StringRef name(start, cursor - start);
  if (name.size() <= 2 && (peek() == '"' || peek() == '\'') &&
      name.find_first_not_of("rRbBfFuU") == StringRef::npos)
    return lexString(name);
  push(TokenKind::Name, name, SMLoc::getFromPointer(start));
  return true;
}

bool Lexer::lexLine() {
  if (!lexIndentation())
    return false;
  size_t before = tokens.size();
  while (!atEnd()) {
    if (peek() == '\n') {
      ++cursor;
      if (brackets.empty())
        break;
      continue;
    }
    if (peek() == '\0')
      return fail(here(), "this is not a text file", "name a .hl or .py file");
    if (!lexToken())
      return false;
  }
  bool onlyLayout = tokens.size() == before;
  if (!onlyLayout)
    push(TokenKind::Newline, "", SMLoc::getFromPointer(cursor - (cursor != end || cursor[-1] == '\n')));
  return true;
}

bool Lexer::run() {
  if (StringRef(cursor, end - cursor).starts_with("\xEF\xBB\xBF"))
    cursor += 3;
  while (!atEnd())
    if (!lexLine())
      return false;
  if (!brackets.empty())
    return fail(brackets.back().second, "'" + llvm::Twine(brackets.back().first) + "' is never closed");
  for (; indents.size() > 1; indents.pop_back())
    push(TokenKind::Dedent, "", here());
  push(TokenKind::End, "", here());
  return true;
}

bool helionc::frontend::tokenize(StringRef text, Diagnostics &diagnostics, std::vector<Token> &tokens) {
  return Lexer(text, diagnostics, tokens).run();
}
