//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What the tuning space and the cost formulas need to know about a target, as plain numbers.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_ANALYSIS_TARGETFACTS_H
#define HELIONC_ANALYSIS_TARGETFACTS_H

#include <cstdint>
#include <string>

namespace helionc::analysis {

/// Facts of one target. For a GPU that is not present, those of its architecture; rates of 0 are not known.
struct TargetFacts {
  /// "cpu", "sm_90a", …
  std::string name = "cpu";
  /// The processor's or card's own name, for people and prompts.
  std::string device;
  bool isGpu = false;
  /// CPU cores that may be used, or streaming multiprocessors.
  int64_t cores = 1;
  /// CPU: bits of a vector register, and how many of them there are.
  int64_t vectorBits = 256, vectorRegisters = 16;
  int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20, l3Bytes = 0;
  /// GPU: shared memory a block may take, registers a thread may have.
  int64_t smemBytes = 0, registersPerThread = 255;
  /// Peak rates: bytes per second of memory, f32 FLOP per second.
  double memoryBandwidth = 0, peakFlops = 0;

  /// A few lines for a prompt.
  std::string toText() const;
};

} // namespace helionc::analysis

#endif // HELIONC_ANALYSIS_TARGETFACTS_H
