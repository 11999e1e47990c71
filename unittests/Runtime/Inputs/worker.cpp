//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A worker for tests, with an operation of its own.
//===----------------------------------------------------------------------===//

#include "helionc/Runtime/Worker.h"

#include <cstdlib>

int main() {
  return helionc::runtime::runWorker(
      {{"abort", [](const llvm::json::Object &) -> llvm::json::Object { std::abort(); }},
       {"leave", [](const llvm::json::Object &) { return llvm::json::Object{{"status", "ok"}, {"restart", true}}; }}});
}
