//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The Chat Completions protocol.
//===----------------------------------------------------------------------===//
#include "HttpModel.h"

using namespace helionc::autotune;
namespace json = llvm::json;

namespace {

class OpenAIChat final : public HttpModel {
public:
  OpenAIChat(std::unique_ptr<HttpClient> client, std::string base, std::string model, std::string key)
      : HttpModel(std::move(client), std::move(base), std::move(model), std::move(key)),
        usesCompletionTokens(llvm::StringRef(this->base).contains("api.openai.com")) {}

protected:
  std::string path() const override { return "/chat/completions"; }
  std::vector<std::string> keyHeaders() const override { return {"Authorization: Bearer " + key}; }
  json::Object body(const ModelRequest &request) const override;
  std::optional<Completion> decode(const json::Object &answer) const override;
  bool dropRefusedField(llvm::StringRef answer) override;

private:
  /// What the endpoint turned out to take.
  bool usesCompletionTokens, sendsTokenLimit = true, sendsFormat = true;
};

} // namespace

json::Object OpenAIChat::body(const ModelRequest &request) const {
  json::Array messages;
  for (const Message &message : request.messages)
    messages.push_back(json::Object{{"role", message.role}, {"content", jsonText(message.text)}});
  json::Object object{{"model", model}, {"messages", std::move(messages)}};
  if (sendsTokenLimit)
    object[usesCompletionTokens ? "max_completion_tokens" : "max_tokens"] = request.maxOutputTokens;
  if (sendsFormat)
    object["response_format"] = json::Object{{"type", "json_object"}};
  return object;
}

bool OpenAIChat::dropRefusedField(llvm::StringRef answer) {
  if (sendsFormat && answer.contains("response_format")) {
    sendsFormat = false;
    return true;
  }
  if (sendsTokenLimit && !usesCompletionTokens && answer.contains("max_completion_tokens")) {
    usesCompletionTokens = true;
    return true;
  }
  if (sendsTokenLimit && (answer.contains("max_tokens") || answer.contains("max_completion_tokens"))) {
    sendsTokenLimit = false;
    return true;
  }
  return false;
}

static FinishReason finishReason(llvm::StringRef text) {
  if (text == "stop")
    return FinishReason::Stop;
  if (text == "length")
    return FinishReason::Length;
  return text == "content_filter" ? FinishReason::Refused : FinishReason::Other;
}

std::optional<Completion> OpenAIChat::decode(const json::Object &answer) const {
  const json::Array *choices = answer.getArray("choices");
  const json::Object *choice = choices && !choices->empty() ? choices->front().getAsObject() : nullptr;
  const json::Object *message = choice ? choice->getObject("message") : nullptr;
  if (!message)
    return std::nullopt;
  Completion completion;
  completion.text = message->getString("content").value_or("").str();
  completion.finish = finishReason(choice->getString("finish_reason").value_or("stop"));
  if (completion.text.empty())
    if (std::optional<llvm::StringRef> refusal = message->getString("refusal")) {
      completion.finish = FinishReason::Refused;
      completion.text = refusal->str();
    }
  if (const json::Object *usage = answer.getObject("usage")) {
    completion.inputTokens = std::max<int64_t>(0, usage->getInteger("prompt_tokens").value_or(0));
    completion.outputTokens = std::max<int64_t>(0, usage->getInteger("completion_tokens").value_or(0));
  }
  return completion;
}

std::unique_ptr<LanguageModel> helionc::autotune::createOpenAIChat(std::unique_ptr<HttpClient> client, std::string base,
                                                                   std::string model, std::string key) {
  return std::make_unique<OpenAIChat>(std::move(client), std::move(base), std::move(model), std::move(key));
}
