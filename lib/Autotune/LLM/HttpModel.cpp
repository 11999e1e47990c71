//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Posting, faults and the key, for every protocol.
//===----------------------------------------------------------------------===//
#include "HttpModel.h"

#include "helionc/Autotune/Core/Clock.h"
#include "helionc/Autotune/LLM/Redaction.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/Support/raw_ostream.h"

#include <time.h>

using namespace helionc;
using namespace helionc::autotune;
namespace json = llvm::json;

/// A longer answer is refused.
static constexpr size_t maxAnswerBytes = 4 << 20;

std::string helionc::autotune::jsonText(const std::string &text) {
  return json::isUTF8(text) ? text : json::fixUTF8(text);
}

HttpModel::HttpModel(std::unique_ptr<HttpClient> client, std::string base, std::string model, std::string key)
    : base(llvm::StringRef(base).rtrim('/').str()), model(std::move(model)), key(std::move(key)),
      client(std::move(client)) {}

/// A short, printable, key-free part of what the endpoint said.
std::string HttpModel::excerpt(const std::string &answer) const {
  std::string message = answer;
  if (llvm::Expected<json::Value> parsed = tuning::parseUntrustedJson(answer)) {
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

ModelFault HttpModel::fault(const HttpReply &reply) const {
  std::string where = " (" + redact(base, key) + ")";
  auto make = [&](ModelFault::Kind kind, const std::string &text) {
    return ModelFault{kind, text + where, std::nullopt};
  };
  if (reply.transport == HttpReply::Cancelled)
    return make(ModelFault::Cancelled, "cancelled");
  if (reply.transport == HttpReply::Unreachable)
    return make(ModelFault::Config, "the endpoint cannot be reached: " + reply.error);
  if (reply.transport == HttpReply::Interrupted)
    return make(ModelFault::Passing, "the endpoint did not answer: " + reply.error);
  std::string code = "HTTP " + std::to_string(reply.status);
  if (reply.status == 401 || reply.status == 403)
    return make(ModelFault::Config, "the endpoint refuses the key: " + code);
  if (reply.status >= 300 && reply.status < 400)
    return make(ModelFault::Config, "the endpoint redirects elsewhere, which is not followed: " + code);
  bool isPassing = reply.status == 429 || reply.status >= 500 || reply.status == 408;
  ModelFault fault = make(isPassing ? ModelFault::Passing : ModelFault::Config,
                          "the endpoint answered " + code + ": " + excerpt(reply.body));
  if (isPassing)
    fault.retryAfterSeconds = parseRetryAfter(reply.retryAfter, double(::time(nullptr)));
  return fault;
}

ModelReply HttpModel::read(const std::string &answer) const {
  llvm::Expected<json::Value> parsed = tuning::parseUntrustedJson(answer, maxAnswerBytes);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return ModelFault{ModelFault::Passing, "the endpoint's answer is not JSON: " + excerpt(answer), std::nullopt};
  }
  const json::Object *object = parsed->getAsObject();
  std::optional<Completion> completion = object ? decode(*object) : std::nullopt;
  if (!completion)
    return ModelFault{ModelFault::Passing, "the endpoint's answer has no text: " + excerpt(answer), std::nullopt};
  completion->text = redact(completion->text, key);
  return *completion;
}

ModelReply HttpModel::ask(const ModelRequest &request, const std::atomic<bool> &cancel) {
  HttpRequest http;
  http.url = base + path();
  http.headers = {"Content-Type: application/json", "Accept: application/json"};
  if (!key.empty())
    for (std::string &header : keyHeaders())
      http.headers.push_back(std::move(header));
  http.timeoutSeconds = request.timeoutSeconds;
  http.maxBytes = maxAnswerBytes;
  constexpr int maxTries = 3;
  HttpReply reply;
  for (int attempt = 0; attempt < maxTries; ++attempt) {
    http.body.clear();
    llvm::raw_string_ostream(http.body) << json::Value(body(request));
    reply = client->post(http, cancel);
    bool isRefused = reply.transport == HttpReply::Done && (reply.status == 400 || reply.status == 422);
    if (!isRefused || !dropRefusedField(reply.body))
      break;
  }
  if (reply.transport != HttpReply::Done || reply.status != 200)
    return fault(reply);
  return read(reply.body);
}

ModelReply HttpModel::complete(const ModelRequest &request, const std::atomic<bool> &cancel) {
  double begin = Clock::system().seconds();
  ModelReply reply = ask(request, cancel);
  if (auto *completion = std::get_if<Completion>(&reply))
    completion->seconds = Clock::system().seconds() - begin;
  return reply;
}

std::optional<ModelFault> HttpModel::probe(const std::atomic<bool> &cancel) {
  ModelRequest tiny;
  tiny.messages = {{"user", "Answer with the JSON object {\"ready\": true}."}};
  tiny.maxOutputTokens = 64;
  tiny.timeoutSeconds = 30;
  ModelReply reply = ask(tiny, cancel);
  if (auto *fault = std::get_if<ModelFault>(&reply))
    return *fault;
  return std::nullopt;
}
