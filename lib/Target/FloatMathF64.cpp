//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Elementary functions of f64.
//===----------------------------------------------------------------------===//
//
// Also what the rarer functions of f32 are computed with, whose results then are nearly always the nearest ones. pow
// loses up to 1e-13 of relative accuracy for large exponents; sin, cos and tan are reduced exactly up to 1e9.
//===----------------------------------------------------------------------===//
#include "FloatMath.h"

#include <limits>

using namespace mlir;
using namespace helionc::target;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr double ln2High = 6.93147180369123816490e-01, ln2Low = 1.90821492927058770002e-10;
static constexpr double pi = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// e^r - 1 for |r| <= ln(2) / 2: its power series.
static Value expm1Reduced(FloatMath &m, Value r) {
  Value p = m.polynomial(r, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                             1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0});
  return m.fma(m.mul(r, r), p, r);
}

Value helionc::target::expF64(FloatMath &m, Value x) {
  x = m.clamp(x, -760, 720);
  Value n = m.round(m.mul(x, m.constant(1.44269504088896338700)));
  Value r = m.fma(n, m.constant(-ln2High), x);
  r = m.fma(n, m.constant(-ln2Low), r);
  return m.scale(m.add(expm1Reduced(m, r), m.constant(1)), n);
}

Value helionc::target::exp2F64(FloatMath &m, Value x) {
  x = m.clamp(x, -1100, 1030);
  Value n = m.round(x);
  Value r = m.mul(m.sub(x, n), m.constant(0.693147180559945309417));
  return m.scale(m.add(expm1Reduced(m, r), m.constant(1)), n);
}

Value helionc::target::expm1F64(FloatMath &m, Value x) {
  Value small = expm1Reduced(m, m.clamp(x, -0.35, 0.35));
  Value large = m.sub(expF64(m, x), m.constant(1));
  return m.select(m.less(m.abs(x), m.constant(0.34)), small, large);
}

Value helionc::target::tanhF64(FloatMath &m, Value x) {
  Value a = m.clamp(m.abs(x), 0, 22);
  Value t = expm1F64(m, m.add(a, a));
  return m.withSignOf(m.div(t, m.add(t, m.constant(2))), x);
}

/// e^x / 2 for x past the range of e^x.
static Value halfExp(FloatMath &m, Value x) {
  Value root = expF64(m, m.mul(x, m.constant(0.5)));
  return m.mul(m.mul(root, m.constant(0.5)), root);
}

Value helionc::target::sinhF64(FloatMath &m, Value x) {
  Value a = m.abs(x), t = expm1F64(m, a);
  Value result = m.mul(m.constant(0.5), m.add(t, m.div(t, m.add(t, m.constant(1)))));
  result = m.select(m.less(m.constant(700), a), halfExp(m, a), result);
  return m.withSignOf(result, x);
}

Value helionc::target::coshF64(FloatMath &m, Value x) {
  Value a = m.abs(x), e = expF64(m, a);
  Value result = m.mul(m.constant(0.5), m.add(e, m.div(m.constant(1), e)));
  return m.select(m.less(m.constant(700), a), halfExp(m, a), result);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// log(x) = e · ln2 + f - rest, with 1 + f the mantissa.
static void logParts(FloatMath &m, Value x, Value &e, Value &f, Value &rest) {
  Value isTiny = m.less(x, m.constant(2.2250738585072014e-308));
  Value normal = m.select(isTiny, m.mul(x, m.constant(18014398509481984.0)), x), mantissa;
  m.split(normal, mantissa, e);
  e = m.select(isTiny, m.sub(e, m.constant(54)), e);
  f = m.sub(mantissa, m.constant(1));
  // 2 · atanh(s) with s = f / (2 + f), by its power series.
  Value s = m.div(f, m.add(f, m.constant(2))), z = m.mul(s, s);
  Value series = m.polynomial(
      z, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23});
  Value halfSquare = m.mul(m.mul(f, f), m.constant(0.5));
  rest = m.sub(halfSquare, m.mul(s, m.fma(z, series, halfSquare)));
}

