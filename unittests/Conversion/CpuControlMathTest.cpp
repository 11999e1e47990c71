//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loops, branches, several launches and elementary functions on the CPU.
//===----------------------------------------------------------------------===//
#include "CpuKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace helionc::test;

namespace {
std::string str(int64_t value) { return std::to_string(value); }
} // namespace

// Two carried tiles that change places, and a scalar.
TEST(CpuLoop, SwappedTilesAndScalar) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[40], f32>, %out: !hl.tensor<[40], f32>, %out2: !hl.tensor<[40], f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant ${N} : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  hl.grid (%i) = (%c0) to (%c40) step [16] {
    %a = hl.load %x[%i] : !hl.tensor<[40], f32>, !hl.span<16> -> !hl.tile<[16], f32>
    %b = hl.full %zero : f32 -> !hl.tile<[16], f32>
    %r:3 = hl.loop (%j) = (%c0) to (%c5) step [1] iter(%p = %a, %q = %b, %n = %c0) -> (!hl.tile<[16], f32>, !hl.tile<[16], f32>, index) {
      %m = arith.addi %n, %c1 : index
      %f = arith.index_cast %m : index to i32
      %g = arith.sitofp %f : i32 to f32
      %s = hl.map (%u = %p, %v = %q) : (!hl.tile<[16], f32>, !hl.tile<[16], f32>) -> !hl.tile<[16], f32> {
        %w = arith.addf %u, %v : f32
        %z = arith.addf %w, %g : f32
        hl.yield %z : f32
      }
      hl.yield %q, %s, %m : !hl.tile<[16], f32>, !hl.tile<[16], f32>, index
    }
    hl.store %r#0, %out[%i] : !hl.tile<[16], f32>, !hl.tensor<[40], f32>, !hl.span<16>
    hl.store %r#1, %out2[%i] : !hl.tile<[16], f32>, !hl.tensor<[40], f32>, !hl.span<16>
  }
  hl.return
})";
  for (int64_t n : {0, 1, 2, 5}) {
    CpuKernel kernel(substitute(text, {{"N", str(n)}}));
    ASSERT_TRUE(kernel.ok());
    Array x("f32", 40), out("f32", 40), out2("f32", 40);
    x.randomize(3);
    kernel.run({&x, &out, &out2});
    for (int64_t i = 0; i < 40; ++i) {
      double p = x.get(i), q = 0;
      for (int64_t j = 1; j <= n; ++j) {
        double next = p + q + double(j);
        p = q;
        q = next;
      }
      ASSERT_NEAR(out.get(i), p, 1e-4) << i;
      ASSERT_NEAR(out2.get(i), q, 1e-4) << i;
    }
  }
}

TEST(CpuLoop, PureSwapAndTwoDims) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[24], f32>, %out: !hl.tensor<[24], f32>, %out2: !hl.tensor<[24], f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 1.0 : f32
  hl.grid (%i) = (%c0) to (%c1) step [1] {
    %a = hl.load %x[:] : !hl.tensor<[24], f32> -> !hl.tile<[24], f32>
    %b = hl.full %zero : f32 -> !hl.tile<[24], f32>
    %r:2 = hl.loop (%j, %l) = (%c0, %c2) to (%c5, %c5) step [2, 1] iter(%p = %a, %q = %b) -> (!hl.tile<[24], f32>, !hl.tile<[24], f32>) {
      hl.yield %q, %p : !hl.tile<[24], f32>, !hl.tile<[24], f32>
    }
    hl.store %r#0, %out[:] : !hl.tile<[24], f32>, !hl.tensor<[24], f32>
    hl.store %r#1, %out2[:] : !hl.tile<[24], f32>, !hl.tensor<[24], f32>
  }
  hl.return
})";
  CpuKernel kernel(text);
  ASSERT_TRUE(kernel.ok());
  Array x("f32", 24), out("f32", 24), out2("f32", 24);
  x.randomize(3);
  kernel.run({&x, &out, &out2});
  for (int64_t i = 0; i < 24; ++i) {
    ASSERT_EQ(out.get(i), 1) << i; // 9 swaps
    ASSERT_EQ(out2.get(i), x.get(i)) << i;
  }
}

