//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Did-you-mean.
//===----------------------------------------------------------------------===//
#include "helionc/Support/EditDistance.h"

#include <algorithm>

std::string helionc::support::didYouMean(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  unsigned limit = std::max<unsigned>(1, unsigned(name.size() + 2) / 3);
  llvm::StringRef best;
  unsigned bestDistance = limit + 1;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance_insensitive(candidate, /*AllowReplacements=*/true, limit);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best.str();
}
