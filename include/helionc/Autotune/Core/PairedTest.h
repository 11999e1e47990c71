//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Compares two candidates by times taken in the same rounds.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_PAIREDTEST_H
#define HELIONC_AUTOTUNE_CORE_PAIREDTEST_H

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>

namespace helionc::autotune {

/// How many times faster one candidate is than another, with an interval that holds with at least `confidence`.
struct SpeedUp {
  double ratio = 1, low = 1, high = 1;
  double confidence = 0;
  size_t rounds = 0;
  /// Faster for certain: the whole interval lies above 1.
  bool isFaster() const { return low > 1; }
};

/// `base[r]` and `other[r]` are times of round r. The ratio is the median of base / other over the rounds. The interval
/// is that of the sign test (order statistics of the ratios): exact for any distribution, no random numbers. Too few
/// rounds for the confidence give the whole range, with the confidence that it has. Rounds with a time that is not
/// positive are left out.
SpeedUp comparePaired(llvm::ArrayRef<double> base, llvm::ArrayRef<double> other, double confidence = 0.95);

/// The median; 0 for nothing.
double median(llvm::ArrayRef<double> values);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_PAIREDTEST_H
