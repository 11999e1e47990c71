//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Target facts as text.
//===----------------------------------------------------------------------===//
#include "helionc/Analysis/TargetFacts.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc::analysis;

std::string TargetFacts::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << name << (device.empty() ? "" : ", " + device) << '\n';
  if (isGpu) {
    if (cores > 1)
      os << cores << " streaming multiprocessors\n";
    os << smemBytes << " bytes of shared memory a block, " << registersPerThread << " registers a thread\n";
  } else {
    os << cores << (cores == 1 ? " core" : " cores") << ", vectors of " << vectorBits << " bits, " << vectorRegisters
       << " of them\n"
       << llvm::formatv("caches: {0} KiB L1, {1} KiB L2, {2} KiB L3\n", l1Bytes >> 10, l2Bytes >> 10, l3Bytes >> 10);
  }
  if (memoryBandwidth > 0)
    os << llvm::formatv("memory bandwidth {0:f0} GB/s\n", memoryBandwidth / 1e9);
  if (peakFlops > 0)
    os << llvm::formatv("peak {0:f1} TFLOP/s\n", peakFlops / 1e12);
  return text;
}