TEST(CpuLoop, BranchesOnBlocks) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[40], f32>, %out: !hl.tensor<[40], f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %two = arith.constant 2.0 : f32
  hl.grid (%i) = (%c0) to (%c40) step [16] {
    %a = hl.load %x[%i] : !hl.tensor<[40], f32>, !hl.span<16> -> !hl.tile<[16], f32>
    %id = hl.block_id %i : !hl.span<16>
    %is = arith.cmpi eq, %id, %c1 : index
    %r:2 = hl.if %is -> !hl.tile<[16], f32>, index {
      %m = hl.map (%p = %a) : (!hl.tile<[16], f32>) -> !hl.tile<[16], f32> {
        %w = arith.mulf %p, %two : f32
        hl.yield %w : f32
      }
      hl.yield %m, %c40 : !hl.tile<[16], f32>, index
    } else {
      hl.yield %a, %c1 : !hl.tile<[16], f32>, index
    }
    %f = arith.index_cast %r#1 : index to i32
    %g = arith.sitofp %f : i32 to f32
    %s = hl.map (%p = %r#0) : (!hl.tile<[16], f32>) -> !hl.tile<[16], f32> {
      %w = arith.addf %p, %g : f32
      hl.yield %w : f32
    }
    hl.store %s, %out[%i] : !hl.tile<[16], f32>, !hl.tensor<[40], f32>, !hl.span<16>
  }
  hl.return
})";
  CpuKernel kernel(text);
  ASSERT_TRUE(kernel.ok());
  Array x("f32", 40), out("f32", 40);
  x.randomize(3);
  kernel.run({&x, &out});
  for (int64_t i = 0; i < 40; ++i)
    ASSERT_NEAR(out.get(i), i / 16 == 1 ? 2 * x.get(i) + 40 : x.get(i) + 1, 1e-5) << i;
}

