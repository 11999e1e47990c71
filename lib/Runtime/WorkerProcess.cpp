//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Starts, asks and kills workers.
//===----------------------------------------------------------------------===//
#include "helionc/Runtime/WorkerProcess.h"

#include "helionc/Support/Framing.h"

#include "llvm/Support/FormatVariadic.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace helionc;
using namespace helionc::runtime;
namespace json = llvm::json;

extern char **environ;

bool WorkerProcess::start(std::string &error) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
    error = std::string("cannot make a pipe: ") + strerror(errno);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: killing it takes along what it has started.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  int result = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (result) {
    close(in[1]);
    close(out[0]);
    child = -1;
    error = "cannot start the worker " + command.front() + ": " + strerror(result);
    return false;
  }
  toChild = in[1];
  fromChild = out[0];
  signal(SIGPIPE, SIG_IGN);
  return true;
}

std::string WorkerProcess::reap() {
  if (child < 0)
    return "it was not running";
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  close(toChild);
  close(fromChild);
  child = -1;
  toChild = fromChild = -1;
  if (WIFSIGNALED(status))
    return llvm::formatv("signal {0} ({1})", WTERMSIG(status), strsignal(WTERMSIG(status))).str();
  return llvm::formatv("exit code {0}", WEXITSTATUS(status)).str();
}

void WorkerProcess::stop() {
  if (child >= 0)
    reap();
}

WorkerReply WorkerProcess::request(json::Object body, double seconds) {
  WorkerReply reply;
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(body));
  if (child < 0 && !start(reply.reason)) {
    reply.outcome = WorkerReply::Outcome::Crashed;
    return reply;
  }
  bool timedOut = false;
  llvm::Error sent = support::writeFrame(toChild, text);
  llvm::Expected<std::string> frame =
      sent ? llvm::Expected<std::string>(std::move(sent)) : support::readFrame(fromChild, seconds, &timedOut);
  if (frame) {
    auto value = json::parse(*frame);
    if (value && value->getAsObject()) {
      reply.body = std::move(*value->getAsObject());
      if (reply.body.getBoolean("restart").value_or(false))
        reap(); // Its device is of no more use; the next request starts another.
      return reply;
    }
    std::string problem = value ? "it is no object" : llvm::toString(value.takeError());
    reap();
    reply.outcome = WorkerReply::Outcome::Crashed;
    reply.reason = "an answer that cannot be read: " + problem;
    return reply;
  } else {
    llvm::consumeError(frame.takeError());
  }
  if (!timedOut) { // Let it die by itself, so that its own signal is seen.
    int status = 0;
    for (int i = 0; i < 50; ++i) {
      pid_t done = waitpid(child, &status, WNOHANG);
      if (done == child) {
        close(toChild);
        close(fromChild);
        kill(-child, SIGKILL);
        child = -1;
        toChild = fromChild = -1;
        reply.outcome = WorkerReply::Outcome::Crashed;
        reply.reason = WIFSIGNALED(status)
                           ? llvm::formatv("signal {0} ({1})", WTERMSIG(status), strsignal(WTERMSIG(status))).str()
                           : llvm::formatv("exit code {0}", WEXITSTATUS(status)).str();
        return reply;
      }
      usleep(10000);
    }
  }
  std::string how = reap();
  reply.outcome = timedOut ? WorkerReply::Outcome::TimedOut : WorkerReply::Outcome::Crashed;
  reply.reason = timedOut ? llvm::formatv("no answer within {0:f1} s", seconds).str() : how;
  return reply;
}
