//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The Chat Completions protocol.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/Models.h"
#include "helionc/Autotune/LLM/Redaction.h"

#include "helionc/Autotune/Core/Clock.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/Support/raw_ostream.h"

#include <time.h>

using namespace helionc;
using namespace helionc::autotune;
namespace json = llvm::json;

namespace {

class OpenAIChat final : public LanguageModel {
public:
  OpenAIChat(std::unique_ptr<HttpClient> client, std::string base, std::string model, std::string key)
      : client(std::move(client)), base(llvm::StringRef(base).rtrim('/').str()), model(std::move(model)),
        key(std::move(key)) {
    usesCompletionTokens = llvm::StringRef(this->base).contains("api.openai.com");
  }
  std::string name() const override { return model; }
  std::optional<ModelFault> probe(const std::atomic<bool> &cancel) override;
  ModelReply complete(const ModelRequest &request, const std::atomic<bool> &cancel) override;

private:
  ModelReply ask(const ModelRequest &request, const std::atomic<bool> &cancel);
  std::string body(const ModelRequest &request) const;
  bool dropRefusedField(const HttpReply &reply);
  ModelFault fault(const HttpReply &reply) const;
  ModelReply decode(const std::string &body) const;
  std::string excerpt(const std::string &text) const;
  ModelFault passing(std::string message) const { return {ModelFault::Passing, std::move(message), std::nullopt}; }

  std::unique_ptr<HttpClient> client;
  std::string base, model, key;
  /// What the endpoint turned out to take.
  bool usesCompletionTokens = false, sendsTokenLimit = true, sendsFormat = true;
};

} // namespace

std::string OpenAIChat::body(const ModelRequest &request) const {
  json::Array messages;
  for (const Message &message : request.messages)
    messages.push_back(json::Object{
        {"role", message.role}, {"content", json::isUTF8(message.text) ? message.text : json::fixUTF8(message.text)}});
  json::Object object{{"model", model}, {"messages", std::move(messages)}};
  if (sendsTokenLimit)
    object[usesCompletionTokens ? "max_completion_tokens" : "max_tokens"] = request.maxOutputTokens;
  if (sendsFormat)
    object["response_format"] = json::Object{{"type", "json_object"}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object));
  return text;
}

