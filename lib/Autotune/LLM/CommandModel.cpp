//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A program as a language model.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/Models.h"

#include "helionc/Autotune/Core/Clock.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/StringSaver.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace helionc::autotune;

extern char **environ;

namespace {

/// A reply of more bytes is cut.
constexpr size_t maxReplyBytes = 4 << 20;

class CommandModel final : public LanguageModel {
public:
  explicit CommandModel(std::string commandLine);
  std::string name() const override { return arguments.empty() ? "cmd" : "cmd:" + arguments[0]; }
  std::optional<ModelFault> probe(const std::atomic<bool> &cancel) override;
  ModelReply complete(const ModelRequest &request, const std::atomic<bool> &cancel) override;

private:
  std::vector<std::string> arguments;
};

/// A program that runs: its process group and the end of the pipe that its output comes from.
struct Child {
  pid_t pid = -1;
  int output = -1;
  bool isGone = false;
  int status = 0;

  ~Child() {
    if (output >= 0)
      ::close(output);
    if (pid > 0 && !isGone) {
      ::kill(-pid, SIGKILL);
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    }
  }
  void wait() {
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
    isGone = true;
    // What it left running in the background ends with it.
    ::kill(-pid, SIGKILL);
  }
};

} // namespace

CommandModel::CommandModel(std::string commandLine) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *, 8> words;
  llvm::cl::TokenizeGNUCommandLine(commandLine, saver, words);
  arguments.assign(words.begin(), words.end());
}

/// The prompt as a file: a program that reads none of it cannot block or kill us.
static int promptFile(const std::string &text) {
  int file = ::memfd_create("prompt", MFD_CLOEXEC);
  for (size_t written = 0; file >= 0 && written < text.size();) {
    ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count <= 0) {
      ::close(file);
      return -1;
    }
    written += size_t(count);
  }
  if (file >= 0)
    ::lseek(file, 0, SEEK_SET);
  return file;
}

/// Starts the program in a process group of its own. The result is an errno, 0 when it runs.
static int spawn(const std::vector<std::string> &arguments, const std::string &prompt, Child &child) {
  int input = promptFile(prompt);
  int pipeEnds[2];
  if (input < 0 || ::pipe2(pipeEnds, O_CLOEXEC) != 0) {
    int error = errno;
    if (input >= 0)
      ::close(input);
    return error;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  int error = ::posix_spawnp(&child.pid, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(input);
  ::close(pipeEnds[1]);
  child.output = pipeEnds[0];
  if (error != 0)
    child.pid = -1;
  return error;
}

/// Reads until the program closes its output. Nothing when the time is up or somebody cancelled.
static std::optional<std::string> readAll(Child &child, double deadline, const std::atomic<bool> &cancel) {
  std::string text;
  char buffer[1 << 14];
  while (!cancel.load() && Clock::system().seconds() < deadline) {
    pollfd entry{child.output, POLLIN, 0};
    if (::poll(&entry, 1, /*timeout ms=*/50) <= 0)
      continue;
    ssize_t count = ::read(child.output, buffer, sizeof buffer);
    if (count == 0)
      return text;
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      return text;
    if (count > 0 && text.size() < maxReplyBytes)
      text.append(buffer, size_t(count));
  }
  return std::nullopt;
}

static std::string promptText(const std::vector<Message> &messages) {
  std::string text;
  for (const Message &message : messages)
    text += (text.empty() ? "" : "\n\n") + (message.role == "assistant" ? "Your answer was:\n" : std::string()) +
            message.text;
  return text + "\n";
}

ModelReply CommandModel::complete(const ModelRequest &request, const std::atomic<bool> &cancel) {
  if (arguments.empty())
    return ModelFault{ModelFault::Config, "'cmd:' names no program", std::nullopt};
  double begin = Clock::system().seconds();
  Child child;
  if (int error = spawn(arguments, promptText(request.messages), child))
    return ModelFault{ModelFault::Config, "cannot run '" + arguments[0] + "': " + llvm::sys::StrError(error),
                      std::nullopt};
  std::optional<std::string> text = readAll(child, begin + request.timeoutSeconds, cancel);
  if (!text && cancel.load())
    return ModelFault{ModelFault::Cancelled, "cancelled", std::nullopt};
  if (!text)
    return ModelFault{ModelFault::Passing, "'" + arguments[0] + "' did not answer in time", std::nullopt};
  child.wait();
  if (!WIFEXITED(child.status) || WEXITSTATUS(child.status) != 0) {
    std::string how = WIFEXITED(child.status) ? "exited with " + std::to_string(WEXITSTATUS(child.status))
                                              : "was ended by signal " + std::to_string(WTERMSIG(child.status));
    bool isMissing = WIFEXITED(child.status) && WEXITSTATUS(child.status) == 127;
    return ModelFault{isMissing ? ModelFault::Config : ModelFault::Passing, "'" + arguments[0] + "' " + how,
                      std::nullopt};
  }
  Completion completion;
  completion.text = llvm::json::isUTF8(*text) ? *text : llvm::json::fixUTF8(*text);
  completion.seconds = Clock::system().seconds() - begin;
  return completion;
}

std::optional<ModelFault> CommandModel::probe(const std::atomic<bool> &) {
  if (arguments.empty())
    return ModelFault{ModelFault::Config, "'cmd:' names no program", std::nullopt};
  return std::nullopt;
}

std::unique_ptr<LanguageModel> helionc::autotune::createCommandModel(std::string commandLine) {
  return std::make_unique<CommandModel>(std::move(commandLine));
}
