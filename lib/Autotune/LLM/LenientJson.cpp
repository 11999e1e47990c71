//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A forgiving reader: what is broken is left out, nothing is made up.
//===----------------------------------------------------------------------===//
#include "LenientJson.h"

#include "llvm/ADT/StringExtras.h"

using namespace helionc::autotune;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class LenientReader {
public:
  LenientReader(StringRef text, size_t begin) : text(text), at(begin) {}
  std::optional<LenientValue> read();

private:
  static constexpr unsigned maxDepth = 32;

  bool atEnd() const { return at >= text.size(); }
  char peek() const { return atEnd() ? '\0' : text[at]; }
  void skipSpace();
  bool skipComment();
  bool fail() {
    failed = true;
    return false;
  }
  bool readValue(json::Value &value, unsigned depth);
  bool readMembers(json::Value &value, char close, unsigned depth);
  bool readList(json::Value &value, char close, unsigned depth);
  bool readString(std::string &string);
  bool readEscape(std::string &string);
  bool readWord(json::Value &value, unsigned depth);
  bool readNumber(json::Value &value);
  bool readKey(std::string &key);

  StringRef text;
  size_t at;
  bool failed = false, cut = false;
};

bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

} // namespace

bool LenientReader::skipComment() {
  StringRef rest = text.substr(at);
  if (rest.starts_with("//") || rest.starts_with("#")) {
    at = std::min(text.size(), text.find('\n', at));
    return true;
  }
  if (rest.starts_with("/*")) {
    size_t end = text.find("*/", at + 2);
    at = end == StringRef::npos ? text.size() : end + 2;
    return true;
  }
  return false;
}

void LenientReader::skipSpace() {
  while (!atEnd() && (llvm::isSpace(peek()) || skipComment()))
    if (!atEnd() && llvm::isSpace(peek()))
      ++at;
}

/// The character after a backslash; \u is decoded, other unknown escapes stand for themselves.
bool LenientReader::readEscape(std::string &string) {
  ++at;
  if (atEnd())
    return false;
  char c = text[at++];
  unsigned code;
  if (c == 'u' && at + 4 <= text.size() && !text.substr(at, 4).getAsInteger(16, code)) {
    at += 4;
    char quoted[16];
    snprintf(quoted, sizeof quoted, "\"\\u%04x\"", code);
    llvm::Expected<json::Value> decoded = json::parse(quoted);
    if (decoded)
      string += decoded->getAsString().value_or("").str();
    else
      llvm::consumeError(decoded.takeError());
    return true;
  }
  string += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  return true;
}

bool LenientReader::readString(std::string &string) {
  char quote = text[at++];
  while (!atEnd() && peek() != quote) {
    if (peek() == '\\') {
      if (!readEscape(string))
        break;
    } else {
      string += text[at++];
    }
  }
  if (atEnd()) {
    cut = true;
    return false;
  }
  ++at;
  return true;
}

bool LenientReader::readKey(std::string &key) {
  if (peek() == '"' || peek() == '\'')
    return readString(key);
  while (!atEnd() && isWordPart(peek()))
    key += text[at++];
  if (atEnd())
    cut = true;
  return !key.empty() || fail();
}

bool LenientReader::readNumber(json::Value &value) {
  size_t begin = at;
  while (!atEnd() && (llvm::isAlnum(peek()) || StringRef("+-._").contains(peek())))
    ++at;
  if (atEnd()) {
    // The next digit may have been cut off.
    cut = true;
    return false;
  }
  llvm::Expected<json::Value> number = json::parse(text.slice(begin, at));
  if (!number) {
    llvm::consumeError(number.takeError());
    return fail();
  }
  value = std::move(*number);
  return true;
}

/// true, false, null in JSON's or Python's spelling, or a call `Name(key=value)`, which reads as an object.
bool LenientReader::readWord(json::Value &value, unsigned depth) {
  size_t begin = at;
  while (!atEnd() && isWordPart(peek()))
    ++at;
  StringRef word = text.slice(begin, at);
  if (atEnd()) {
    cut = true;
    return false;
  }
  if (peek() == '(') {
    ++at;
    return readMembers(value, ')', depth + 1);
  }
  if (word.equals_insensitive("true") || word.equals_insensitive("false")) {
    value = word.equals_insensitive("true");
    return true;
  }
  if (word == "null" || word == "None") {
    value = nullptr;
    return true;
  }
  return fail();
}

bool LenientReader::readMembers(json::Value &value, char close, unsigned depth) {
  json::Object object;
  bool isComplete = false;
  while (!failed && depth <= maxDepth) {
    skipSpace();
    if (peek() == close || atEnd()) {
      isComplete = !atEnd();
      cut |= atEnd();
      at += isComplete;
      break;
    }
    std::string key;
    if (!readKey(key))
      break;
    skipSpace();
    if (peek() != ':' && peek() != '=') {
      cut |= atEnd();
      failed |= !atEnd();
      break;
    }
    ++at;
    json::Value member = nullptr;
    bool isWhole = readValue(member, depth);
    // Of a member that was cut only a list is kept: the list of configurations.
    if (isWhole || (!failed && member.getAsArray()))
      object[key] = std::move(member);
    if (!isWhole)
      break;
    skipSpace();
    if (peek() == ',')
      ++at;
    else if (peek() != close && !atEnd())
      fail();
  }
  value = std::move(object);
  return isComplete || (depth > maxDepth && fail());
}

bool LenientReader::readList(json::Value &value, char close, unsigned depth) {
  json::Array array;
  bool isComplete = false;
  while (!failed && depth <= maxDepth) {
    skipSpace();
    if (peek() == close || atEnd()) {
      isComplete = !atEnd();
      cut |= atEnd();
      at += isComplete;
      break;
    }
    json::Value element = nullptr;
    if (!readValue(element, depth))
      break;
    array.push_back(std::move(element));
    skipSpace();
    if (peek() == ',')
      ++at;
    else if (peek() != close && !atEnd())
      fail();
  }
  value = std::move(array);
  return isComplete || (depth > maxDepth && fail());
}

bool LenientReader::readValue(json::Value &value, unsigned depth) {
  skipSpace();
  char c = peek();
  if (atEnd()) {
    cut = true;
    return false;
  }
  if (c == '{' || c == '[' || c == '(') {
    ++at;
    return c == '{' ? readMembers(value, '}', depth + 1) : readList(value, c == '[' ? ']' : ')', depth + 1);
  }
  if (c == '"' || c == '\'') {
    std::string string;
    bool isWhole = readString(string);
    value = json::fixUTF8(string);
    return isWhole;
  }
  if (llvm::isDigit(c) || c == '-' || c == '+')
    return readNumber(value);
  return isWordPart(c) ? readWord(value, depth) : fail();
}

std::optional<LenientValue> LenientReader::read() {
  LenientValue result;
  bool isComplete = readValue(result.value, 0);
  if (failed && !(cut && result.value.getAsObject()))
    return std::nullopt;
  bool isContainer = result.value.getAsObject() || result.value.getAsArray();
  if (!isContainer)
    return std::nullopt;
  result.end = at;
  result.wasCut = !isComplete;
  return result;
}

std::optional<LenientValue> helionc::autotune::readLenientJson(StringRef text, size_t begin) {
  return LenientReader(text, begin).read();
}
