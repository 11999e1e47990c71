//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The table of GPU targets.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TARGET_TARGETINFO_H
#define HELIONC_TARGET_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace helionc::target {

/// One NVIDIA architecture.
struct GpuTarget {
  llvm::StringRef name;
  /// 10 * major + minor.
  int computeCapability;
  /// Shared memory a block may take, in bytes.
  int64_t maxSmemBytes;
  /// LLVM's feature string: the version of PTX.
  llvm::StringRef features;
  /// The oldest ptxas that knows it, as major * 100 + minor.
  int minPtxas;
};

/// Every target, oldest first.
llvm::ArrayRef<GpuTarget> gpuTargets();
/// The target called `name`, null when there is none.
const GpuTarget *findGpuTarget(llvm::StringRef name);

} // namespace helionc::target

#endif // HELIONC_TARGET_TARGETINFO_H
