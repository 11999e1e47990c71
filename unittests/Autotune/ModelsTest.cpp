//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of choosing models, programs as models, transcripts, retries, redaction.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include "helionc/Autotune/LLM/Models.h"
#include "helionc/Autotune/LLM/Redaction.h"
#include "helionc/Autotune/LLM/ReplyParser.h"
#include "helionc/Autotune/LLM/Retry.h"
#include "helionc/Autotune/LLM/Transcript.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <deque>

using namespace helionc;
using namespace helionc::autotune;
using llvm::StringRef;

namespace {

using Variables = std::map<std::string, std::string>;

llvm::Expected<ModelChoice> choose(StringRef flag, const Variables &variables) {
  return chooseModel(flag, [&](const char *name) {
    auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

std::string chooseError(StringRef flag, const Variables &variables = {}) {
  auto choice = choose(flag, variables);
  return choice ? "ok" : llvm::toString(choice.takeError());
}

TEST(ChooseModel, AKeyAloneSendsNothing) {
  ModelChoice choice = llvm::cantFail(
      choose("", {{"OPENAI_API_KEY", "sk-1"}, {"HELIONC_LLM_API_KEY", "sk-2"}, {"ANTHROPIC_API_KEY", "ak"}}));
  EXPECT_EQ(choice.provider, "offline");
  EXPECT_TRUE(choice.isFallback);
}

TEST(ChooseModel, Forms) {
  ModelChoice choice = llvm::cantFail(choose("openai:gpt-x", {{"OPENAI_API_KEY", " sk-1\n"}}));
  EXPECT_EQ(choice.provider + " " + choice.model + " " + choice.apiKey, "openai gpt-x sk-1");
  EXPECT_EQ(choice.apiBase, "https://api.openai.com/v1");
  choice = llvm::cantFail(choose("http://localhost:8000/v1#llama", {{"OPENAI_API_KEY", "sk-1"}}));
  EXPECT_EQ(choice.apiBase + " " + choice.model, "http://localhost:8000/v1 llama");
  EXPECT_EQ(choice.apiKey, "") << "another host's key must not be sent";
  choice = llvm::cantFail(choose("anthropic:c", {{"ANTHROPIC_API_KEY", "ak"}, {"OPENAI_API_KEY", "sk"}}));
  EXPECT_EQ(choice.apiBase + " " + choice.model + " " + choice.apiKey, "https://api.anthropic.com/v1 c ak");
  choice = llvm::cantFail(choose("cmd:ask 'a b'", {}));
  EXPECT_EQ(choice.provider + "|" + choice.argument, "cmd|ask 'a b'");
  choice = llvm::cantFail(choose("", {{"HELIONC_LLM_PROVIDER", "replay:log.jsonl"}}));
  EXPECT_EQ(choice.provider + "|" + choice.argument, "replay|log.jsonl");
  EXPECT_FALSE(choice.isFallback);
  EXPECT_EQ(llvm::cantFail(choose("offline", {{"HELIONC_LLM_PROVIDER", "openai"}})).provider, "offline");
}

TEST(ChooseModel, Errors) {
  EXPECT_TRUE(
      StringRef(chooseError("clippy")).starts_with("unknown provider 'clippy'; there are offline, openai:MODEL"));
  EXPECT_EQ(chooseError("openai"), "no model is named; set HELIONC_LLM_MODEL or write --llm=openai:MODEL");
  EXPECT_EQ(chooseError("openai:x"), "no key is set; set HELIONC_LLM_API_KEY or OPENAI_API_KEY");
  EXPECT_EQ(chooseError("cmd:"), "'cmd:' names no program");
  EXPECT_EQ(chooseError("replay:"), "'replay:' names no transcript");
}

TEST(Redaction, EveryForm) {
  std::string key = "sk-a/b+c\"d=1234567890";
  std::string text = "plain " + key +
                     " percent sk-a%2Fb%2Bc%22d%3D1234567890 lower sk-a%2fb%2bc%22d%3d1234567890 json "
                     "sk-a/b+c\\\"d=1234567890 slash sk-a\\/b+c\\\"d=1234567890";
  for (std::string before : {"", "u", "us", "user:"})
    text += " base64 " + llvm::encodeBase64(before + key + ":rest");
  std::string clean = redact(text, key);
  for (StringRef part : {"1234567890", "sk-a", "c2stYS9"})
    EXPECT_FALSE(StringRef(clean).contains(part)) << clean;
  EXPECT_EQ(redact("ab ab", "ab"), "ab ab");
  EXPECT_EQ(redact("nothing", ""), "nothing");
}

TEST(RetryAfter, BothForms) {
  EXPECT_EQ(parseRetryAfter("7", 0), 7.0);
  EXPECT_EQ(parseRetryAfter("Thu, 01 Jan 1970 00:01:40 GMT", 40), 60.0);
  EXPECT_EQ(parseRetryAfter("Thu, 01 Jan 1970 00:01:40 GMT", 4000), 0.0);
  EXPECT_EQ(parseRetryAfter("soon", 0), std::nullopt);
  EXPECT_EQ(parseRetryAfter("", 0), std::nullopt);
  EXPECT_EQ(parseRetryAfter("-3", 0), std::nullopt);
}

/// Gives its replies in turn.
class ScriptedModel final : public LanguageModel {
public:
  explicit ScriptedModel(std::deque<ModelReply> replies) : replies(std::move(replies)) {}
  std::string name() const override { return "scripted"; }
  ModelReply complete(const ModelRequest &, const std::atomic<bool> &) override {
    ++calls;
    ModelReply reply = replies.front();
    if (replies.size() > 1)
      replies.pop_front();
    return reply;
  }
  std::deque<ModelReply> replies;
  int calls = 0;
};

struct RetryRun {
  ModelReply run(ScriptedModel &model, RetryPolicy policy = {}) {
    std::mt19937_64 random(1);
    return completeWithRetries(model, {}, policy, random, cancel, [&](double seconds) { delays.push_back(seconds); });
  }
  std::atomic<bool> cancel{false};
  std::vector<double> delays;
};

TEST(Retry, BacksOffAndObeysRetryAfter) {
  ScriptedModel model({ModelFault{ModelFault::Passing, "500", std::nullopt},
                       ModelFault{ModelFault::Passing, "429", 9.0}, Completion{"hello"}});
  RetryRun run;
  ModelReply reply = run.run(model);
  ASSERT_TRUE(std::holds_alternative<Completion>(reply));
  ASSERT_EQ(run.delays.size(), 2u);
  EXPECT_GE(run.delays[0], 0.5);
  EXPECT_LE(run.delays[0], 1.0);
  EXPECT_EQ(run.delays[1], 9.0);
}

TEST(Retry, Ends) {
  ScriptedModel down({ModelFault{ModelFault::Passing, "500", std::nullopt}});
  RetryRun first;
  EXPECT_TRUE(std::holds_alternative<ModelFault>(first.run(down)));
  EXPECT_EQ(down.calls, 4);
  ScriptedModel refused({ModelFault{ModelFault::Config, "401", std::nullopt}});
  RetryRun second;
  second.run(refused);
  EXPECT_EQ(refused.calls, 1);
  ScriptedModel patient({ModelFault{ModelFault::Passing, "429", 3600.0}});
  RetryRun third;
  third.run(patient);
  EXPECT_EQ(patient.calls, 1) << "an hour is more than the budget";
}

ModelReply ask(std::string commandLine, double timeout = 10) {
  std::atomic<bool> cancel{false};
  ModelRequest request;
  request.messages = {{"system", "be brief"}, {"user", "hello"}};
  request.timeoutSeconds = timeout;
  return createCommandModel(std::move(commandLine))->complete(request, cancel);
}

std::string faultText(const ModelReply &reply) {
  auto *fault = std::get_if<ModelFault>(&reply);
  return fault ? (fault->kind == ModelFault::Config ? "config: " : "passing: ") + fault->message : "a reply";
}

TEST(CommandModel, ReadsAndWrites) {
  ModelReply reply = ask("cat");
  ASSERT_TRUE(std::holds_alternative<Completion>(reply));
  EXPECT_EQ(std::get<Completion>(reply).text, "be brief\n\nhello\n");
  EXPECT_EQ(std::get<Completion>(ask("sh -c 'echo \"a  b\"'")).text, "a  b\n");
  EXPECT_EQ(std::get<Completion>(ask("true")).text, "") << "a program that reads nothing";
}

TEST(CommandModel, Faults) {
  EXPECT_EQ(faultText(ask("/nonexistent/program")),
            "config: cannot run '/nonexistent/program': No such file or directory");
  EXPECT_EQ(faultText(ask("false")), "passing: 'false' exited with 1");
  EXPECT_EQ(faultText(ask("sh -c 'kill -9 $$'")), "passing: 'sh' was ended by signal 9");
  EXPECT_EQ(faultText(ask("")), "config: 'cmd:' names no program");
}

TEST(CommandModel, ATimeoutKillsTheWholeGroup) {
  double begin = Clock::system().seconds();
  EXPECT_EQ(faultText(ask("sh -c 'sleep 30 & sleep 30'", 0.3)), "passing: 'sh' did not answer in time");
  EXPECT_LT(Clock::system().seconds() - begin, 5);
}

class TranscriptTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("transcript", "jsonl", path)); }
  void TearDown() override { llvm::sys::fs::remove(path); }
  std::string content() { return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str(); }
  llvm::SmallString<128> path;
};

TEST_F(TranscriptTest, RoundTripWithoutTheKey) {
  TranscriptWriter writer = llvm::cantFail(TranscriptWriter::create(path, "sk-secret"));
  Completion completion{"my key is sk-secret", FinishReason::Length, 10, 20, 1.5};
  llvm::cantFail(writer.append({"gpt-x", true, {{"user", "hi sk-secret"}}, completion}));
  llvm::cantFail(
      writer.append({"gpt-x", true, {}, ModelFault{ModelFault::Passing, "429 for sk-secret", std::nullopt}}));
  EXPECT_FALSE(StringRef(content()).contains("sk-secret"));
  std::vector<TranscriptEntry> entries = llvm::cantFail(readTranscript(path));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].model, "gpt-x");
  EXPECT_EQ(entries[0].messages[0].text, "hi [key]");
  auto &again = std::get<Completion>(entries[0].reply);
  EXPECT_EQ(again.text, "my key is [key]");
  EXPECT_EQ(again.finish, FinishReason::Length);
  EXPECT_EQ(again.outputTokens, 20);
  EXPECT_EQ(std::get<ModelFault>(entries[1].reply).kind, ModelFault::Passing);
}

