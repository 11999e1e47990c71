//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Configurations to and from JSON.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace helionc::tuning;
using llvm::StringRef;
namespace json = llvm::json;

/// How deep brackets nest in `text`, strings left out.
static unsigned nestingDepth(StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

llvm::Expected<json::Value> helionc::tuning::parseUntrustedJson(StringRef text, size_t maxBytes) {
  if (text.size() > maxBytes)
    return llvm::createStringError("JSON text of " + llvm::Twine(text.size()) + " bytes is refused; at most " +
                                   llvm::Twine(maxBytes) + " are read");
  if (nestingDepth(text) > maxJsonDepth)
    return llvm::createStringError("JSON text nested deeper than " + llvm::Twine(maxJsonDepth) + " is refused");
  return json::parse(json::isUTF8(text) ? text.str() : json::fixUTF8(text));
}

static std::optional<std::vector<int64_t>> readIntegers(const json::Array &array) {
  std::vector<int64_t> integers;
  for (const json::Value &item : array) {
    std::optional<int64_t> integer = item.getAsInteger();
    if (!integer)
      return std::nullopt;
    integers.push_back(*integer);
  }
  return integers;
}

static std::optional<Value> readValue(const json::Value &value) {
  if (std::optional<bool> flag = value.getAsBoolean())
    return Value(*flag);
  if (std::optional<int64_t> integer = value.getAsInteger())
    return Value(*integer);
  if (std::optional<StringRef> text = value.getAsString())
    return Value(text->str());
  if (const json::Array *array = value.getAsArray())
    if (std::optional<std::vector<int64_t>> integers = readIntegers(*array))
      return Value(*integers);
  return std::nullopt;
}

/// How many parameters `name.0`, `name.1`, … the space has.
static size_t listLength(const ConfigSpace &space, StringRef name) {
  size_t length = 0;
  while (space.find((name + "." + llvm::Twine(length)).str()))
    ++length;
  return length;
}

static void decodeList(StringRef key, const json::Value &value, size_t length, DecodedConfig &decoded) {
  const json::Array *array = value.getAsArray();
  json::Array single;
  if (!array && length == 1) {
    single.push_back(value);
    array = &single;
  }
  if (!array || array->size() != length) {
    decoded.problems.push_back("'" + key.str() + "' is a list of " + std::to_string(length) + " here, " +
                               (array ? std::to_string(array->size()) + " given" : "found something else"));
    return;
  }
  for (size_t i = 0; i < length; ++i) {
    if ((*array)[i].getAsNull())
      continue;
    std::string name = key.str() + "." + std::to_string(i);
    if (std::optional<Value> item = readValue((*array)[i]))
      decoded.config.set(name, std::move(*item));
    else
      decoded.problems.push_back("'" + name + "' is no integer, truth value, string or list of integers");
  }
}

DecodedConfig helionc::tuning::decodeConfig(const json::Object &object, const ConfigSpace &space) {
  DecodedConfig decoded;
  for (const auto &[jsonKey, value] : object) {
    StringRef key = jsonKey;
    if (value.getAsNull())
      continue;
    if (space.find(key)) {
      if (std::optional<Value> read = readValue(value))
        decoded.config.set(key, std::move(*read));
      else
        decoded.problems.push_back("'" + key.str() + "' is no integer, truth value, string or list of integers");
      continue;
    }
    if (size_t length = listLength(space, key))
      decodeList(key, value, length, decoded);
    else
      decoded.problems.push_back(space.unknownKeyText(key));
  }
  llvm::sort(decoded.problems);
  return decoded;
}

llvm::Expected<Config> helionc::tuning::parseConfig(StringRef text, const ConfigSpace &space) {
  llvm::Expected<json::Value> parsed = parseUntrustedJson(text);
  if (!parsed)
    return parsed.takeError();
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return llvm::createStringError("a configuration is a JSON object such as {\"num_warps\": 4}");
  DecodedConfig decoded = decodeConfig(*object, space);
  llvm::append_range(decoded.problems, space.check(decoded.config));
  if (!decoded.problems.empty())
    return llvm::createStringError(llvm::join(decoded.problems, "\n"));
  return decoded.config;
}

llvm::Expected<Config> helionc::tuning::parseFlatConfig(const json::Object &object) {
  Config config;
  for (const auto &[key, value] : object) {
    std::optional<Value> read = readValue(value);
    if (!read)
      return llvm::createStringError("'" + StringRef(key) + "' is no integer, truth value, string or list of integers");
    config.set(key, std::move(*read));
  }
  return config;
}

llvm::Expected<Config> helionc::tuning::parseFlatConfig(StringRef text) {
  llvm::Expected<json::Value> parsed = parseUntrustedJson(text);
  if (!parsed)
    return parsed.takeError();
  if (const json::Object *object = parsed->getAsObject())
    return parseFlatConfig(*object);
  return llvm::createStringError("a configuration is a JSON object such as {\"num_warps\": 4}");
}

/// The keys as Helion has them, in the order of the space, each with its value as JSON (or, if `python`, Python) text.
static std::vector<std::pair<std::string, std::string>> collectKeys(const Config &config, const ConfigSpace &space,
                                                                    bool python) {
  Config full = space.complete(config);
  std::vector<std::pair<std::string, std::string>> keys;
  auto text = [&](StringRef name) {
    const Value &value = *full.find(name);
    if (auto *flag = std::get_if<bool>(&value); flag && python)
      return std::string(*flag ? "True" : "False");
    return toText(value);
  };
  std::vector<std::string> done;
  for (const Parameter &parameter : space.parameters) {
    std::string list = StringRef(parameter.name).rsplit('.').first.str();
    size_t length = listLength(space, list);
    if (length == 0 || space.find(list)) {
      keys.emplace_back(parameter.name, text(parameter.name));
      continue;
    }
    if (llvm::is_contained(done, list))
      continue;
    done.push_back(list);
    std::string items;
    for (size_t i = 0; i < length; ++i)
      items += (i ? ", " : "") + text(list + "." + std::to_string(i));
    keys.emplace_back(list, "[" + items + "]");
  }
  return keys;
}

std::string helionc::tuning::toHelionJson(const Config &config, const ConfigSpace &space) {
  std::string text = "{";
  for (const auto &[key, value] : collectKeys(config, space, /*python=*/false))
    text += (text.size() == 1 ? "\"" : ", \"") + key + "\": " + value;
  return text + "}";
}

std::string helionc::tuning::toHelionLine(const Config &config, const ConfigSpace &space) {
  std::string text = "helion.Config(";
  bool isFirst = true;
  for (const auto &[key, value] : collectKeys(config, space, /*python=*/true)) {
    text += (isFirst ? "" : ", ") + key + "=" + value;
    isFirst = false;
  }
  return text + ")";
}

json::Value helionc::tuning::toJson(const Value &value) {
  if (auto *integer = std::get_if<int64_t>(&value))
    return *integer;
  if (auto *flag = std::get_if<bool>(&value))
    return *flag;
  if (auto *text = std::get_if<std::string>(&value))
    return json::isUTF8(*text) ? *text : json::fixUTF8(*text);
  json::Array array;
  for (int64_t item : std::get<std::vector<int64_t>>(value))
    array.push_back(item);
  return array;
}

json::Value helionc::tuning::toJson(const Config &config) {
  json::Object object;
  for (const auto &[name, value] : config.values())
    object[json::isUTF8(name) ? name : json::fixUTF8(name)] = toJson(value);
  return object;
}
