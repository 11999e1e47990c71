//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The conversation: first request, refinement, repair, and what happens when nobody answers.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Search/LLMSearch.h"

#include "helionc/Autotune/LLM/ReplyParser.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace helionc;
using namespace helionc::autotune;

/// How often in a row an unusable answer is asked for again.
static constexpr size_t maxRepairs = 2;

LLMSearch::LLMSearch(const tuning::ConfigSpace &space, std::unique_ptr<LanguageModel> givenModel, PromptFacts facts,
                     LLMSearchOptions givenOptions, std::unique_ptr<TranscriptWriter> transcript)
    : space(space), model(std::move(givenModel)), renderer(space, std::move(facts)), options(std::move(givenOptions)),
      transcript(std::move(transcript)), strategyName(model->isLanguageModel() ? "llm" : "embedded expert"),
      random(options.seed), fallback(space, options.seed) {
  used.model = model->name();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void LLMSearch::run(ModelRequest request) {
  bool isInstant = model->isInstant();
  auto sleep = [&](double seconds) {
    if (!isInstant)
      sleepUnlessCancelled(seconds, cancelled);
  };
  ModelReply result = completeWithRetries(*model, request, options.retry, random, cancelled, sleep);
  std::lock_guard<std::mutex> lock(mutex);
  reply = std::move(result);
  isDone = true;
  arrived.notify_all();
}

void LLMSearch::request(std::vector<Message> messages, size_t count) {
  if (thread.joinable())
    thread.join();
  conversation = messages;
  lastCount = count;
  ModelRequest request;
  request.messages = std::move(messages);
  request.count = count;
  request.observations = observations;
  request.timeoutSeconds = options.timeoutSeconds;
  isWaiting = true;
  isDone = false;
  ++used.requests;
  if (model->isInstant())
    run(std::move(request));
  else
    thread = std::thread([this, request = std::move(request)]() mutable { run(std::move(request)); });
}

void LLMSearch::requestInitial() {
  request({{"system", renderer.system()}, {"user", renderer.initial(options.seeds, options.firstCount)}},
          options.firstCount);
}

void LLMSearch::requestRefinement() {
  std::vector<Message> messages = {{"system", renderer.system()},
                                   {"user", renderer.initial(options.seeds, options.firstCount)}};
  if (!lastReply.empty())
    messages.push_back({"assistant", lastReply});
  messages.push_back({"user", renderer.refine(observations, refusals, options.laterCount)});
  request(std::move(messages), options.laterCount);
}

bool LLMSearch::requestRepair() {
  if (repairs >= maxRepairs || isOverTokenBudget() || model->isInstant())
    return false;
  ++repairs;
  std::vector<Message> messages = conversation;
  if (!lastReply.empty())
    messages.push_back({"assistant", lastReply});
  messages.push_back({"user", renderer.repair(refusals, lastCount)});
  request(std::move(messages), lastCount);
  return true;
}

bool LLMSearch::isOverTokenBudget() const {
  return options.maxTokens > 0 && used.inputTokens + used.outputTokens >= options.maxTokens;
}

//===----------------------------------------------------------------------===//
// Replies
//===----------------------------------------------------------------------===//

void LLMSearch::giveUp(const std::string &why) {
  hasGivenUp = true;
  remarks.push_back(why + "; went on with a pattern search");
}

void LLMSearch::takeCompletion(const Completion &completion) {
  used.hasAnswered |= model->isLanguageModel();
  used.inputTokens += completion.inputTokens;
  used.outputTokens += completion.outputTokens;
  used.seconds += completion.seconds;
  constexpr size_t keptBytes = 8 << 10;
  lastReply = llvm::json::fixUTF8(llvm::StringRef(completion.text).take_front(keptBytes));
  ParsedReply parsed = parseReply(completion.text, space, strategyName);
  refusals = parsed.refusals;
  if (completion.finish == FinishReason::Refused)
    refusals.push_back("the model declined to answer");
  if (completion.finish == FinishReason::Length && !parsed.wasCut)
    refusals.push_back("the answer reached the length limit: answer more briefly");
  for (Proposal &proposal : parsed.proposals) {
    if (tried.insert(proposal.config).second)
      queue.push_back(std::move(proposal));
    else
      refusals.push_back(space.diffFromDefault(proposal.config).toText() + ": was tried already");
  }
  if (!queue.empty())
    repairs = 0;
}

void LLMSearch::takeReply() {
  ModelReply result = *std::exchange(reply, std::nullopt);
  isWaiting = false;
  if (transcript) {
    TranscriptEntry entry{model->name(), model->isLanguageModel(), conversation, result};
    if (llvm::Error error = transcript->append(entry)) {
      remarks.push_back(llvm::toString(std::move(error)));
      transcript = nullptr;
    }
  }
  if (auto *fault = std::get_if<ModelFault>(&result)) {
    // A transcript that has ended says nothing more; an endpoint that fails is replaced.
    if (fault->kind == ModelFault::Cancelled || model->isInstant())
      isOver = true;
    else
      giveUp("the model stopped answering: " + fault->message);
    return;
  }
  takeCompletion(std::get<Completion>(result));
  if (!queue.empty())
    return;
  if (requestRepair())
    return;
  isOver = true;
  if (!model->isInstant())
    remarks.push_back("the model had nothing new to propose");
}

//===----------------------------------------------------------------------===//
// The strategy
//===----------------------------------------------------------------------===//

llvm::Error LLMSearch::begin() {
  if (std::optional<ModelFault> fault = model->probe(options.cancel ? *options.cancel : cancelled))
    if (fault->kind == ModelFault::Config)
      return llvm::createStringError(fault->message);
  for (const Proposal &seed : options.seeds)
    tried.insert(space.complete(seed.config));
  tried.insert(space.defaultConfig());
  requestInitial();
  return llvm::Error::success();
}

bool LLMSearch::waitUntilReady(double seconds) {
  if (!isWaiting)
    return true;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (!arrived.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return isDone; }))
      return false;
  }
  takeReply();
  return !isWaiting;
}

std::vector<Proposal> LLMSearch::propose(size_t count) {
  while (!waitUntilReady(0.2))
    if (cancelled.load())
      return {};
  if (queue.empty() && hasGivenUp)
    return fallback.propose(count);
  size_t taken = std::min(count, queue.size());
  std::vector<Proposal> proposals(queue.begin(), queue.begin() + taken);
  queue.erase(queue.begin(), queue.begin() + taken);
  return proposals;
}

void LLMSearch::observe(llvm::ArrayRef<Observation> results) {
  observations.insert(observations.end(), results.begin(), results.end());
  fallback.observe(results);
  bool isOwnRound = false;
  for (const Observation &result : results) {
    tried.insert(space.complete(result.config));
    isOwnRound |= result.origin == strategyName;
  }
  // What others measured meanwhile need not be measured again.
  llvm::erase_if(queue, [&](const Proposal &proposal) {
    return llvm::any_of(results, [&](const Observation &result) { return result.config == proposal.config; });
  });
  if (!isOwnRound || isWaiting || !queue.empty() || hasGivenUp || isOver)
    return;
  if (isOverTokenBudget()) {
    isOver = true;
    remarks.push_back("the token budget is used up");
    return;
  }
  requestRefinement();
}

void LLMSearch::cancel() {
  cancelled.store(true);
  if (thread.joinable())
    thread.join();
}