TEST_F(TranscriptTest, Errors) {
  EXPECT_TRUE(StringRef(llvm::toString(readTranscript("/nonexistent").takeError())).starts_with("cannot read"));
  EXPECT_TRUE(StringRef(llvm::toString(TranscriptWriter::create("/nonexistent/x", "").takeError()))
                  .starts_with("cannot write the transcript"));
  {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << "{\"reply\": \"x\"}\nnot json\n";
  }
  EXPECT_TRUE(StringRef(llvm::toString(readTranscript(path).takeError())).starts_with("line 2 of the transcript"));
}

TEST(OfflineModel, AnswersInTheFormOfAModel) {
  test::Landscape land = test::cpuMatmul(512, 512, 512);
  std::unique_ptr<LanguageModel> model = createOfflineModel(land.space, land.facts);
  EXPECT_FALSE(model->isLanguageModel());
  ModelRequest request;
  request.count = 7;
  std::atomic<bool> cancel{false};
  ModelReply reply = model->complete(request, cancel);
  ParsedReply parsed = parseReply(std::get<Completion>(reply).text, land.space, "embedded expert");
  EXPECT_EQ(parsed.proposals.size(), 7u);
  EXPECT_FALSE(parsed.wasSalvaged);
  EXPECT_TRUE(parsed.refusals.empty());
}

} // namespace
