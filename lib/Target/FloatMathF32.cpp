//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Elementary functions of f32.
//===----------------------------------------------------------------------===//
//
// Polynomials after Cephes (S. L. Moshier, single precision) and, for erf, after N. Juffa. Each is within 4 units in
// the last place of the exact value.
//===----------------------------------------------------------------------===//
#include "FloatMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace helionc::target;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// e^r for |r| <= ln(2) / 2.
static Value expReduced(FloatMath &m, Value r) {
  Value p = m.polynomial(
      r, {5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3, 1.3981999507e-3, 1.9875691500e-4});
  return m.add(m.fma(m.mul(r, r), p, r), m.constant(1));
}

Value helionc::target::expF32(FloatMath &m, Value x) {
  x = m.clamp(x, -104.5, 89.5);
  Value n = m.round(m.mul(x, m.constant(1.44269504088896341)));
  Value r = m.fma(n, m.constant(-0.693359375), x);
  r = m.fma(n, m.constant(2.12194440e-4), r);
  return m.scale(expReduced(m, r), n);
}

Value helionc::target::exp2F32(FloatMath &m, Value x) {
  x = m.clamp(x, -151, 129);
  Value n = m.round(x);
  return m.scale(expReduced(m, m.mul(m.sub(x, n), m.constant(0.693147180559945309))), n);
}

/// log(x) = e · ln2 + log(m); gives e and f = m - 1 and log(m) without f.
static void logParts(FloatMath &m, Value x, Value &e, Value &f, Value &rest) {
  Value isTiny = m.less(x, m.constant(1.17549435e-38));
  Value normal = m.select(isTiny, m.mul(x, m.constant(8388608)), x), mantissa;
  m.split(normal, mantissa, e);
  e = m.select(isTiny, m.sub(e, m.constant(23)), e);
  f = m.sub(mantissa, m.constant(1));
  Value square = m.mul(f, f);
  Value p = m.polynomial(f, {3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1,
                             -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2});
  rest = m.fma(square, m.constant(-0.5), m.mul(m.mul(f, square), p));
}

static Value logEdges(FloatMath &m, Value x, Value result) {
  result = m.select(m.equal(x, m.constant(infinity)), x, result);
  result = m.select(m.equal(x, m.constant(0)), m.constant(-infinity), result);
  return m.select(m.either(m.less(x, m.constant(0)), m.isNan(x)), m.constant(notANumber), result);
}

Value helionc::target::logF32(FloatMath &m, Value x) {
  Value e, f, rest;
  logParts(m, x, e, f, rest);
  rest = m.fma(e, m.constant(-2.12194440e-4), rest);
  return logEdges(m, x, m.fma(e, m.constant(0.693359375), m.add(f, rest)));
}

Value helionc::target::log2F32(FloatMath &m, Value x) {
  Value e, f, rest;
  logParts(m, x, e, f, rest);
  Value log2e = m.constant(1.44269504088896341);
  return logEdges(m, x, m.add(e, m.fma(f, log2e, m.mul(rest, log2e))));
}

Value helionc::target::tanhF32(FloatMath &m, Value x) {
  Value a = m.abs(x), square = m.mul(x, x);
  Value p = m.polynomial(square,
                         {-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2, 2.06390887954e-2, -5.70498872745e-3});
  Value small = m.fma(m.mul(p, square), x, x);
  Value e = expF32(m, m.add(a, a));
  Value large = m.sub(m.constant(1), m.div(m.constant(2), m.add(e, m.constant(1))));
  return m.select(m.less(a, m.constant(0.625)), small, m.withSignOf(large, x));
}

Value helionc::target::erfF32(FloatMath &m, Value x) {
  Value a = m.abs(x), square = m.mul(x, x);
  Value t = m.clamp(a, 0, 4);
  Value p = m.polynomial(t, {-1.28717512e-1, -6.34846687e-1, -1.06777877e-1, 2.42546219e-2, -3.88396438e-3,
                             3.83197126e-4, -1.72853470e-5});
  Value large = m.sub(m.constant(1), expF32(m, m.fma(p, t, m.negate(t))));
  Value q = m.polynomial(square,
                         {1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4});
  Value small = m.fma(q, x, x);
  return m.select(m.less(a, m.constant(0.921875)), small, m.withSignOf(large, x));
}
