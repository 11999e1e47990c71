//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Mathematical functions that the conversion leaves, as polynomials on vectors.
//===----------------------------------------------------------------------===//
#include "helionc/Target/MathExpansion.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"

using namespace mlir;

void helionc::target::populateMathExpansionPatterns(RewritePatternSet &patterns) {
  // Exponentials and logarithms are arithmetic already; what is left are erf, sin, cos and their like on f32.
  MathPolynomialApproximationOptions options;
  populateMathPolynomialApproximationPatterns(patterns, options);
}
