//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Elementary functions as arithmetic on scalars and vectors.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TARGET_MATHEXPANSION_H
#define HELIONC_TARGET_MATHEXPANSION_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace helionc::target {

/// Adds patterns that replace the functions of the math dialect (exp, log, tanh, erf, sin, pow, …) by arithmetic, for
/// scalars and vectors of f16, bf16, f32 and f64. f32 results are within 4 units in the last place; infinities and NaN
/// follow C's libm. What the processor has an instruction for (sqrt, fma, floor, …) is left alone.
void populateMathExpansionPatterns(mlir::RewritePatternSet &patterns);

} // namespace helionc::target

#endif // HELIONC_TARGET_MATHEXPANSION_H
