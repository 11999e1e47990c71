//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Exponentials, logarithms and their kin as arithmetic on scalars and vectors.
//===----------------------------------------------------------------------===//
//
// exp: x = n ln 2 + r, |r| <= ln 2 / 2, e^r by its Taylor polynomial, times 2^n in two factors so that results near the
// ends of the range are right. log: x = m 2^e with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh((m - 1) / (m + 1)) by its
// series. log1p and expm1 correct for the rounding of 1 + x and of e^x (Kahan). No tables, no calls, no branches.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;
using helionc::conversion::expandMath;

namespace {

/// Arithmetic on one float type, scalar or vector.
class Floats {
public:
  Floats(ImplicitLocOpBuilder &b, Type type) : b(b), type(type), element(cast<FloatType>(getElementTypeOrSelf(type))) {
    isDouble = element.isF64();
    bits = like(b.getIntegerType(element.getWidth()));
  }
  Type like(Type scalar) const {
    if (auto vector = dyn_cast<VectorType>(type))
      return VectorType::get(vector.getShape(), scalar);
    return scalar;
  }
  Value constant(double value) const {
    Attribute scalar = b.getFloatAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, scalar));
    return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
  }
  Value integer(int64_t value) const {
    Attribute scalar = b.getIntegerAttr(getElementTypeOrSelf(bits), value);
    if (auto vector = dyn_cast<VectorType>(bits))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, scalar));
    return arith::ConstantOp::create(b, cast<TypedAttr>(scalar));
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(b, x, y, z); }
  Value neg(Value x) const { return arith::NegFOp::create(b, x); }
  Value abs(Value x) const { return math::AbsFOp::create(b, x); }
  Value round(Value x) const { return math::RoundEvenOp::create(b, x); }
  Value cmp(arith::CmpFPredicate predicate, Value x, Value y) const { return arith::CmpFOp::create(b, predicate, x, y); }
  Value select(Value condition, Value x, Value y) const { return arith::SelectOp::create(b, condition, x, y); }
  Value asBits(Value x) const { return arith::BitcastOp::create(b, bits, x); }
  Value asFloat(Value x) const { return arith::BitcastOp::create(b, type, x); }
  Value toInt(Value x) const { return arith::FPToSIOp::create(b, bits, x); }
  Value fromInt(Value x) const { return arith::SIToFPOp::create(b, type, x); }
  int mantissa() const { return isDouble ? 52 : 23; }
  int bias() const { return isDouble ? 1023 : 127; }

  /// 2^n for an integer-valued n in the exponent's range.
  Value power2(Value n) const {
    Value biased = arith::AddIOp::create(b, toInt(n), integer(bias()));
    return asFloat(arith::ShLIOp::create(b, biased, integer(mantissa())));
  }
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) const {
    Value result = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }
  /// e^r of a small r, times 2^n.
  Value expOfReduced(Value r, Value n) const {
    llvm::SmallVector<double> coefficients{1};
    for (int k = 1, terms = isDouble ? 13 : 7; k <= terms; ++k)
      coefficients.push_back(coefficients.back() / k);
    Value half = math::FloorOp::create(b, mul(n, constant(0.5)));
    return mul(mul(polynomial(r, coefficients), power2(half)), power2(sub(n, half)));
  }
  Value clamp(Value x, double low, double high) const {
    Value bounded = arith::MaxNumFOp::create(b, x, constant(low));
    return arith::MinNumFOp::create(b, bounded, constant(high));
  }
  Value exp(Value x) const {
    Value bounded = clamp(x, isDouble ? -760 : -110, isDouble ? 720 : 90);
    Value n = round(mul(bounded, constant(M_LOG2E)));
    double high = isDouble ? 6.93147180369123816490e-01 : 0.693359375;
    Value r = fma(n, constant(-high), bounded);
    r = fma(n, constant(-(isDouble ? 1.90821492927058770002e-10 : -2.12194440e-4)), r);
    return select(isNan(x), x, expOfReduced(r, n));
  }
  Value exp2(Value x) const {
    Value bounded = clamp(x, isDouble ? -1100 : -160, isDouble ? 1030 : 130);
    Value n = round(bounded);
    return select(isNan(x), x, expOfReduced(mul(sub(bounded, n), constant(M_LN2)), n));
  }
  Value isNan(Value x) const { return cmp(arith::CmpFPredicate::UNO, x, x); }

  /// x = m 2^e with m in [sqrt(1/2), sqrt(2)), for positive finite x; gives log(m) and e.
  std::pair<Value, Value> split(Value x) const {
    double smallest = isDouble ? 2.2250738585072014e-308 : 1.17549435e-38, scale = isDouble ? 0x1p54 : 0x1p25;
    Value tiny = cmp(arith::CmpFPredicate::OLT, x, constant(smallest));
    Value scaled = select(tiny, mul(x, constant(scale)), x);
    Value correction = select(tiny, constant(isDouble ? -54 : -25), constant(0));
    // Adding the distance of sqrt(1/2) from 1 in bits puts the cut between exponents there.
    int64_t root = isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3, one = isDouble ? 0x3ff0000000000000 : 0x3f800000;
    Value shifted = arith::AddIOp::create(b, asBits(scaled), integer(one - root));
    Value exponent = arith::SubIOp::create(b, arith::ShRSIOp::create(b, shifted, integer(mantissa())), integer(bias()));
    Value fraction = arith::SubIOp::create(b, asBits(scaled), arith::ShLIOp::create(b, exponent, integer(mantissa())));
    Value m = asFloat(fraction);
    Value s = div(sub(m, constant(1)), add(m, constant(1)));
    llvm::SmallVector<double> coefficients;
    for (int k = 0, terms = isDouble ? 11 : 5; k < terms; ++k)
      coefficients.push_back(2.0 / (2 * k + 1));
    Value logM = mul(s, polynomial(mul(s, s), coefficients));
    return {logM, add(fromInt(exponent), correction)};
  }
  Value logSpecial(Value x, Value result) const {
    double inf = std::numeric_limits<double>::infinity();
    result = select(cmp(arith::CmpFPredicate::OEQ, x, constant(inf)), constant(inf), result);
    result = select(cmp(arith::CmpFPredicate::OEQ, x, constant(0)), constant(-inf), result);
    Value invalid = cmp(arith::CmpFPredicate::ULT, x, constant(0));
    return select(invalid, constant(std::numeric_limits<double>::quiet_NaN()), result);
  }
  Value log(Value x) const {
    auto [logM, e] = split(x);
    double high = isDouble ? 6.93147180369123816490e-01 : 0.693359375;
    double low = isDouble ? 1.90821492927058770002e-10 : -2.12194440e-4;
    return logSpecial(x, fma(e, constant(high), fma(e, constant(low), logM)));
  }
  Value logBase(Value x, double factor) const {
    auto [logM, e] = split(x);
    return logSpecial(x, fma(logM, constant(factor), mul(e, constant(factor * M_LN2))));
  }
  Value log1p(Value x) const {
    Value u = add(x, constant(1));
    Value exact = cmp(arith::CmpFPredicate::OEQ, u, constant(1));
    Value result = mul(log(u), div(x, sub(u, constant(1))));
    Value inf = constant(std::numeric_limits<double>::infinity());
    result = select(cmp(arith::CmpFPredicate::OEQ, u, inf), inf, result);
    Value minus = cmp(arith::CmpFPredicate::OEQ, u, constant(0));
    result = select(minus, neg(inf), result);
    return select(exact, x, result);
  }
  Value expm1(Value x) const {
    Value u = exp(x), minusOne = sub(u, constant(1));
    Value result = mul(minusOne, div(x, log(u)));
    result = select(cmp(arith::CmpFPredicate::OEQ, u, constant(1)), x, result);
    result = select(cmp(arith::CmpFPredicate::OEQ, minusOne, constant(-1)), constant(-1), result);
    Value inf = constant(std::numeric_limits<double>::infinity());
    return select(cmp(arith::CmpFPredicate::OEQ, u, inf), inf, result);
  }
  /// expm1(2|x|) / (expm1(2|x|) + 2), with the sign of x.
  Value tanh(Value x) const {
    Value magnitude = abs(x);
    Value e = expm1(add(magnitude, magnitude));
    Value result = div(e, add(e, constant(2)));
    result = select(cmp(arith::CmpFPredicate::OGT, magnitude, constant(22)), constant(1), result);
    result = math::CopySignOp::create(b, result, x);
    return select(isNan(x), x, result);
  }
  /// In f64, so that the product with a large exponent does not lose the fraction.
  Value pow(Value x, Value y) const {
    Type wideType = like(b.getF64Type());
    Floats wide(b, wideType);
    auto widen = [&](Value v) { return isDouble ? v : arith::ExtFOp::create(b, wideType, v).getResult(); };
    Value wx = widen(x), wy = widen(y);
    Value magnitude = wide.exp2(wide.mul(wy, wide.logBase(wide.abs(wx), M_LOG2E)));
    Value whole = wide.cmp(arith::CmpFPredicate::OEQ, math::TruncOp::create(b, wy), wy);
    Value halfY = wide.mul(wy, wide.constant(0.5));
    Value odd = arith::AndIOp::create(b, whole, wide.cmp(arith::CmpFPredicate::UNE, math::TruncOp::create(b, halfY), halfY));
    Value negative = wide.cmp(arith::CmpFPredicate::OLT, wx, wide.constant(0));
    Value signedResult = wide.select(arith::AndIOp::create(b, negative, odd), wide.neg(magnitude), magnitude);
    Value notWhole = arith::XOrIOp::create(b, whole, arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, wy, wy));
    Value result = wide.select(arith::AndIOp::create(b, negative, notWhole),
                               wide.constant(std::numeric_limits<double>::quiet_NaN()), signedResult);
    Value one = arith::OrIOp::create(b, wide.cmp(arith::CmpFPredicate::OEQ, wy, wide.constant(0)),
                                     wide.cmp(arith::CmpFPredicate::OEQ, wx, wide.constant(1)));
    result = wide.select(one, wide.constant(1), result);
    return isDouble ? result : arith::TruncFOp::create(b, type, result).getResult();
  }

