//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The median of paired ratios and the sign test's interval for it.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/PairedTest.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>

using namespace helionc::autotune;

double helionc::autotune::median(llvm::ArrayRef<double> values) {
  if (values.empty())
    return 0;
  llvm::SmallVector<double, 32> sorted(values);
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Of n rounds, how many have a ratio below the true median is binomial with p = 1/2, whatever the times' distribution.
// So the interval from the (k+1)-th smallest to the (k+1)-th largest ratio misses the median with a chance of
// 2 · P(Bin(n, 1/2) ≤ k). Example: n = 15, k = 3 gives 2 · 0.0176, a confidence of 96.5 %.
SpeedUp helionc::autotune::comparePaired(llvm::ArrayRef<double> base, llvm::ArrayRef<double> other, double confidence) {
  llvm::SmallVector<double, 32> ratios;
  for (size_t i = 0; i < std::min(base.size(), other.size()); ++i)
    if (base[i] > 0 && other[i] > 0 && std::isfinite(base[i]) && std::isfinite(other[i]))
      ratios.push_back(base[i] / other[i]);
  SpeedUp result;
  result.rounds = ratios.size();
  if (ratios.empty())
    return result;
  std::sort(ratios.begin(), ratios.end());
  size_t n = ratios.size(), drop = 0;
  double term = std::pow(0.5, double(n)), tail = term, reached = 1 - 2 * tail;
  while (2 * (drop + 1) < n) {
    term *= double(n - drop) / double(drop + 1);
    if (1 - 2 * (tail + term) < confidence)
      break;
    tail += term;
    reached = 1 - 2 * tail;
    ++drop;
  }
  result.ratio = median(ratios);
  result.low = ratios[drop];
  result.high = ratios[n - 1 - drop];
  result.confidence = std::max(0.0, reached);
  return result;
}
