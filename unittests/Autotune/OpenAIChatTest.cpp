//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of the Chat Completions protocol against a local server with faults.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/Clock.h"
#include "helionc/Autotune/LLM/Models.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace helionc::autotune;
using llvm::StringRef;

namespace {

/// The server of test/Autotune/Inputs for one test.
class LLMServer {
public:
  explicit LLMServer(std::string script, std::string key = "sk-test-123456") : key(std::move(key)) {
    llvm::sys::fs::createUniqueDirectory("llm-server", folder);
    std::string program = HELIONC_AUTOTUNE_INPUTS "/llm_server.py", portFile = file("port"), log = file("log");
    child = ::fork();
    if (child == 0) {
      ::execlp("python3", "python3", program.c_str(), "--port-file", portFile.c_str(), "--script", script.c_str(),
               "--key", this->key.c_str(), "--log", log.c_str(), static_cast<char *>(nullptr));
      ::_exit(127);
    }
    for (int i = 0; i < 400 && port.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      if (auto buffer = llvm::MemoryBuffer::getFile(portFile))
        port = (*buffer)->getBuffer().str();
    }
  }
  ~LLMServer() {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    llvm::sys::fs::remove_directories(folder);
  }
  std::unique_ptr<LanguageModel> model(std::string otherKey = "") const {
    std::string error;
    std::unique_ptr<HttpClient> client = createCurlClient("", error);
    EXPECT_TRUE(client) << error;
    return createOpenAIChat(std::move(client), "http://127.0.0.1:" + port + "/v1/", "test-model",
                            otherKey.empty() ? key : otherKey);
  }
  std::string log() const {
    auto buffer = llvm::MemoryBuffer::getFile(file("log"));
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  std::string port, key;

private:
  std::string file(StringRef name) const {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  llvm::SmallString<128> folder;
  pid_t child = -1;
};

ModelReply ask(LanguageModel &model, double timeout = 10) {
  ModelRequest request;
  request.messages = {{"system", "be brief"}, {"user", "tune \xff this"}};
  request.timeoutSeconds = timeout;
  std::atomic<bool> cancel{false};
  return model.complete(request, cancel);
}

/// The fault's kind and text; the key must never be in it.
std::string fault(const std::string &script, double timeout = 10) {
  LLMServer server(script);
  ModelReply reply = ask(*server.model(), timeout);
  auto *fault = std::get_if<ModelFault>(&reply);
  if (!fault)
    return "a reply: " + std::get<Completion>(reply).text;
  EXPECT_FALSE(StringRef(fault->message).contains(server.key)) << fault->message;
  std::string text = fault->kind == ModelFault::Config ? "config: " : "passing: ";
  if (fault->retryAfterSeconds)
    text += "after " + std::to_string(int(*fault->retryAfterSeconds + 0.5)) + ": ";
  return text + StringRef(fault->message).split(" (http://127").first.str();
}

TEST(OpenAIChat, AsksAndReads) {
  LLMServer server("ok");
  ModelReply reply = ask(*server.model());
  ASSERT_TRUE(std::holds_alternative<Completion>(reply)) << std::get<ModelFault>(reply).message;
  auto &completion = std::get<Completion>(reply);
  EXPECT_TRUE(StringRef(completion.text).starts_with("{\"configs\""));
  EXPECT_EQ(completion.inputTokens, 120);
  EXPECT_EQ(completion.outputTokens, 30);
  EXPECT_GT(completion.seconds, 0);
  std::string log = server.log();
  EXPECT_TRUE(StringRef(log).contains("\"path\": \"/v1/chat/completions\""));
  EXPECT_TRUE(StringRef(log).contains("\"key\": \"Bearer sk-test-123456\""));
  EXPECT_TRUE(StringRef(log).contains("\"model\": \"test-model\""));
}

TEST(OpenAIChat, Faults) {
  EXPECT_EQ(fault("401"), "config: the endpoint refuses the key: HTTP 401");
  EXPECT_EQ(fault("404"), "config: the endpoint answered HTTP 404: the model does not exist");
  EXPECT_EQ(fault("429s"), "passing: after 1: the endpoint answered HTTP 429: slow down");
  EXPECT_TRUE(StringRef(fault("429d")).contains("passing: after "));
  EXPECT_EQ(fault("500"), "passing: the endpoint answered HTTP 500: it broke, your header was Bearer [key]");
  EXPECT_EQ(fault("503"), "passing: the endpoint answered HTTP 503: overloaded");
  EXPECT_TRUE(StringRef(fault("slow", 0.5)).starts_with("passing: the endpoint did not answer: "));
  EXPECT_TRUE(StringRef(fault("reset")).starts_with("passing: the endpoint did not answer: "));
  EXPECT_TRUE(StringRef(fault("garbage")).starts_with("passing: the endpoint's answer is not JSON: <html>"));
  EXPECT_EQ(fault("huge"), "passing: the endpoint did not answer: the reply is longer than 4194304 bytes");
  EXPECT_EQ(fault("empty"), "passing: the endpoint's answer has no text: {\"choices\": []}");
}

TEST(AnthropicMessages, AsksAndReads) {
  LLMServer server("ok,500");
  std::string error;
  std::unique_ptr<LanguageModel> model = createAnthropicMessages(
      createCurlClient("", error), "http://127.0.0.1:" + server.port + "/v1", "test-model", server.key);
  ModelReply reply = ask(*model);
  ASSERT_TRUE(std::holds_alternative<Completion>(reply)) << std::get<ModelFault>(reply).message;
  EXPECT_TRUE(StringRef(std::get<Completion>(reply).text).starts_with("{\"configs\""));
  EXPECT_EQ(std::get<Completion>(reply).outputTokens, 30);
  EXPECT_TRUE(StringRef(server.log()).contains("\"system\": \"be brief\""));
  reply = ask(*model);
  ASSERT_TRUE(std::holds_alternative<ModelFault>(reply));
  EXPECT_FALSE(StringRef(std::get<ModelFault>(reply).message).contains(server.key));
}

TEST(OpenAIChat, NeverFollowsARedirect) {
  LLMServer server("redirect,ok");
  ModelReply reply = ask(*server.model());
  ASSERT_TRUE(std::holds_alternative<ModelFault>(reply));
  EXPECT_EQ(std::get<ModelFault>(reply).kind, ModelFault::Config);
  EXPECT_FALSE(StringRef(server.log()).contains("elsewhere"));
}

TEST(OpenAIChat, ReadsTheFinishReason) {
  LLMServer server("cut,refusal,noformat");
  std::unique_ptr<LanguageModel> model = server.model();
  EXPECT_EQ(std::get<Completion>(ask(*model)).finish, FinishReason::Length);
  EXPECT_EQ(std::get<Completion>(ask(*model)).finish, FinishReason::Refused);
  ModelReply reply = ask(*model);
  ASSERT_TRUE(std::holds_alternative<Completion>(reply)) << "a refused field is left out";
}

TEST(OpenAIChat, ProbeTellsAFaultOfConfiguration) {
  std::atomic<bool> cancel{false};
  LLMServer server("ok");
  EXPECT_FALSE(server.model()->probe(cancel));
  std::optional<ModelFault> fault = server.model("sk-wrong-7890")->probe(cancel);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ModelFault::Config);
  EXPECT_FALSE(StringRef(fault->message).contains("sk-wrong"));
}

TEST(OpenAIChat, AnUnknownHostIsAFaultOfConfiguration) {
  std::string error;
  std::unique_ptr<LanguageModel> model =
      createOpenAIChat(createCurlClient("", error), "http://no-such-host.invalid/v1", "m", "sk-123456");
  std::atomic<bool> cancel{false};
  std::optional<ModelFault> fault = model->probe(cancel);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, ModelFault::Config);
}

TEST(OpenAIChat, CanBeCancelled) {
  LLMServer server("slow");
  std::unique_ptr<LanguageModel> model = server.model();
  std::atomic<bool> cancel{false};
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancel = true;
  });
  double begin = Clock::system().seconds();
  ModelRequest request;
  request.messages = {{"user", "hi"}};
  ModelReply reply = model->complete(request, cancel);
  stopper.join();
  EXPECT_EQ(std::get<ModelFault>(reply).kind, ModelFault::Cancelled);
  EXPECT_LT(Clock::system().seconds() - begin, 5);
}

} // namespace