static Value logEdges(FloatMath &m, Value x, Value result) {
  result = m.select(m.equal(x, m.constant(infinity)), x, result);
  result = m.select(m.equal(x, m.constant(0)), m.constant(-infinity), result);
  return m.select(m.either(m.less(x, m.constant(0)), m.isNan(x)), m.constant(notANumber), result);
}

Value helionc::target::logF64(FloatMath &m, Value x) {
  Value e, f, rest;
  logParts(m, x, e, f, rest);
  Value low = m.sub(m.sub(rest, m.mul(e, m.constant(ln2Low))), f);
  return logEdges(m, x, m.fma(e, m.constant(ln2High), m.negate(low)));
}

static Value scaledLog(FloatMath &m, Value x, double factor, double exponentFactor) {
  Value e, f, rest;
  logParts(m, x, e, f, rest);
  Value mantissa = m.mul(m.sub(f, rest), m.constant(factor));
  return logEdges(m, x, m.fma(e, m.constant(exponentFactor), mantissa));
}

Value helionc::target::log2F64(FloatMath &m, Value x) { return scaledLog(m, x, 1.44269504088896338700, 1); }
Value helionc::target::log10F64(FloatMath &m, Value x) {
  return scaledLog(m, x, 0.434294481903251827651, 0.301029995663981195214);
}

Value helionc::target::log1pF64(FloatMath &m, Value x) {
  // log(u) with u = 1 + x rounded, and what the rounding lost divided by u.
  Value one = m.constant(1), u = m.add(x, one);
  Value lost = m.div(m.sub(x, m.sub(u, one)), u);
  Value result = m.add(logF64(m, u), lost);
  result = m.select(m.equal(u, m.constant(0)), m.constant(-infinity), result);
  return m.select(m.either(m.equal(u, one), m.equal(x, m.constant(infinity))), x, result);
}

Value helionc::target::asinhF64(FloatMath &m, Value x) {
  Value a = m.abs(x), square = m.mul(a, a), one = m.constant(1);
  Value inner = m.add(a, m.div(square, m.add(one, m.sqrt(m.add(square, one)))));
  Value large = m.add(logF64(m, a), m.constant(0.693147180559945309417));
  return m.withSignOf(m.select(m.less(m.constant(1e8), a), large, log1pF64(m, inner)), x);
}

Value helionc::target::acoshF64(FloatMath &m, Value x) {
  Value t = m.sub(x, m.constant(1));
  Value inner = m.add(t, m.sqrt(m.add(m.add(t, t), m.mul(t, t))));
  Value large = m.add(logF64(m, x), m.constant(0.693147180559945309417));
  return m.select(m.less(m.constant(1e8), x), large, log1pF64(m, inner));
}

Value helionc::target::atanhF64(FloatMath &m, Value x) {
  Value a = m.abs(x);
  Value inner = m.div(m.add(a, a), m.sub(m.constant(1), a));
  return m.withSignOf(m.mul(m.constant(0.5), log1pF64(m, inner)), x);
}

Value helionc::target::powF64(FloatMath &m, Value x, Value y) {
  Value zero = m.constant(0), one = m.constant(1);
  Value magnitude = m.abs(x);
  Value result = expF64(m, m.mul(y, logF64(m, magnitude)));
  result = m.select(m.equal(magnitude, one), one, result);
  // A negative base: its sign for odd exponents, NaN for those that are not integral.
  Value isNegative = m.less(m.withSignOf(one, x), zero);
  Value half = m.mul(y, m.constant(0.5));
  Value isIntegral = m.equal(m.round(y), y);
  Value isOdd = m.both(isIntegral, m.less(zero, m.abs(m.sub(half, m.round(half)))));
  result = m.select(m.both(isNegative, isOdd), m.negate(result), result);
  // A NaN exponent gives NaN anyway, and minus infinity has its magnitude for every exponent.
  Value isFinite = m.less(magnitude, m.constant(infinity));
  Value isDefined = m.either(isIntegral, m.equal(m.abs(y), m.constant(infinity)));
  Value guarded = m.select(isDefined, result, m.constant(notANumber));
  result = m.select(m.both(m.less(x, zero), isFinite), guarded, result);
  return m.select(m.either(m.equal(y, zero), m.equal(x, one)), one, result);
}