// Softmax of ragged rows: fused maximum, exponential kept for two uses, broadcasts; then a second launch over a view.
TEST(CpuLaunches, SoftmaxThenScale) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[5, ${N}], f32>, %mid: !hl.tensor<[5, ${N}], f32> {hl.role = "temp"}, %out: !hl.tensor<[5, ${N}], f32>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %all = arith.constant ${ALL} : index
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %n = arith.constant ${N} : index
  %flat = hl.view %mid : !hl.tensor<[5, ${N}], f32> -> !hl.tensor<[${ALL}], f32>
  %flatout = hl.view %out : !hl.tensor<[5, ${N}], f32> -> !hl.tensor<[${ALL}], f32>
  hl.grid (%i) = (%c0) to (%c5) step [${B}] {
    hl.loop (%j) = (%c0) to (%n) step [64] {
    %v = hl.load %x[%i, %j] : !hl.tensor<[5, ${N}], f32>, !hl.span<${B}>, !hl.span<64> -> !hl.tile<[${B}, 64], f32>
    %f = hl.fill_padding %v, %ninf spans(%j) dims [1] : !hl.tile<[${B}, 64], f32>, f32, !hl.span<64> -> !hl.tile<[${B}, 64], f32>
    %m = hl.reduce max %f dim 1 : !hl.tile<[${B}, 64], f32> -> !hl.tile<[${B}], f32>
    %m1 = hl.reshape %m : !hl.tile<[${B}], f32> -> !hl.tile<[${B}, 1], f32>
    %mb = hl.broadcast %m1 : !hl.tile<[${B}, 1], f32> -> !hl.tile<[${B}, 64], f32>
    %e = hl.map (%p = %v, %q = %mb) : (!hl.tile<[${B}, 64], f32>, !hl.tile<[${B}, 64], f32>) -> !hl.tile<[${B}, 64], f32> {
      %d = arith.subf %p, %q : f32
      %r = math.exp %d : f32
      hl.yield %r : f32
    }
    %ef = hl.fill_padding %e, %zero spans(%j) dims [1] : !hl.tile<[${B}, 64], f32>, f32, !hl.span<64> -> !hl.tile<[${B}, 64], f32>
    %s = hl.reduce sum %ef dim 1 : !hl.tile<[${B}, 64], f32> -> !hl.tile<[${B}], f32>
    %s1 = hl.reshape %s : !hl.tile<[${B}], f32> -> !hl.tile<[${B}, 1], f32>
    %sb = hl.broadcast %s1 : !hl.tile<[${B}, 1], f32> -> !hl.tile<[${B}, 64], f32>
    %o = hl.map (%p = %e, %q = %sb) : (!hl.tile<[${B}, 64], f32>, !hl.tile<[${B}, 64], f32>) -> !hl.tile<[${B}, 64], f32> {
      %r = arith.divf %p, %q : f32
      hl.yield %r : f32
    }
    hl.store %o, %mid[%i, %j] : !hl.tile<[${B}, 64], f32>, !hl.tensor<[5, ${N}], f32>, !hl.span<${B}>, !hl.span<64>
    }
  }
  hl.grid (%i) = (%c0) to (%all) step [32] {
    %v = hl.load %flat[%i] : !hl.tensor<[${ALL}], f32>, !hl.span<32> -> !hl.tile<[32], f32>
    %o = hl.map (%p = %v) : (!hl.tile<[32], f32>) -> !hl.tile<[32], f32> {
      %r = arith.mulf %p, %two : f32
      hl.yield %r : f32
    }
    hl.store %o, %flatout[%i] : !hl.tile<[32], f32>, !hl.tensor<[${ALL}], f32>, !hl.span<32>
  }
  hl.return
})";
  for (int64_t block : {1, 2, 4})
    for (int64_t n : {1, 17, 50, 64}) {
      SCOPED_TRACE(str(block) + " " + str(n));
      CpuKernel kernel(substitute(text, {{"N", str(n)}, {"B", str(block)}, {"ALL", str(5 * n)}}));
      ASSERT_TRUE(kernel.ok());
      Array x("f32", 5 * n), mid("f32", 5 * n), out("f32", 5 * n);
      x.randomize(3, 4);
      kernel.run({&x, &mid, &out});
      for (int64_t i = 0; i < 5; ++i) {
        double maximum = -1e30, sum = 0;
        for (int64_t j = 0; j < n; ++j)
          maximum = std::max(maximum, x.get(i * n + j));
        for (int64_t j = 0; j < n; ++j)
          sum += std::exp(x.get(i * n + j) - maximum);
        for (int64_t j = 0; j < n; ++j)
          ASSERT_NEAR(out.get(i * n + j), 2 * std::exp(x.get(i * n + j) - maximum) / sum, 1e-5) << i << " " << j;
      }
    }
}

