//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reductions and dots on the CPU against scalar references.
//===----------------------------------------------------------------------===//
#include "CpuKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace helionc::test;

namespace {

std::string str(int64_t value) { return std::to_string(value); }

// Rows and columns are ragged; the padding along the reduced dim is filled with `FILL`.
const char *reduction = R"(
hl.kernel @k(%x: !hl.tensor<[${M}, ${N}], ${T}>, %out: !hl.tensor<[${OUT}], ${R}>) attributes {config = {vector_width = ${W} : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant ${M} : index
  %n = arith.constant ${N} : index
  %fill = arith.constant ${FILL} : ${T}
  hl.grid (%i) = (%c0) to (%${LIMIT0}) step [${B0}] {
    hl.loop (%j) = (%c0) to (%${LIMIT1}) step [${B1}] {
      %v = hl.load %x[${AT}] : !hl.tensor<[${M}, ${N}], ${T}>, ${SPANS} -> !hl.tile<[${TM}, ${TN}], ${T}>
      %f = hl.fill_padding %v, %fill spans(%j) dims [${DIM}] : !hl.tile<[${TM}, ${TN}], ${T}>, ${T}, !hl.span<${B1}> -> !hl.tile<[${TM}, ${TN}], ${T}>
      %r = hl.reduce ${KIND} %f dim ${DIM} : !hl.tile<[${TM}, ${TN}], ${T}> -> !hl.tile<[${B0}], ${R}>
      hl.store %r, %out[%i] : !hl.tile<[${B0}], ${R}>, !hl.tensor<[${OUT}], ${R}>, !hl.span<${B0}>
    }
  }
  hl.return
})";

struct Reduction {
  std::string kind, dtype, fill;
};

double reference(const std::string &kind, const std::vector<double> &values) {
  double result = kind == "prod"                                   ? 1
                  : kind == "and"                                  ? -1
                  : kind == "sum" || kind == "or" || kind == "xor" ? 0
                                                                   : values[0];
  int64_t at = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    double v = values[i];
    if (kind == "sum")
      result += v;
    else if (kind == "prod")
      result *= v;
    else if (kind == "and")
      result = double(int64_t(result) & int64_t(v));
    else if (kind == "or")
      result = double(int64_t(result) | int64_t(v));
    else if (kind == "xor")
      result = double(int64_t(result) ^ int64_t(v));
    else if (!std::isnan(result)) {
      bool isMax = kind == "max" || kind == "argmax";
      if (std::isnan(v) || (isMax ? v > result : v < result)) {
        result = v;
        at = int64_t(i);
      }
    }
  }
  return kind.substr(0, 3) == "arg" ? double(at) : result;
}

/// Reduces dim `dim` of an m x n tensor, `block` elements of the kept dim at a time and all of the reduced one, whose
/// block is `wide`.
void checkReduction(const Reduction &r, int64_t m, int64_t n, int64_t dim, int64_t block, int64_t wide, int64_t width,
                    bool withNan = false) {
  SCOPED_TRACE(r.kind + " " + r.dtype + " " + str(m) + "x" + str(n) + " dim " + str(dim) + " blocks " + str(block) +
               " " + str(wide) + " width " + str(width));
  std::string resultType = r.kind.substr(0, 3) == "arg" ? "i32" : r.dtype;
  std::string first = "!hl.span<" + str(block) + ">", second = "!hl.span<" + str(wide) + ">";
  int64_t kept = dim == 1 ? m : n, reduced = dim == 1 ? n : m;
  CpuKernel kernel(substitute(reduction, {{"KIND", r.kind},
                                          {"T", r.dtype},
                                          {"R", resultType},
                                          {"FILL", r.fill},
                                          {"M", str(m)},
                                          {"N", str(n)},
                                          {"OUT", str(kept)},
                                          {"W", str(width)},
                                          {"B0", str(block)},
                                          {"B1", str(wide)},
                                          {"DIM", str(dim)},
                                          {"AT", dim == 1 ? "%i, %j" : "%j, %i"},
                                          {"SPANS", dim == 1 ? first + ", " + second : second + ", " + first},
                                          {"TM", str(dim == 1 ? block : wide)},
                                          {"TN", str(dim == 1 ? wide : block)},
                                          {"LIMIT0", dim == 1 ? "m" : "n"},
                                          {"LIMIT1", dim == 1 ? "n" : "m"}}));
  ASSERT_TRUE(kernel.ok());
  Array x(r.dtype, m * n), out(resultType, kept);
  x.randomize(unsigned(m * 100 + n), r.kind == "prod" ? 1.3 : 1);
  if (withNan)
    for (int64_t i = 0; i < m * n; i += 5)
      x.set(i, std::numeric_limits<double>::quiet_NaN());
  kernel.run({&x, &out});
  for (int64_t i = 0; i < kept; ++i) {
    std::vector<double> values;
    for (int64_t j = 0; j < reduced; ++j)
      values.push_back(dim == 1 ? x.get(i * n + j) : x.get(j * n + i));
    double expected = reference(r.kind, values), got = out.get(i);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << "at " << i;
      continue;
    }
    if (r.dtype == "i32" || r.dtype == "i1" || r.dtype == "i8") {
      int64_t mask = r.dtype == "i1" ? 1 : r.dtype == "i8" ? 255 : -1;
      ASSERT_EQ(int64_t(got) & mask, int64_t(expected) & mask) << "at " << i;
      continue;
    }
    double slack = r.dtype == "bf16" ? 2e-2 : r.dtype == "f16" ? 2e-3 : r.dtype == "f64" ? 1e-12 : 1e-5;
    ASSERT_NEAR(got, expected, slack * (1 + std::abs(expected))) << "at " << i;
  }
}

