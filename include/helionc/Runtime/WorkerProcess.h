//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A worker process, from its parent's side.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_RUNTIME_WORKERPROCESS_H
#define HELIONC_RUNTIME_WORKERPROCESS_H

#include "llvm/Support/JSON.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace helionc::runtime {

/// What became of a request.
struct WorkerReply {
  enum class Outcome { Answered, Crashed, TimedOut };
  Outcome outcome = Outcome::Answered;
  llvm::json::Object body;
  /// How the worker died: "signal 11 (Segmentation fault)", or "no answer within 60 s".
  std::string reason;
};

/// Starts a worker when one is needed, and again after a fault. Not for two threads at a time.
class WorkerProcess {
public:
  /// `command`: the program and its arguments.
  explicit WorkerProcess(std::vector<std::string> command) : command(std::move(command)) {}
  ~WorkerProcess() { stop(); }
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;

  /// Sends a request and waits for its answer. A worker that crashes or does not answer within `seconds` is killed,
  /// with everything it started; the next request starts another.
  WorkerReply request(llvm::json::Object body, double seconds);
  void stop();

private:
  bool start(std::string &error);
  std::string reap();

  std::vector<std::string> command;
  pid_t child = -1;
  int toChild = -1, fromChild = -1;
};

} // namespace helionc::runtime

#endif // HELIONC_RUNTIME_WORKERPROCESS_H
