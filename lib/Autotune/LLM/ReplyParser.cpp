//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Finds configurations in a reply and checks each one.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/ReplyParser.h"

#include "LenientJson.h"

#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace helionc;
using namespace helionc::autotune;
using llvm::StringRef;
namespace json = llvm::json;

/// How many places in a text may be tried as the start of a value: bounds the work on hostile text.
static constexpr size_t maxStarts = 256;
static constexpr size_t maxRefusals = 32;

static constexpr llvm::StringLiteral rationaleKeys[] = {"rationale",   "reason",  "reasoning", "why",
                                                        "explanation", "comment", "name",      "id"};

namespace {

class ReplyReader {
public:
  ReplyReader(const tuning::ConfigSpace &space, StringRef origin) : space(space), origin(origin) {}
  void readStrict(const json::Value &value) { readTop(value); }
  void salvage(StringRef text);

  ParsedReply reply;
  /// Configurations found, valid or not.
  size_t found = 0;

private:
  void readTop(const json::Value &value);
  void readElement(const json::Value &element);
  bool looksLikeConfig(const json::Object &object) const;
  void refuse(const std::string &what) {
    if (reply.refusals.size() < maxRefusals)
      reply.refusals.push_back(what);
  }

  const tuning::ConfigSpace &space;
  StringRef origin;
  std::set<tuning::Config> seen;
};

} // namespace

static std::string shortText(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  constexpr size_t most = 160;
  return text.size() <= most ? text : json::fixUTF8(text.substr(0, most)) + "…";
}

bool ReplyReader::looksLikeConfig(const json::Object &object) const {
  return llvm::any_of(object, [&](const auto &member) {
    StringRef key = member.first;
    return key == "config" || space.find(key) || space.find((key + ".0").str());
  });
}

void ReplyReader::readElement(const json::Value &element) {
  const json::Object *object = element.getAsObject();
  ++found;
  if (!object)
    return refuse(shortText(element) + ": a configuration is an object");
  json::Object config;
  if (const json::Object *inner = object->getObject("config"))
    config = *inner;
  std::string rationale;
  for (const auto &[key, value] : *object) {
    if (llvm::is_contained(rationaleKeys, StringRef(key)) && !space.find(key)) {
      if (rationale.empty() || StringRef(key) == "rationale")
        rationale = value.getAsString().value_or("").take_front(300).str();
    } else if (StringRef(key) != "config") {
      config[key] = value;
    }
  }
  tuning::DecodedConfig decoded = tuning::decodeConfig(config, space);
  llvm::append_range(decoded.problems, space.check(decoded.config));
  if (!decoded.problems.empty())
    return refuse(shortText(json::Value(std::move(config))) + ": " + llvm::join(decoded.problems, "; "));
  tuning::Config full = space.complete(decoded.config);
  if (!seen.insert(full).second)
    return;
  if (reply.proposals.size() >= maxConfigsPerReply)
    return;
  reply.proposals.push_back({std::move(full), origin.str(), json::fixUTF8(rationale)});
}

void ReplyReader::readTop(const json::Value &value) {
  if (const json::Object *object = value.getAsObject()) {
    if (const json::Array *configs = object->getArray("configs")) {
      for (const json::Value &element : *configs)
        readElement(element);
    } else if (looksLikeConfig(*object)) {
      readElement(value);
    }
    return;
  }
  if (const json::Array *array = value.getAsArray())
    for (const json::Value &element : *array)
      if (const json::Object *object = element.getAsObject(); object && looksLikeConfig(*object))
        readElement(element);
}

void ReplyReader::salvage(StringRef text) {
  reply.wasSalvaged = true;
  size_t starts = 0;
  for (size_t at = 0; at < text.size() && starts < maxStarts;) {
    bool isCall = text.substr(at).starts_with("Config(");
    if (text[at] != '{' && text[at] != '[' && !isCall) {
      ++at;
      continue;
    }
    ++starts;
    std::optional<LenientValue> value = readLenientJson(text, at);
    size_t foundBefore = found;
    if (value) {
      reply.wasCut |= value->wasCut;
      // A single configuration that was cut is not used; the list in a cut object is.
      const json::Object *object = value->value.getAsObject();
      if (!value->wasCut || !object || object->getArray("configs"))
        readTop(value->value);
    }
    at = value && found > foundBefore ? std::max(value->end, at + 1) : at + 1;
  }
}

/// Takes out what a reasoning model thought aloud: drafts are no answers.
static std::string withoutThoughts(StringRef text) {
  std::string rest;
  while (true) {
    size_t begin = text.find("<think>");
    rest += text.take_front(begin);
    if (begin == StringRef::npos)
      return rest;
    size_t end = text.find("</think>", begin);
    if (end == StringRef::npos)
      return rest;
    text = text.drop_front(end + strlen("</think>"));
  }
}

ParsedReply helionc::autotune::parseReply(StringRef given, const tuning::ConfigSpace &space, StringRef origin) {
  ReplyReader reader(space, origin);
  StringRef limited = given.take_front(tuning::maxJsonBytes);
  std::string text = json::isUTF8(limited) ? limited.str() : json::fixUTF8(limited);
  llvm::Expected<json::Value> strict = tuning::parseUntrustedJson(StringRef(text).trim());
  if (strict) {
    reader.readStrict(*strict);
  } else {
    llvm::consumeError(strict.takeError());
    reader.salvage(withoutThoughts(text));
  }
  ParsedReply reply = std::move(reader.reply);
  reply.wasCut |= limited.size() < given.size();
  if (reader.found == 0)
    reply.refusals.push_back(
        "no configuration was found in the answer; it has to be an object with a list \"configs\"");
  else if (reply.wasCut)
    reply.refusals.push_back("the answer was cut short; its last configuration was left out: answer more briefly");
  return reply;
}