const Reduction reductions[] = {{"sum", "f32", "0.0"},
                                {"prod", "f32", "1.0"},
                                {"max", "f32", "0xFF800000"},
                                {"min", "f32", "0x7F800000"},
                                {"argmax", "f32", "0xFF800000"},
                                {"argmin", "f32", "0x7F800000"},
                                {"sum", "i32", "0"},
                                {"max", "i32", "-2147483648"},
                                {"min", "i32", "2147483647"},
                                {"argmax", "i32", "-2147483648"},
                                {"and", "i32", "-1"},
                                {"or", "i32", "0"},
                                {"xor", "i32", "0"},
                                {"and", "i1", "-1"},
                                {"or", "i1", "0"},
                                {"sum", "bf16", "0.0"},
                                {"max", "bf16", "0xFF80"},
                                {"sum", "f16", "0.0"},
                                {"max", "f16", "0xFC00"},
                                {"sum", "f64", "0.0"},
                                {"sum", "i8", "0"}};

} // namespace

TEST(CpuReduce, KindsAndTypes) {
  for (const Reduction &r : reductions)
    for (int64_t dim : {0, 1})
      for (int64_t reduced : {1, 7, 31, 32, 33 - 1})
        checkReduction(r, dim == 1 ? 5 : reduced, dim == 1 ? reduced : 5, dim, 4, 32, 16);
}

TEST(CpuReduce, LongAndWide) {
  for (const Reduction &r : {reductions[0], reductions[2], reductions[4], reductions[15]})
    for (int64_t n : {1, 100, 255, 256, 500, 512})
      for (int64_t width : {4, 8, 16}) {
        checkReduction(r, 3, n, 1, 1, 512, width);
        checkReduction(r, n, 37, 0, 32, 512, width);
      }
}

TEST(CpuReduce, NanWins) {
  for (const Reduction &r : {reductions[2], reductions[3], reductions[4], reductions[5], reductions[16]})
    for (int64_t n : {3, 17, 32}) {
      checkReduction(r, 7, n, 1, 4, 32, 16, /*withNan=*/true);
      checkReduction(r, n, 7, 0, 4, 32, 16, /*withNan=*/true);
    }
}

// A fill that is not neutral counts.
TEST(CpuReduce, PaddingThatCounts) {
  for (int64_t n : {5, 30}) {
    std::string text = substitute(reduction, {{"KIND", "sum"},
                                              {"T", "f32"},
                                              {"R", "f32"},
                                              {"FILL", "2.0"},
                                              {"M", "3"},
                                              {"N", str(n)},
                                              {"OUT", "3"},
                                              {"W", "16"},
                                              {"B0", "2"},
                                              {"B1", "32"},
                                              {"DIM", "1"},
                                              {"AT", "%i, %j"},
                                              {"SPANS", "!hl.span<2>, !hl.span<32>"},
                                              {"TM", "2"},
                                              {"TN", "32"},
                                              {"LIMIT0", "m"},
                                              {"LIMIT1", "n"}});
    CpuKernel kernel(text);
    ASSERT_TRUE(kernel.ok());
    Array x("f32", 3 * n), out("f32", 3);
    x.fill(1);
    kernel.run({&x, &out});
    for (int64_t i = 0; i < 3; ++i)
      ASSERT_EQ(out.get(i), n + 2.0 * (32 - n));
  }
}

