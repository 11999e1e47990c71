//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The arguments of a problem in the memory of a device, and timing calls on them.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_RUNTIME_BENCH_H
#define HELIONC_RUNTIME_BENCH_H

#include "helionc/Runtime/LibraryHandle.h"
#include "helionc/Runtime/Problem.h"

#include <memory>

namespace helionc::runtime {

/// Buffers of a problem: its inputs, and outputs, one or several sets so that a timed call finds cold caches on a GPU.
class Bench {
public:
  virtual ~Bench() = default;
  /// "cpu" or "cuda:0".
  static llvm::Expected<std::unique_ptr<Bench>> create(const Problem &problem, llvm::StringRef device);

  /// Restores what the kernel writes, outputs filled with `poison`; calls it once; gives the written arguments' bytes
  /// in order, one after another.
  virtual llvm::Expected<std::vector<char>> runOnce(const LibraryHandle &library, unsigned char poison) = 0;
  /// Microseconds a call, over `calls` calls in a row.
  virtual llvm::Expected<double> time(const LibraryHandle &library, int64_t calls) = 0;
  /// Shares of a contender's burst on this device: idle milliseconds before it.
  virtual double idleMillis() const { return 0; }
};

} // namespace helionc::runtime

#endif // HELIONC_RUNTIME_BENCH_H
