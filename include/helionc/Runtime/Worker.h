//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The worker: a process that compiles or runs candidates, and may die of them.
//===----------------------------------------------------------------------===//
//
// Frames on stdin and stdout: four bytes of length, little-endian, then that many bytes of JSON. Operations:
//   reference {artifact, kernel, problem, out}            runs once on the CPU over two poisons, writes the outputs
//   measure   {artifact, kernel, problem, device, check, min_rounds, target_seconds, early_exit_micros}
//   pair      {artifacts, kernel, problem, device, rounds}
// `problem` is the path of a Problem as JSON. Replies have "status": ok, wrong_result or launch_error, and "error".
//===----------------------------------------------------------------------===//
#ifndef HELIONC_RUNTIME_WORKER_H
#define HELIONC_RUNTIME_WORKER_H

#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <string>

namespace helionc::runtime {

using Operation = std::function<llvm::json::Object(const llvm::json::Object &)>;

/// Serves requests until stdin ends; `operations` are added to the worker's own. Returns the exit code.
int runWorker(std::map<std::string, Operation> operations);

} // namespace helionc::runtime

#endif // HELIONC_RUNTIME_WORKER_H
