//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Arithmetic on a scalar or vector of floats, for writing elementary functions down.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_TARGET_FLOATMATH_H
#define HELIONC_LIB_TARGET_FLOATMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace helionc::target {

using mlir::Value;

/// Builds operations on values of one type (f32 or f64, or a vector of it) and the integers of the same width.
class FloatMath {
public:
  FloatMath(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  Value constant(double value);
  Value integer(int64_t value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y);
  Value fma(Value x, Value y, Value z);
  Value negate(Value x);
  Value abs(Value x);
  Value sqrt(Value x);
  Value round(Value x);
  Value withSignOf(Value magnitude, Value sign);
  Value select(Value condition, Value x, Value y);
  Value less(Value x, Value y);
  Value equal(Value x, Value y);
  Value isNan(Value x);
  Value either(Value x, Value y);
  Value both(Value x, Value y);
  /// x where lower <= x <= upper or x is NaN, else the bound.
  Value clamp(Value x, double lower, double upper);
  /// c[0] + x * (c[1] + x * (…)).
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);
  /// x · 2^n for integral n, underflowing gradually; n may be NaN where x is.
  Value scale(Value x, Value n);
  /// Splits a positive normal x into m · 2^e with m in [sqrt(1/2), sqrt(2)).
  void split(Value x, Value &m, Value &e);

  mlir::ImplicitLocOpBuilder b;
  mlir::Type type, integerType;
  bool isDouble;
};

// Elementary functions of f32 (FloatMathF32.cpp) and f64 (FloatMathF64.cpp).
Value expF32(FloatMath &m, Value x);
Value exp2F32(FloatMath &m, Value x);
Value logF32(FloatMath &m, Value x);
Value log2F32(FloatMath &m, Value x);
Value tanhF32(FloatMath &m, Value x);
Value erfF32(FloatMath &m, Value x);

Value expF64(FloatMath &m, Value x);
Value exp2F64(FloatMath &m, Value x);
Value expm1F64(FloatMath &m, Value x);
Value logF64(FloatMath &m, Value x);
Value log2F64(FloatMath &m, Value x);
Value log10F64(FloatMath &m, Value x);
Value log1pF64(FloatMath &m, Value x);
Value tanhF64(FloatMath &m, Value x);
Value sinhF64(FloatMath &m, Value x);
Value coshF64(FloatMath &m, Value x);
Value asinhF64(FloatMath &m, Value x);
Value acoshF64(FloatMath &m, Value x);
Value atanhF64(FloatMath &m, Value x);
Value erfF64(FloatMath &m, Value x);
Value erfcF64(FloatMath &m, Value x);
Value sinF64(FloatMath &m, Value x);
Value cosF64(FloatMath &m, Value x);
Value tanF64(FloatMath &m, Value x);
Value asinF64(FloatMath &m, Value x);
Value acosF64(FloatMath &m, Value x);
Value atanF64(FloatMath &m, Value x);
Value cbrtF64(FloatMath &m, Value x);
Value atan2F64(FloatMath &m, Value y, Value x);
Value powF64(FloatMath &m, Value x, Value y);

} // namespace helionc::target

#endif // HELIONC_LIB_TARGET_FLOATMATH_H