namespace {

// out = x · y, over blocks of k; both sides zero along k's padding.
const char *product = R"(
hl.kernel @k(%x: !hl.tensor<[${M}, ${K}], ${T}, strides [${XM}, ${XK}]>, %y: !hl.tensor<[${K}, ${N}], ${T}, strides [${YK}, ${YN}]>, %out: !hl.tensor<[${M}, ${N}], ${A}>) attributes {config = {vector_width = ${W} : i64, dot_tile_m = ${R} : i64, dot_tile_n = ${C} : i64, unroll = ${U} : i64, l2_groupings = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %m = arith.constant ${M} : index
  %n = arith.constant ${N} : index
  %kk = arith.constant ${K} : index
  %zero = arith.constant ${Z} : ${A}
  hl.grid (%i, %j) = (%c0, %c0) to (%m, %n) step [${BM}, ${BN}] {
    %init = hl.full %zero : ${A} -> !hl.tile<[${BM}, ${BN}], ${A}>
    %r = hl.loop (%l) = (%c0) to (%kk) step [${BK}] iter(%acc = %init) -> (!hl.tile<[${BM}, ${BN}], ${A}>) {
      %a = hl.load %x[%i, %l] : !hl.tensor<[${M}, ${K}], ${T}, strides [${XM}, ${XK}]>, !hl.span<${BM}>, !hl.span<${BK}> -> !hl.tile<[${BM}, ${BK}], ${T}>
      %b = hl.load %y[%l, %j] : !hl.tensor<[${K}, ${N}], ${T}, strides [${YK}, ${YN}]>, !hl.span<${BK}>, !hl.span<${BN}> -> !hl.tile<[${BK}, ${BN}], ${T}>
      %d = hl.dot %a, %b, %acc : !hl.tile<[${BM}, ${BK}], ${T}>, !hl.tile<[${BK}, ${BN}], ${T}>, !hl.tile<[${BM}, ${BN}], ${A}> -> !hl.tile<[${BM}, ${BN}], ${A}>
      hl.yield %d : !hl.tile<[${BM}, ${BN}], ${A}>
    }
    hl.store %r, %out[%i, %j] : !hl.tile<[${BM}, ${BN}], ${A}>, !hl.tensor<[${M}, ${N}], ${A}>, !hl.span<${BM}>, !hl.span<${BN}>
  }
  hl.return
})";

struct Product {
  std::string dtype = "f32", sum = "f32";
  int64_t m = 33, n = 47, k = 29, blockM = 16, blockN = 32, blockK = 16;
  int64_t width = 16, tileM = 4, tileN = 2, unroll = 1;
  bool transposeX = false, transposeY = false;
};

void checkProduct(const Product &p) {
  SCOPED_TRACE(p.dtype + " " + str(p.m) + "x" + str(p.n) + "x" + str(p.k) + " blocks " + str(p.blockM) + " " +
               str(p.blockN) + " " + str(p.blockK) + " tile " + str(p.tileM) + " " + str(p.tileN) + " unroll " +
               str(p.unroll) + " width " + str(p.width) + (p.transposeX ? " x^T" : "") + (p.transposeY ? " y^T" : ""));
  int64_t xm = p.transposeX ? 1 : p.k, xk = p.transposeX ? p.m : 1;
  int64_t yk = p.transposeY ? 1 : p.n, yn = p.transposeY ? p.k : 1;
  CpuKernel kernel(substitute(product, {{"T", p.dtype},
                                        {"A", p.sum},
                                        {"Z", p.sum[0] == 'i' ? "0" : "0.0"},
                                        {"M", str(p.m)},
                                        {"N", str(p.n)},
                                        {"K", str(p.k)},
                                        {"BM", str(p.blockM)},
                                        {"BN", str(p.blockN)},
                                        {"BK", str(p.blockK)},
                                        {"W", str(p.width)},
                                        {"R", str(p.tileM)},
                                        {"C", str(p.tileN)},
                                        {"U", str(p.unroll)},
                                        {"XM", str(xm)},
                                        {"XK", str(xk)},
                                        {"YK", str(yk)},
                                        {"YN", str(yn)}}));
  ASSERT_TRUE(kernel.ok());
  Array x(p.dtype, p.m * p.k), y(p.dtype, p.k * p.n), out(p.sum, p.m * p.n);
  x.randomize(8);
  y.randomize(9);
  out.fill(-5);
  kernel.run({&x, &y, &out});
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < p.k; ++l)
        sum += x.get(i * xm + l * xk) * y.get(l * yk + j * yn);
      ASSERT_NEAR(out.get(i * p.n + j), sum, p.sum == "f64" ? 1e-12 : 1e-4) << i << " " << j;
    }
}

} // namespace

TEST(CpuDot, Types) {
  for (auto [dtype, sum] : {std::pair{"f32", "f32"}, {"bf16", "f32"}, {"f16", "f32"}, {"i8", "i32"}, {"f64", "f64"}}) {
    Product p;
    p.dtype = dtype;
    p.sum = sum;
    checkProduct(p);
    p.transposeX = p.transposeY = true;
    checkProduct(p);
    p.tileN = 3;
    p.blockN = 64;
    checkProduct(p);
    p.transposeY = false;
    checkProduct(p);
  }
}