/// A short, printable, key-free part of what the endpoint said.
std::string OpenAIChat::excerpt(const std::string &text) const {
  std::string message = text;
  if (llvm::Expected<json::Value> parsed = tuning::parseUntrustedJson(text)) {
    const json::Object *object = parsed->getAsObject();
    const json::Object *error = object ? object->getObject("error") : nullptr;
    if (std::optional<llvm::StringRef> said = error ? error->getString("message") : std::nullopt)
      message = said->str();
  } else {
    llvm::consumeError(parsed.takeError());
  }
  // Before it is cut: half a key is still a part of the key.
  message = redact(message, key);
  for (char &c : message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  constexpr size_t most = 200;
  return json::fixUTF8(llvm::StringRef(message).trim().take_front(most));
}

ModelFault OpenAIChat::fault(const HttpReply &reply) const {
  std::string where = " (" + redact(base, key) + ")";
  if (reply.transport == HttpReply::Cancelled)
    return {ModelFault::Cancelled, "cancelled", std::nullopt};
  if (reply.transport == HttpReply::Unreachable)
    return {ModelFault::Config, "the endpoint cannot be reached: " + reply.error + where, std::nullopt};
  if (reply.transport == HttpReply::Interrupted)
    return passing("the endpoint did not answer: " + reply.error + where);
  std::string code = "HTTP " + std::to_string(reply.status);
  if (reply.status == 401 || reply.status == 403)
    return {ModelFault::Config, "the endpoint refuses the key: " + code + where, std::nullopt};
  if (reply.status >= 300 && reply.status < 400)
    return {ModelFault::Config, "the endpoint redirects elsewhere, which is not followed: " + code + where,
            std::nullopt};
  ModelFault fault{ModelFault::Passing, "the endpoint answered " + code + ": " + excerpt(reply.body) + where,
                   std::nullopt};
  if (reply.status == 429 || reply.status >= 500 || reply.status == 408)
    fault.retryAfterSeconds = parseRetryAfter(reply.retryAfter, double(::time(nullptr)));
  else
    fault.kind = ModelFault::Config;
  return fault;
}

/// Some endpoints refuse a field that others need. True when a field was changed and asking again makes sense.
bool OpenAIChat::dropRefusedField(const HttpReply &reply) {
  if (reply.transport != HttpReply::Done || (reply.status != 400 && reply.status != 422))
    return false;
  llvm::StringRef text = reply.body;
  if (sendsFormat && text.contains("response_format")) {
    sendsFormat = false;
    return true;
  }
  if (sendsTokenLimit && !usesCompletionTokens && text.contains("max_completion_tokens")) {
    usesCompletionTokens = true;
    return true;
  }
  if (sendsTokenLimit && (text.contains("max_tokens") || text.contains("max_completion_tokens"))) {
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

ModelReply OpenAIChat::decode(const std::string &body) const {
  llvm::Expected<json::Value> parsed = tuning::parseUntrustedJson(body, /*maxBytes=*/4 << 20);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return passing("the endpoint's answer is not JSON: " + excerpt(body));
  }
  const json::Object *object = parsed->getAsObject();
  const json::Array *choices = object ? object->getArray("choices") : nullptr;
  const json::Object *choice = choices && !choices->empty() ? choices->front().getAsObject() : nullptr;
  const json::Object *message = choice ? choice->getObject("message") : nullptr;
  if (!message)
    return passing("the endpoint's answer has no choices: " + excerpt(body));
  Completion completion;
  completion.text = message->getString("content").value_or("").str();
  completion.finish = finishReason(choice->getString("finish_reason").value_or("stop"));
  if (completion.text.empty())
    if (std::optional<llvm::StringRef> refusal = message->getString("refusal")) {
      completion.finish = FinishReason::Refused;
      completion.text = refusal->str();
    }
  if (const json::Object *usage = object->getObject("usage")) {
    completion.inputTokens = std::max<int64_t>(0, usage->getInteger("prompt_tokens").value_or(0));
    completion.outputTokens = std::max<int64_t>(0, usage->getInteger("completion_tokens").value_or(0));
  }
  completion.text = redact(completion.text, key);
  return completion;
}

ModelReply OpenAIChat::ask(const ModelRequest &request, const std::atomic<bool> &cancel) {
  HttpRequest http;
  http.url = base + "/chat/completions";
  http.headers = {"Content-Type: application/json", "Accept: application/json"};
  if (!key.empty())
    http.headers.push_back("Authorization: Bearer " + key);
  http.timeoutSeconds = request.timeoutSeconds;
  constexpr int maxTries = 3;
  HttpReply reply;
  for (int attempt = 0; attempt < maxTries; ++attempt) {
    http.body = body(request);
    reply = client->post(http, cancel);
    if (!dropRefusedField(reply))
      break;
  }
  if (reply.transport != HttpReply::Done || reply.status != 200)
    return fault(reply);
  return decode(reply.body);
}

ModelReply OpenAIChat::complete(const ModelRequest &request, const std::atomic<bool> &cancel) {
  double begin = Clock::system().seconds();
  ModelReply reply = ask(request, cancel);
  if (auto *completion = std::get_if<Completion>(&reply))
    completion->seconds = Clock::system().seconds() - begin;
  return reply;
}

std::optional<ModelFault> OpenAIChat::probe(const std::atomic<bool> &cancel) {
  ModelRequest tiny;
  tiny.messages = {{"user", "Answer with the JSON object {\"ready\": true}."}};
  tiny.maxOutputTokens = 64;
  tiny.timeoutSeconds = 30;
  ModelReply reply = ask(tiny, cancel);
  if (auto *fault = std::get_if<ModelFault>(&reply))
    return *fault;
  return std::nullopt;
}

std::unique_ptr<LanguageModel> helionc::autotune::createOpenAIChat(std::unique_ptr<HttpClient> client, std::string base,
                                                                   std::string model, std::string key) {
  return std::make_unique<OpenAIChat>(std::move(client), std::move(base), std::move(model), std::move(key));
}