namespace {

struct Function {
  const char *op;
  double (*reference)(double);
  double low, high;
  /// Units in the last place allowed for f32, and the relative error for f64.
  double ulps, relative;
};

double rsqrtOf(double x) { return 1 / std::sqrt(x); }

const Function functions[] = {{"exp", std::exp, -110, 95, 4, 1e-15},    {"exp2", std::exp2, -152, 130, 4, 1e-15},
                              {"expm1", std::expm1, -20, 89, 2, 1e-14}, {"log", std::log, 0, 1e3, 4, 1e-14},
                              {"log2", std::log2, 0, 1e30, 4, 1e-14},   {"log10", std::log10, 0, 1e5, 2, 1e-14},
                              {"log1p", std::log1p, -1, 10, 2, 1e-14},  {"tanh", std::tanh, -12, 12, 4, 1e-14},
                              {"erf", std::erf, -6, 6, 4, 1e-13},       {"erfc", std::erfc, -5, 9, 2, 1e-12},
                              {"sin", std::sin, -1e4, 1e4, 2, 1e-12},   {"cos", std::cos, -1e4, 1e4, 2, 1e-12},
                              {"tan", std::tan, -20, 20, 2, 1e-12},     {"asin", std::asin, -1, 1, 2, 1e-13},
                              {"acos", std::acos, -1, 1, 2, 1e-13},     {"atan", std::atan, -50, 50, 2, 1e-14},
                              {"sinh", std::sinh, -20, 20, 2, 1e-13},   {"cosh", std::cosh, -20, 20, 2, 1e-13},
                              {"asinh", std::asinh, -50, 50, 2, 1e-13}, {"acosh", std::acosh, 1, 50, 2, 1e-12},
                              {"atanh", std::atanh, -1, 1, 2, 1e-13},   {"cbrt", std::cbrt, -100, 100, 2, 1e-14},
                              {"sqrt", std::sqrt, 0, 100, 1, 1e-15},    {"rsqrt", rsqrtOf, 1e-3, 100, 2, 1e-14},
                              {"floor", std::floor, -100, 100, 0, 0},   {"ceil", std::ceil, -100, 100, 0, 0},
                              {"round", std::round, -100, 100, 0, 0},   {"absf", std::fabs, -100, 100, 0, 0}};

const char *unary = R"(
hl.kernel @k(%x: !hl.tensor<[${N}], ${T}>, %out: !hl.tensor<[${N}], ${T}>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant ${N} : index
  hl.grid (%i) = (%c0) to (%n) step [256] {
    %u = hl.load %x[%i] : !hl.tensor<[${N}], ${T}>, !hl.span<256> -> !hl.tile<[256], ${T}>
    %w = hl.map (%a = %u) : (!hl.tile<[256], ${T}>) -> !hl.tile<[256], ${T}> {
      %r = math.${OP} %a : ${T}
      hl.yield %r : ${T}
    }
    hl.store %w, %out[%i] : !hl.tile<[256], ${T}>, !hl.tensor<[${N}], ${T}>, !hl.span<256>
  }
  hl.return
})";

double ulp(float value) {
  float magnitude = std::fabs(value);
  return double(std::nextafter(magnitude, std::numeric_limits<float>::infinity())) - magnitude;
}

const double special[] = {0.0,
                          -0.0,
                          1,
                          -1,
                          0.5,
                          2,
                          1e-30,
                          -1e-30,
                          1e-40,
                          1e30,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};

void checkFunction(const Function &function, const std::string &dtype) {
  SCOPED_TRACE(std::string(function.op) + " " + dtype);
  int64_t n = 4001, specials = std::size(special);
  CpuKernel kernel(substitute(unary, {{"OP", function.op}, {"T", dtype}, {"N", str(n)}}));
  ASSERT_TRUE(kernel.ok());
  Array x(dtype, n), out(dtype, n);
  for (int64_t i = 0; i < n; ++i)
    x.set(i, i < specials
                 ? special[i]
                 : function.low + (function.high - function.low) * double(i - specials + 1) / double(n - specials + 1));
  kernel.run({&x, &out});
  bool isTrigonometric =
      std::string(function.op) == "sin" || std::string(function.op) == "cos" || std::string(function.op) == "tan";
  for (int64_t i = 0; i < n; ++i) {
    if (isTrigonometric && std::abs(x.get(i)) > 1e9 && std::isfinite(x.get(i)))
      continue;
    double expected = function.reference(x.get(i)), got = out.get(i);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << function.op << "(" << x.get(i) << ") = " << got;
      continue;
    }
    if (std::isinf(dtype == "f64" ? expected : float(expected))) {
      ASSERT_EQ(got, expected > 0 ? INFINITY : -INFINITY) << function.op << "(" << x.get(i) << ")";
      continue;
    }
    double slack = dtype == "f32"    ? function.ulps * ulp(float(expected)) + 1e-45
                   : dtype == "f64"  ? function.relative * std::abs(expected) + 1e-300
                   : dtype == "bf16" ? std::abs(expected) * 0.004 + 1e-38
                                     : std::abs(expected) * 0.0005 + 1e-7;
    // Near a zero of the function the error is that of the argument's reduction.
    if (isTrigonometric && dtype == "f64")
      slack += 1e-15;
    ASSERT_NEAR(got, expected, slack) << function.op << "(" << x.get(i) << ")";
  }
}

} // namespace

