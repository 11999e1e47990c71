//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The language models there are, and how one is chosen.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_MODELS_H
#define HELIONC_AUTOTUNE_LLM_MODELS_H

#include "helionc/Autotune/LLM/HttpClient.h"
#include "helionc/Autotune/LLM/KernelFacts.h"
#include "helionc/Autotune/LLM/LanguageModel.h"
#include "helionc/Tuning/ConfigSpace.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace helionc::autotune {

/// Which model answers.
struct ModelChoice {
  /// "offline", "openai", "anthropic", "cmd" or "replay".
  std::string provider = "offline";
  /// The command line of "cmd", the file of "replay".
  std::string argument;
  std::string model, apiKey, apiBase, caBundle;
  /// Nobody named a provider: the embedded expert stands in, and the driver says so in one line.
  bool isFallback = false;
};

/// Reads the choice from the text of --llm, else from HELIONC_LLM_PROVIDER; a model, a key and a base from
/// HELIONC_LLM_MODEL, HELIONC_LLM_API_KEY (else OPENAI_API_KEY or ANTHROPIC_API_KEY, for their own hosts only) and
/// HELIONC_LLM_API_BASE. A key alone chooses nothing. `flag` and the provider variable take: offline, openai[:MODEL],
/// anthropic[:MODEL], http(s)://HOST/v1[#MODEL] (Chat Completions), cmd:'PROGRAM ARGS', replay:FILE. `environment`
/// gives the value of a variable, null when it is not set.
llvm::Expected<ModelChoice> chooseModel(llvm::StringRef flag,
                                        llvm::function_ref<const char *(const char *)> environment);

/// Makes the model. An error is a configuration fault. `space` outlives it.
llvm::Expected<std::unique_ptr<LanguageModel>> createModel(const ModelChoice &choice, const tuning::ConfigSpace &space,
                                                           const KernelFacts &facts);

/// Chat Completions as OpenAI, vLLM, llama.cpp's server and Ollama speak it. `base` ends before /chat/completions.
std::unique_ptr<LanguageModel> createOpenAIChat(std::unique_ptr<HttpClient> client, std::string base, std::string model,
                                                std::string key);
/// Anthropic's Messages. `base` ends before /messages.
std::unique_ptr<LanguageModel> createAnthropicMessages(std::unique_ptr<HttpClient> client, std::string base,
                                                       std::string model, std::string key);
/// A program: the prompt on its standard input, the reply on its standard output. On a time-out its whole process group
/// is killed.
std::unique_ptr<LanguageModel> createCommandModel(std::string commandLine);
/// The replies of a transcript, one after the other.
llvm::Expected<std::unique_ptr<LanguageModel>> createReplay(llvm::StringRef path);
/// The embedded expert, answering in the form of a model.
std::unique_ptr<LanguageModel> createOfflineModel(const tuning::ConfigSpace &space, KernelFacts facts);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_MODELS_H
