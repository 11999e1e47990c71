//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The Anthropic Messages protocol.
//===----------------------------------------------------------------------===//
#include "HttpModel.h"

using namespace helionc::autotune;
namespace json = llvm::json;

namespace {

class AnthropicMessages final : public HttpModel {
public:
  using HttpModel::HttpModel;

protected:
  std::string path() const override { return "/messages"; }
  std::vector<std::string> keyHeaders() const override {
    return {"x-api-key: " + key, "anthropic-version: 2023-06-01"};
  }
  json::Object body(const ModelRequest &request) const override;
  std::optional<Completion> decode(const json::Object &answer) const override;
};

} // namespace

json::Object AnthropicMessages::body(const ModelRequest &request) const {
  json::Array messages;
  std::string system;
  for (const Message &message : request.messages) {
    if (message.role == "system")
      system += message.text;
    else
      messages.push_back(json::Object{{"role", message.role}, {"content", jsonText(message.text)}});
  }
  json::Object object{{"model", model}, {"max_tokens", request.maxOutputTokens}, {"messages", std::move(messages)}};
  if (!system.empty())
    object["system"] = jsonText(system);
  return object;
}

static FinishReason finishReason(llvm::StringRef text) {
  if (text == "end_turn" || text == "stop_sequence")
    return FinishReason::Stop;
  if (text == "max_tokens")
    return FinishReason::Length;
  return text == "refusal" ? FinishReason::Refused : FinishReason::Other;
}

std::optional<Completion> AnthropicMessages::decode(const json::Object &answer) const {
  const json::Array *content = answer.getArray("content");
  if (!content)
    return std::nullopt;
  Completion completion;
  for (const json::Value &block : *content)
    if (const json::Object *object = block.getAsObject(); object && object->getString("type") == "text")
      completion.text += object->getString("text").value_or("").str();
  completion.finish = finishReason(answer.getString("stop_reason").value_or("end_turn"));
  if (const json::Object *usage = answer.getObject("usage")) {
    completion.inputTokens = std::max<int64_t>(0, usage->getInteger("input_tokens").value_or(0));
    completion.outputTokens = std::max<int64_t>(0, usage->getInteger("output_tokens").value_or(0));
  }
  return completion;
}

std::unique_ptr<LanguageModel> helionc::autotune::createAnthropicMessages(std::unique_ptr<HttpClient> client,
                                                                          std::string base, std::string model,
                                                                          std::string key) {
  return std::make_unique<AnthropicMessages>(std::move(client), std::move(base), std::move(model), std::move(key));
}