private:
  ImplicitLocOpBuilder &b;
  Type type, bits;
  FloatType element;
  bool isDouble;
};

} // namespace

Value helionc::conversion::expandMath(ImplicitLocOpBuilder &b, Operation &op, ValueRange operands) {
  Type type = operands.empty() ? Type() : operands[0].getType();
  auto element = type ? dyn_cast<FloatType>(getElementTypeOrSelf(type)) : FloatType();
  if (!element || (!element.isF32() && !element.isF64()))
    return {};
  Floats f(b, type);
  Value x = operands[0];
  if (isa<math::ExpOp>(op))
    return f.exp(x);
  if (isa<math::Exp2Op>(op))
    return f.exp2(x);
  if (isa<math::LogOp>(op))
    return f.log(x);
  if (isa<math::Log2Op>(op))
    return f.logBase(x, M_LOG2E);
  if (isa<math::Log10Op>(op))
    return f.logBase(x, M_LOG10E);
  if (isa<math::Log1pOp>(op))
    return f.log1p(x);
  if (isa<math::ExpM1Op>(op))
    return f.expm1(x);
  if (isa<math::TanhOp>(op))
    return f.tanh(x);
  if (isa<math::PowFOp>(op))
    return f.pow(x, operands[1]);
  if (isa<math::RsqrtOp>(op))
    return f.div(f.constant(1), math::SqrtOp::create(b, x));
  return {};
}