TEST(CpuDot, RaggedSizes) {
  for (int64_t m : {1, 15, 16, 17})
    for (int64_t n : {1, 31, 32, 33})
      for (int64_t k : {1, 16, 17}) {
        Product p;
        p.m = m;
        p.n = n;
        p.k = k;
        checkProduct(p);
      }
}

TEST(CpuDot, RegisterBlocks) {
  for (int64_t tileM : {1, 3, 6, 8, 12})
    for (int64_t tileN : {1, 2, 3, 4})
      for (int64_t unroll : {1, 4}) {
        Product p;
        p.tileM = tileM;
        p.tileN = tileN;
        p.unroll = unroll;
        p.blockN = 64;
        p.n = 100;
        checkProduct(p);
      }
}

TEST(CpuDot, BlocksWidthsAndLayouts) {
  for (int64_t block : {1, 4, 16, 64})
    for (int64_t width : {4, 8, 16})
      for (bool transpose : {false, true}) {
        Product p;
        p.blockM = p.blockN = p.blockK = block;
        p.width = width;
        p.transposeX = transpose;
        p.transposeY = !transpose;
        checkProduct(p);
      }
}

// Few rows: the right side is read where it is.
TEST(CpuDot, FewRows) {
  for (auto [dtype, sum] : {std::pair{"f32", "f32"}, {"bf16", "f32"}, {"i8", "i32"}, {"f64", "f64"}})
    for (int64_t m : {1, 4, 7}) {
      Product p;
      p.dtype = dtype;
      p.sum = sum;
      p.m = m;
      p.n = 128;
      p.blockM = 8;
      p.blockN = 64;
      checkProduct(p);
      p.tileN = 3;
      checkProduct(p);
    }
}

// Batched, operands computed by maps and a transpose, the accumulator scaled before: softmax attention's second
// product.
TEST(CpuDot, BatchedWithComputedOperands) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[3, 10, 6], f32>, %y: !hl.tensor<[3, 20, 6], f32>, %out: !hl.tensor<[3, 10, 20], f32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  hl.grid (%b, %i) = (%c0, %c0) to (%c3, %c10) step [2, 8] {
    %a = hl.load %x[%b, %i, :] : !hl.tensor<[3, 10, 6], f32>, !hl.span<2>, !hl.span<8> -> !hl.tile<[2, 8, 6], f32>
    %a2 = hl.map (%p = %a) : (!hl.tile<[2, 8, 6], f32>) -> !hl.tile<[2, 8, 6], f32> {
      %r = arith.mulf %p, %two : f32
      hl.yield %r : f32
    }
    %v = hl.load %y[%b, :, :] : !hl.tensor<[3, 20, 6], f32>, !hl.span<2> -> !hl.tile<[2, 20, 6], f32>
    %t = hl.transpose %v [0, 2, 1] : !hl.tile<[2, 20, 6], f32> -> !hl.tile<[2, 6, 20], f32>
    %init = hl.full %one : f32 -> !hl.tile<[2, 8, 20], f32>
    %r = hl.loop (%l) = (%c0) to (%c3) step [1] iter(%acc = %init) -> (!hl.tile<[2, 8, 20], f32>) {
      %s = hl.map (%p = %acc) : (!hl.tile<[2, 8, 20], f32>) -> !hl.tile<[2, 8, 20], f32> {
        %q = arith.mulf %p, %two : f32
        hl.yield %q : f32
      }
      %d = hl.dot %a2, %t, %s : !hl.tile<[2, 8, 6], f32>, !hl.tile<[2, 6, 20], f32>, !hl.tile<[2, 8, 20], f32> -> !hl.tile<[2, 8, 20], f32>
      hl.yield %d : !hl.tile<[2, 8, 20], f32>
    }
    hl.store %r, %out[%b, %i, :] : !hl.tile<[2, 8, 20], f32>, !hl.tensor<[3, 10, 20], f32>, !hl.span<2>, !hl.span<8>
  }
  hl.return
})";
  CpuKernel kernel(text);
  ASSERT_TRUE(kernel.ok());
  Array x("f32", 180), y("f32", 360), out("f32", 600);
  x.randomize(1);
  y.randomize(2);
  kernel.run({&x, &y, &out});
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t i = 0; i < 10; ++i)
      for (int64_t j = 0; j < 20; ++j) {
        double dot = 0, acc = 1;
        for (int64_t l = 0; l < 6; ++l)
          dot += 2 * x.get((b * 10 + i) * 6 + l) * y.get((b * 20 + j) * 6 + l);
        for (int64_t l = 0; l < 3; ++l)
          acc = 2 * acc + dot;
        ASSERT_NEAR(out.get((b * 10 + i) * 20 + j), acc, 1e-4) << b << " " << i << " " << j;
      }
}
