//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Compiles concrete hl kernels for the CPU, loads them into this process and runs them on guarded arrays.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_UNITTESTS_CONVERSION_CPUKERNEL_H
#define HELIONC_UNITTESTS_CONVERSION_CPUKERNEL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helionc::test {

/// An array whose last byte is followed by a page that may not be touched. Elements are read and written as doubles.
class Array {
public:
  Array(const std::string &dtype, int64_t size);
  ~Array();
  Array(const Array &) = delete;
  double get(int64_t i) const;
  /// Stores `value` rounded to the element type, and gives what is stored.
  double set(int64_t i, double value);
  void fill(double value);
  /// Small pseudo-random values, integers for integer types.
  void randomize(unsigned seed, double scale = 1);
  int64_t size() const { return count; }
  void *data() const { return start; }

private:
  std::string dtype;
  int64_t count, bytes, mapped;
  char *base, *start;
};

/// A kernel of hl text, compiled. Fails the current test and yields a kernel that cannot run on an error.
class CpuKernel {
public:
  explicit CpuKernel(const std::string &text);
  ~CpuKernel();
  bool ok() const;
  /// Runs every program of every launch; arguments are arrays' data or pointers to scalars.
  void run(std::vector<void *> arguments);
  void run(std::initializer_list<Array *> arrays);
  int64_t scratchBytes() const;
  /// Programs of the first launch.
  int64_t programs() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// `text` with each ${key} replaced.
std::string substitute(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

} // namespace helionc::test

#endif // HELIONC_UNITTESTS_CONVERSION_CPUKERNEL_H