TEST(CpuMath, UnaryF32) {
  for (const Function &function : functions)
    checkFunction(function, "f32");
}

TEST(CpuMath, UnaryF64) {
  for (const Function &function : functions)
    checkFunction(function, "f64");
}

TEST(CpuMath, UnarySmallFloats) {
  for (const Function &function : {functions[0], functions[3], functions[7], functions[8], functions[10]})
    checkFunction(function, "bf16");
}

TEST(CpuMath, PowAndAtan2) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[${N}], f32>, %y: !hl.tensor<[${N}], f32>, %out: !hl.tensor<[${N}], f32>, %angle: !hl.tensor<[${N}], f32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant ${N} : index
  hl.grid (%i) = (%c0) to (%n) step [64] {
    %u = hl.load %x[%i] : !hl.tensor<[${N}], f32>, !hl.span<64> -> !hl.tile<[64], f32>
    %v = hl.load %y[%i] : !hl.tensor<[${N}], f32>, !hl.span<64> -> !hl.tile<[64], f32>
    %w = hl.map (%a = %u, %b = %v) : (!hl.tile<[64], f32>, !hl.tile<[64], f32>) -> !hl.tile<[64], f32> {
      %r = math.powf %a, %b : f32
      hl.yield %r : f32
    }
    %t = hl.map (%a = %u, %b = %v) : (!hl.tile<[64], f32>, !hl.tile<[64], f32>) -> !hl.tile<[64], f32> {
      %r = math.atan2 %a, %b : f32
      hl.yield %r : f32
    }
    hl.store %w, %out[%i] : !hl.tile<[64], f32>, !hl.tensor<[${N}], f32>, !hl.span<64>
    hl.store %t, %angle[%i] : !hl.tile<[64], f32>, !hl.tensor<[${N}], f32>, !hl.span<64>
  }
  hl.return
})";
  std::vector<double> values = {0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, -1.5, 10, -10, 0.1, INFINITY, -INFINITY, NAN};
  int64_t n = int64_t(values.size() * values.size());
  CpuKernel kernel(substitute(text, {{"N", str(n)}}));
  ASSERT_TRUE(kernel.ok());
  Array x("f32", n), y("f32", n), out("f32", n), angle("f32", n);
  for (int64_t i = 0; i < n; ++i) {
    x.set(i, values[i / values.size()]);
    y.set(i, values[i % values.size()]);
  }
  kernel.run({&x, &y, &out, &angle});
  auto check = [](double got, double expected, double a, double b, const char *name) {
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(got)) << name << "(" << a << ", " << b << ") = " << got;
    else if (std::isinf(expected))
      ASSERT_EQ(got, expected) << name << "(" << a << ", " << b << ")";
    else
      ASSERT_NEAR(got, expected, 2 * ulp(float(expected))) << name << "(" << a << ", " << b << ")";
  };
  for (int64_t i = 0; i < n; ++i) {
    check(out.get(i), float(std::pow(x.get(i), y.get(i))), x.get(i), y.get(i), "pow");
    check(angle.get(i), float(std::atan2(x.get(i), y.get(i))), x.get(i), y.get(i), "atan2");
  }
}