Value helionc::target::cbrtF64(FloatMath &m, Value x) {
  Value a = m.abs(x), third = m.constant(1.0 / 3);
  Value root = expF64(m, m.mul(logF64(m, a), third));
  // One step of Newton's method.
  Value better = m.sub(root, m.mul(m.sub(root, m.div(a, m.mul(root, root))), third));
  Value isEdge = m.either(m.equal(a, m.constant(0)), m.equal(a, m.constant(infinity)));
  return m.withSignOf(m.select(isEdge, a, better), x);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// erfc(z) for z >= 0: exp(-z²) times a Chebyshev series in 2 / (2 + z) (Press et al., Numerical Recipes, 6.2.2).
static Value erfcPositive(FloatMath &m, Value z) {
  static const double coefficients[] = {-1.3026537197817094,
                                        6.4196979235649026e-1,
                                        1.9476473204185836e-2,
                                        -9.561514786808631e-3,
                                        -9.46595344482036e-4,
                                        3.66839497852761e-4,
                                        4.2523324806907e-5,
                                        -2.0278578112534e-5,
                                        -1.624290004647e-6,
                                        1.303655835580e-6,
                                        1.5626441722e-8,
                                        -8.5238095915e-8,
                                        6.529054439e-9,
                                        5.059343495e-9,
                                        -9.91364156e-10,
                                        -2.27365122e-10,
                                        9.6467911e-11,
                                        2.394038e-12,
                                        -6.886027e-12,
                                        8.94487e-13,
                                        3.13092e-13,
                                        -1.12708e-13,
                                        3.81e-16,
                                        7.106e-15,
                                        -1.523e-15,
                                        -9.4e-17,
                                        1.21e-16,
                                        -2.8e-17};
  Value t = m.div(m.constant(2), m.add(z, m.constant(2)));
  Value ty = m.sub(m.mul(t, m.constant(4)), m.constant(2));
  Value d = m.constant(0), dd = m.constant(0);
  for (unsigned j = 27; j > 0; --j) {
    Value next = m.add(m.fma(ty, d, m.negate(dd)), m.constant(coefficients[j]));
    dd = d;
    d = next;
  }
  Value series = m.sub(m.mul(m.constant(0.5), m.fma(ty, d, m.constant(coefficients[0]))), dd);
  return m.mul(t, expF64(m, m.fma(m.negate(z), z, series)));
}

/// erf(x) for |x| <= 0.6: its power series.
static Value erfSmall(FloatMath &m, Value x) {
  double series[14], term = 1.12837916709551257390;
  for (int n = 0; n < 14; ++n) {
    series[n] = term / (2 * n + 1);
    term = -term / (n + 1);
  }
  return m.mul(x, m.polynomial(m.mul(x, x), series));
}

Value helionc::target::erfF64(FloatMath &m, Value x) {
  Value a = m.abs(x);
  Value large = m.sub(m.constant(1), erfcPositive(m, m.clamp(a, 0, 7)));
  return m.select(m.less(a, m.constant(0.5)), erfSmall(m, x), m.withSignOf(large, x));
}

Value helionc::target::erfcF64(FloatMath &m, Value x) {
  Value a = m.abs(x), tail = erfcPositive(m, m.clamp(a, 0, 30));
  Value large = m.select(m.less(x, m.constant(0)), m.sub(m.constant(2), tail), tail);
  return m.select(m.less(a, m.constant(0.5)), m.sub(m.constant(1), erfSmall(m, x)), large);
}

//===----------------------------------------------------------------------===//
// Trigonometry
//===----------------------------------------------------------------------===//

/// sin(x + quarters · π/2).
static Value sine(FloatMath &m, Value x, int64_t quarters) {
  Value n = m.round(m.mul(x, m.constant(2 / pi)));
  // π/2 in three parts of 33 bits.
  Value r = m.fma(n, m.constant(-1.57079632673412561417e+00), x);
  r = m.fma(n, m.constant(-6.07710050630396597660e-11), r);
  r = m.fma(n, m.constant(-2.02226624879595063154e-21), r);
  r = m.clamp(r, -0.8, 0.8);
  Value square = m.mul(r, r);
  Value s = m.polynomial(square, {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                                  -1.0 / 1307674368000.0, 1.0 / 355687428096000.0});
  Value c = m.polynomial(square, {-1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                                  -1.0 / 87178291200.0, 1.0 / 20922789888000.0});
  Value sin = m.fma(m.mul(square, s), r, r), cos = m.fma(square, c, m.constant(1));
  Value isLarge = m.less(m.constant(4e18), m.abs(n));
  Value safe = m.select(m.either(isLarge, m.isNan(n)), m.constant(0), n);
  Value quadrant = arith::AddIOp::create(m.b, arith::FPToSIOp::create(m.b, m.integerType, safe), m.integer(quarters));
  auto bit = [&](int64_t mask) -> Value {
    Value masked = arith::AndIOp::create(m.b, quadrant, m.integer(mask));
    return arith::CmpIOp::create(m.b, arith::CmpIPredicate::ne, masked, m.integer(0));
  };
  Value result = m.select(bit(1), cos, sin);
  result = m.select(bit(2), m.negate(result), result);
  return m.select(m.equal(m.abs(x), m.constant(infinity)), m.constant(notANumber), result);
}

Value helionc::target::sinF64(FloatMath &m, Value x) { return sine(m, x, 0); }
Value helionc::target::cosF64(FloatMath &m, Value x) { return sine(m, x, 1); }
Value helionc::target::tanF64(FloatMath &m, Value x) { return m.div(sine(m, x, 0), sine(m, x, 1)); }

/// atan(a) for a >= 0 (fdlibm's polynomial).
static Value atanPositive(FloatMath &m, Value a) {
  Value one = m.constant(1), isLarge = m.less(one, a);
  Value y = m.select(isLarge, m.div(one, a), a);
  Value isMiddle = m.less(m.constant(0.41421356237309503), y);
  Value t = m.select(isMiddle, m.div(m.sub(y, one), m.add(y, one)), y);
  Value z = m.mul(t, t);
  Value p = m.polynomial(z, {3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                             -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
                             6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                             -3.65315727442169155270e-02, 1.62858201153657823623e-02});
  Value result = m.sub(t, m.mul(t, m.mul(z, p)));
  result = m.select(isMiddle, m.add(m.constant(pi / 4), result), result);
  return m.select(isLarge, m.sub(m.constant(pi / 2), result), result);
}

Value helionc::target::atanF64(FloatMath &m, Value x) { return m.withSignOf(atanPositive(m, m.abs(x)), x); }

Value helionc::target::atan2F64(FloatMath &m, Value y, Value x) {
  Value ax = m.abs(x), ay = m.abs(y), zero = m.constant(0), inf = m.constant(infinity);
  Value ratio = m.div(ay, ax);
  ratio = m.select(m.both(m.equal(ax, zero), m.equal(ay, zero)), zero, ratio);
  ratio = m.select(m.both(m.equal(ax, inf), m.equal(ay, inf)), m.constant(1), ratio);
  Value angle = atanPositive(m, ratio);
  Value isLeft = m.less(m.withSignOf(m.constant(1), x), zero);
  return m.withSignOf(m.select(isLeft, m.sub(m.constant(pi), angle), angle), y);
}

static Value otherLeg(FloatMath &m, Value x) {
  Value one = m.constant(1);
  return m.sqrt(m.mul(m.sub(one, x), m.add(one, x)));
}

Value helionc::target::asinF64(FloatMath &m, Value x) { return atan2F64(m, x, otherLeg(m, x)); }
Value helionc::target::acosF64(FloatMath &m, Value x) { return atan2F64(m, otherLeg(m, x), x); }
