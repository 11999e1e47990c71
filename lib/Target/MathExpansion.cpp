//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Replaces elementary functions by arithmetic.
//===----------------------------------------------------------------------===//
#include "helionc/Target/MathExpansion.h"

#include "FloatMath.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace helionc::target;

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

static Value apply(Value (*function)(FloatMath &, Value), FloatMath &m, ValueRange inputs) {
  return function(m, inputs[0]);
}
static Value apply(Value (*function)(FloatMath &, Value, Value), FloatMath &m, ValueRange inputs) {
  return function(m, inputs[0], inputs[1]);
}

namespace {

/// Computes Op in f32 when there is a function for it (and the elements have at most 32 bits), else in f64.
template <typename Op, typename Function> struct ExpandFunction : OpRewritePattern<Op> {
  ExpandFunction(MLIRContext *context, Function inF64, Function inF32)
      : OpRewritePattern<Op>(context), inF64(inF64), inF32(inF32) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!element.isF64() && !element.isF32() && !element.isF16() && !element.isBF16())
      return rewriter.notifyMatchFailure(op, "not an element type that functions are known for");
    bool useF32 = inF32 && !element.isF64();
    Type working = useF32 ? Type(rewriter.getF32Type()) : rewriter.getF64Type();
    FloatMath m(rewriter, op.getLoc(), withElement(type, working));
    SmallVector<Value> inputs(op->getOperands());
    if (element != working)
      for (Value &input : inputs)
        input = arith::ExtFOp::create(m.b, m.type, input);
    Value result = apply(useF32 ? inF32 : inF64, m, inputs);
    // Processors have no instruction from f64 to the small floats.
    if (element.getIntOrFloatBitWidth() < 32 && !useF32)
      result = arith::TruncFOp::create(m.b, withElement(type, rewriter.getF32Type()), result);
    if (type != result.getType())
      result = arith::TruncFOp::create(m.b, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  Function inF64, inF32;
};

/// x to an integer power, as a power of floats.
struct ExpandFPowI : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op, PatternRewriter &rewriter) const override {
    Value exponent = arith::SIToFPOp::create(rewriter, op.getLoc(), op.getType(), op.getRhs());
    rewriter.replaceOpWithNewOp<math::PowFOp>(op, op.getLhs(), exponent);
    return success();
  }
};

} // namespace

template <typename Op>
static void addUnary(RewritePatternSet &patterns, Value (*inF64)(FloatMath &, Value),
                     Value (*inF32)(FloatMath &, Value) = nullptr) {
  patterns.add<ExpandFunction<Op, Value (*)(FloatMath &, Value)>>(patterns.getContext(), inF64, inF32);
}

template <typename Op> static void addBinary(RewritePatternSet &patterns, Value (*inF64)(FloatMath &, Value, Value)) {
  using Function = Value (*)(FloatMath &, Value, Value);
  patterns.add<ExpandFunction<Op, Function>>(patterns.getContext(), inF64, Function(nullptr));
}

void helionc::target::populateMathExpansionPatterns(RewritePatternSet &patterns) {
  addUnary<math::ExpOp>(patterns, expF64, expF32);
  addUnary<math::Exp2Op>(patterns, exp2F64, exp2F32);
  addUnary<math::LogOp>(patterns, logF64, logF32);
  addUnary<math::Log2Op>(patterns, log2F64, log2F32);
  addUnary<math::TanhOp>(patterns, tanhF64, tanhF32);
  addUnary<math::ErfOp>(patterns, erfF64, erfF32);
  addUnary<math::ExpM1Op>(patterns, expm1F64);
  addUnary<math::Log10Op>(patterns, log10F64);
  addUnary<math::Log1pOp>(patterns, log1pF64);
  addUnary<math::SinhOp>(patterns, sinhF64);
  addUnary<math::CoshOp>(patterns, coshF64);
  addUnary<math::AsinhOp>(patterns, asinhF64);
  addUnary<math::AcoshOp>(patterns, acoshF64);
  addUnary<math::AtanhOp>(patterns, atanhF64);
  addUnary<math::ErfcOp>(patterns, erfcF64);
  addUnary<math::SinOp>(patterns, sinF64);
  addUnary<math::CosOp>(patterns, cosF64);
  addUnary<math::TanOp>(patterns, tanF64);
  addUnary<math::AsinOp>(patterns, asinF64);
  addUnary<math::AcosOp>(patterns, acosF64);
  addUnary<math::AtanOp>(patterns, atanF64);
  addUnary<math::CbrtOp>(patterns, cbrtF64);
  addBinary<math::Atan2Op>(patterns, atan2F64);
  addBinary<math::PowFOp>(patterns, powF64);
  patterns.add<ExpandFPowI>(patterns.getContext());
}
