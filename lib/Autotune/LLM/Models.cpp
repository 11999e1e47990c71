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

static llvm::Error readProvider(StringRef text, ModelChoice &choice) {
  if (text == "offline") {
    choice.provider = "offline";
  } else if (text == "openai" || text.starts_with("openai:")) {
    choice.provider = "openai";
    if (StringRef model = text.split(':').second; !model.empty())
      choice.model = model.str();
  } else if (text.starts_with("http://") || text.starts_with("https://")) {
    choice.provider = "openai";
    auto [base, model] = text.split('#');
    choice.apiBase = base.str();
    if (!model.empty())
      choice.model = model.str();
  } else if (text.starts_with("cmd:") || text.starts_with("replay:")) {
    choice.provider = text.split(':').first.str();
    choice.argument = text.split(':').second.str();
    if (choice.argument.empty())
      return llvm::createStringError("'" + text + "' names no " +
                                     (choice.provider == "cmd" ? "program" : "transcript"));
  } else {
    return llvm::createStringError(
        "unknown provider '" + text +
        "'; there are offline, openai, openai:MODEL, https://HOST/v1#MODEL, cmd:'PROGRAM ARGS' and replay:FILE");
  }
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
  if (choice.provider != "openai")
    return choice;
  bool isOpenAI = choice.apiBase.empty();
  if (isOpenAI)
    choice.apiBase = "https://api.openai.com/v1";
  // OpenAI's own key goes to OpenAI only.
  if (choice.apiKey.empty() && StringRef(choice.apiBase).starts_with("https://api.openai.com/"))
    choice.apiKey = variable("OPENAI_API_KEY");
  if (choice.model.empty())
    return llvm::createStringError("no model is named; set HELIONC_LLM_MODEL or write --llm=openai:MODEL");
  if (isOpenAI && choice.apiKey.empty())
    return llvm::createStringError("no key is set; set HELIONC_LLM_API_KEY or OPENAI_API_KEY");
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
  return createOpenAIChat(std::move(client), choice.apiBase, choice.model, choice.apiKey);
}
