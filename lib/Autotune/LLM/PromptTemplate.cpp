//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Prompt templates: header, placeholders, replacement.
//===----------------------------------------------------------------------===//
#include "EmbeddedPrompts.h"

#include "helionc/Autotune/LLM/PromptRenderer.h"

#include "llvm/ADT/STLExtras.h"

using namespace helionc::autotune;
using llvm::StringRef;

/// Calls `onText` and `onName` for the parts of `body` in turn. False when a `{{` is not closed.
static bool splitTemplate(StringRef body, llvm::function_ref<void(StringRef)> onText,
                          llvm::function_ref<void(StringRef)> onName) {
  while (true) {
    auto [text, rest] = body.split("{{");
    onText(text);
    if (text.size() == body.size())
      return true;
    size_t end = rest.find("}}");
    if (end == StringRef::npos)
      return false;
    onName(rest.take_front(end));
    body = rest.drop_front(end + 2);
  }
}

llvm::Expected<PromptTemplate> PromptTemplate::parse(StringRef text) {
  PromptTemplate result;
  auto [header, body] = text.split('\n');
  if (!header.consume_front("#! helionc prompt, version "))
    return llvm::createStringError("a prompt begins with '#! helionc prompt, version N; placeholders: …'");
  auto [version, list] = header.split("; placeholders: ");
  if (version.getAsInteger(10, result.versionNumber))
    return llvm::createStringError("the prompt's version '" + version + "' is not a number");
  llvm::SmallVector<StringRef> names;
  list.split(names, ", ", -1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    result.names.push_back(name.trim().str());
  result.body = body.str();
  std::vector<std::string> used;
  if (!splitTemplate(body, [](StringRef) {}, [&](StringRef name) { used.push_back(name.str()); }))
    return llvm::createStringError("the prompt has a '{{' that is not closed");
  for (const std::string &name : used)
    if (!llvm::is_contained(result.names, name))
      return llvm::createStringError("the prompt uses '" + name + "', which its header does not list");
  for (const std::string &name : result.names)
    if (!llvm::is_contained(used, name))
      return llvm::createStringError("the prompt lists '" + name + "', which it does not use");
  return result;
}

llvm::Expected<PromptTemplate> PromptTemplate::embedded(StringRef name) {
  StringRef text = embeddedPromptText(name);
  if (text.empty())
    return llvm::createStringError("there is no prompt called '" + name + "'");
  return parse(text);
}

llvm::Expected<std::string> PromptTemplate::render(const Values &values) const {
  for (const auto &[name, value] : values)
    if (!llvm::is_contained(names, name))
      return llvm::createStringError("the prompt does not use '" + name + "'");
  for (const std::string &name : names)
    if (!values.count(name))
      return llvm::createStringError("the prompt needs '" + name + "'");
  std::string text;
  splitTemplate(
      body, [&](StringRef part) { text += part; }, [&](StringRef name) { text += values.find(name.str())->second; });
  return text;
}
