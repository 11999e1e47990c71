//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What rules and prompts know of a kernel and its target, as plain numbers.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_KERNELFACTS_H
#define HELIONC_AUTOTUNE_LLM_KERNELFACTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace helionc::autotune {

/// One dim of a loop.
struct LoopFact {
  std::string name;
  /// How many indices it walks over; 0 when that depends on data.
  int64_t extent = 0;
  /// The parameter that sets its block, "" for a fixed one.
  std::string blockParam;
  /// A dim of the parallel grid, as against a loop inside one program.
  bool isGrid = false;
  /// What it is to the dots inside.
  bool isDotM = false, isDotN = false, isDotK = false;
  /// Something is reduced along its tiles.
  bool isReduction = false;
  /// Which launch of the kernel it belongs to.
  int64_t launch = 0;
};

/// Facts of one kernel on one target. 0 stands for not known.
struct KernelFacts {
  double flops = 0, bytes = 0, arithmeticIntensity = 0;
  std::vector<LoopFact> loops;
  bool hasDot = false, hasReduction = false;
  /// Bytes of the elements that are loaded most.
  int64_t elementBytes = 4;
  bool isGpu = false;
  /// CPU cores or streaming multiprocessors.
  int64_t cores = 1;
  int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20, smemBytes = 0;
  int64_t vectorBits = 256;
  int64_t vectorRegisters = 16;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_KERNELFACTS_H
