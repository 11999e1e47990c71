//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Chooses and makes language models; the transcript and the embedded expert as models.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/Models.h"

#include "helionc/Autotune/LLM/OfflineExpert.h"
#include "helionc/Autotune/LLM/Transcript.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::autotune;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

class OfflineModel final : public LanguageModel {
public:
  OfflineModel(const tuning::ConfigSpace &space, KernelFacts facts) : expert(space, std::move(facts)) {}
  std::string name() const override { return "embedded expert"; }
  bool isLanguageModel() const override { return false; }
  bool isInstant() const override { return true; }
  ModelReply complete(const ModelRequest &request, const std::atomic<bool> &) override {
    json::Array configs;
    for (const Proposal &proposal : expert.propose(request.observations, request.count)) {
      json::Value config = tuning::toJson(proposal.config);
      (*config.getAsObject())["rationale"] = proposal.rationale;
      configs.push_back(std::move(config));
    }
    Completion completion;
    llvm::raw_string_ostream(completion.text) << json::Value(json::Object{{"configs", std::move(configs)}});
    return completion;
  }

private:
  OfflineExpert expert;
};

class Replay final : public LanguageModel {
public:
  explicit Replay(std::vector<TranscriptEntry> entries) : entries(std::move(entries)) {}
  std::string name() const override { return (entries.empty() ? "" : entries.front().model) + " (replayed)"; }
  bool isLanguageModel() const override { return !entries.empty() && entries.front().isLanguageModel; }
  bool isInstant() const override { return true; }
  ModelReply complete(const ModelRequest &, const std::atomic<bool> &) override {
    if (next >= entries.size())
      return ModelFault{ModelFault::Config, "the transcript has no further reply", std::nullopt};
    return entries[next++].reply;
  }

private:
  std::vector<TranscriptEntry> entries;
  size_t next = 0;
};

} // namespace

std::unique_ptr<LanguageModel> helionc::autotune::createOfflineModel(const tuning::ConfigSpace &space,
                                                                     KernelFacts facts) {
  return std::make_unique<OfflineModel>(space, std::move(facts));
}

llvm::Expected<std::unique_ptr<LanguageModel>> helionc::autotune::createReplay(StringRef path) {
  llvm::Expected<std::vector<TranscriptEntry>> entries = readTranscript(path);
  if (!entries)
    return entries.takeError();
  if (entries->empty())
    return llvm::createStringError("the transcript '" + path + "' is empty");
  return std::make_unique<Replay>(std::move(*entries));
}

namespace {
/// A service with an address of its own.
struct Service {
  llvm::StringLiteral provider, base, keyVariable;
};
} // namespace

static constexpr Service services[] = {{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY"},
                                       {"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"}};

static llvm::Error readProvider(StringRef text, ModelChoice &choice) {
  auto [head, tail] = text.split(':');
  if (text.starts_with("http://") || text.starts_with("https://")) {
    auto [base, model] = text.split('#');
    choice.provider = "openai";
    choice.apiBase = base.str();
    if (!model.empty())
      choice.model = model.str();
  } else if (text == "offline") {
    choice.provider = "offline";
  } else if (head == "openai" || head == "anthropic") {
    choice.provider = head.str();
    if (!tail.empty())
      choice.model = tail.str();
  } else if (head == "cmd" || head == "replay") {
    choice.provider = head.str();
    choice.argument = tail.str();
    if (tail.empty())
      return llvm::createStringError("'" + text + "' names no " + (head == "cmd" ? "program" : "transcript"));
  } else {
    return llvm::createStringError("unknown provider '" + text +
                                   "'; there are offline, openai:MODEL, anthropic:MODEL, https://HOST/v1#MODEL, "
                                   "cmd:'PROGRAM ARGS' and replay:FILE");
  }
  return llvm::Error::success();
}

/// Fills in a service's address and key. Its own key goes to its own address only.
static llvm::Error completeService(const Service &service, llvm::function_ref<std::string(const char *)> variable,
                                   ModelChoice &choice) {
  if (choice.apiBase.empty())
    choice.apiBase = service.base.str();
  bool isOwnHost = StringRef(choice.apiBase).rtrim('/') == service.base;
  if (choice.apiKey.empty() && isOwnHost)
    choice.apiKey = variable(service.keyVariable.data());
  if (choice.model.empty())
    return llvm::createStringError("no model is named; set HELIONC_LLM_MODEL or write --llm=" + choice.provider +
                                   ":MODEL");
  if (isOwnHost && choice.apiKey.empty())
    return llvm::createStringError("no key is set; set HELIONC_LLM_API_KEY or " + service.keyVariable);
  return llvm::Error::success();
}

llvm::Expected<ModelChoice> helionc::autotune::chooseModel(StringRef flag,
                                                           llvm::function_ref<const char *(const char *)> environment) {
  auto variable = [&](const char *name) {
    const char *value = environment(name);
    return StringRef(value ? value : "").trim().str();
  };
  ModelChoice choice;
  choice.model = variable("HELIONC_LLM_MODEL");
  choice.apiKey = variable("HELIONC_LLM_API_KEY");
  choice.apiBase = variable("HELIONC_LLM_API_BASE");
  choice.caBundle = variable("HELIONC_LLM_CA_BUNDLE");
  std::string named = flag.empty() ? variable("HELIONC_LLM_PROVIDER") : flag.str();
  choice.isFallback = named.empty();
  if (named.empty())
    return choice;
  if (llvm::Error error = readProvider(named, choice))
    return std::move(error);
  for (const Service &service : services)
    if (choice.provider == service.provider)
      if (llvm::Error error = completeService(service, variable, choice))
        return std::move(error);
  return choice;
}

llvm::Expected<std::unique_ptr<LanguageModel>>
helionc::autotune::createModel(const ModelChoice &choice, const tuning::ConfigSpace &space, const KernelFacts &facts) {
  if (choice.provider == "offline")
    return createOfflineModel(space, facts);
  if (choice.provider == "cmd")
    return createCommandModel(choice.argument);
  if (choice.provider == "replay")
    return createReplay(choice.argument);
  std::string error;
  std::unique_ptr<HttpClient> client = createCurlClient(choice.caBundle, error);
  if (!client)
    return llvm::createStringError(error);
  if (choice.provider == "anthropic")
    return createAnthropicMessages(std::move(client), choice.apiBase, choice.model, choice.apiKey);
  return createOpenAIChat(std::move(client), choice.apiBase, choice.model, choice.apiKey);
}
