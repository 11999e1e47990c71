//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Arithmetic that elementary functions are made of.
//===----------------------------------------------------------------------===//
#include "FloatMath.h"

#include "helionc/Target/CpuTarget.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace helionc::target;

FloatMath::FloatMath(OpBuilder &builder, Location loc, Type type)
    : b(loc, builder), type(type), isDouble(getElementTypeOrSelf(type).isF64()) {
  integerType = isDouble ? b.getI64Type() : b.getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    integerType = VectorType::get(vector.getShape(), integerType);
}

static Value splatConstant(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(element)));
  return arith::ConstantOp::create(b, element);
}

Value FloatMath::constant(double value) {
  return splatConstant(b, type, b.getFloatAttr(getElementTypeOrSelf(type), value));
}
Value FloatMath::integer(int64_t value) {
  return splatConstant(b, integerType, b.getIntegerAttr(getElementTypeOrSelf(integerType), value));
}
Value FloatMath::add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
Value FloatMath::sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
Value FloatMath::mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
Value FloatMath::div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
Value FloatMath::fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
Value FloatMath::negate(Value x) { return arith::NegFOp::create(b, x); }
Value FloatMath::abs(Value x) { return math::AbsFOp::create(b, x); }
Value FloatMath::sqrt(Value x) { return math::SqrtOp::create(b, x); }
Value FloatMath::round(Value x) { return math::RoundEvenOp::create(b, x); }
Value FloatMath::withSignOf(Value magnitude, Value sign) { return math::CopySignOp::create(b, magnitude, sign); }
Value FloatMath::select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
Value FloatMath::less(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y); }
Value FloatMath::equal(Value x, Value y) { return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y); }
Value FloatMath::isNan(Value x) { return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x); }
Value FloatMath::either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
Value FloatMath::both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }

Value FloatMath::clamp(Value x, double lower, double upper) {
  Value low = constant(lower), high = constant(upper);
  x = select(less(x, low), low, x);
  return select(less(high, x), high, x);
}

Value FloatMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, constant(coefficient));
  return result;
}

/// The processor's own instruction for x · 2^n; null where it has none for the type.
static Value scaleInstruction(ImplicitLocOpBuilder &b, Type type, Value x, Value n) {
  static const bool hasIt = StringRef(hostCpu().features).contains("+avx512f,");
  auto vector = dyn_cast<VectorType>(type);
  if (!hasIt || !vector || vector.getNumElements() * vector.getElementTypeBitWidth() != 512)
    return {};
  bool isDouble = vector.getElementType().isF64();
  Value every = arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(isDouble ? 8 : 16), -1));
  Value currentRounding = arith::ConstantOp::create(b, b.getI32IntegerAttr(4));
  auto name = b.getStringAttr(isDouble ? "llvm.x86.avx512.mask.scalef.pd.512" : "llvm.x86.avx512.mask.scalef.ps.512");
  return LLVM::CallIntrinsicOp::create(b, type, name, ValueRange{x, n, x, every, currentRounding}).getResult(0);
}

Value FloatMath::scale(Value x, Value n) {
  if (Value scaled = scaleInstruction(b, type, x, n))
    return scaled;
  // In two steps: 2^n alone may be out of range where x · 2^n is not. NaN has no integer, so 0 stands in for it.
  Value safe = select(isNan(n), constant(0), n);
  Value exponent = arith::FPToSIOp::create(b, integerType, safe);
  Value half = arith::ShRSIOp::create(b, exponent, integer(1));
  Value rest = arith::SubIOp::create(b, exponent, half);
  auto power = [&](Value n) -> Value {
    Value biased = arith::AddIOp::create(b, n, integer(isDouble ? 1023 : 127));
    return arith::BitcastOp::create(b, type, arith::ShLIOp::create(b, biased, integer(isDouble ? 52 : 23)));
  };
  return mul(mul(x, power(half)), power(rest));
}

void FloatMath::split(Value x, Value &m, Value &e) {
  Value bits = arith::BitcastOp::create(b, integerType, x);
  Value sqrtHalf = integer(isDouble ? 0x3FE6A09E667F3BCDll : 0x3F3504F3);
  Value shift = integer(isDouble ? 52 : 23);
  Value exponent = arith::ShRSIOp::create(b, arith::SubIOp::create(b, bits, sqrtHalf), shift);
  Value mantissa = arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, exponent, shift));
  m = arith::BitcastOp::create(b, type, mantissa);
  e = arith::SIToFPOp::create(b, type, exponent);
}
