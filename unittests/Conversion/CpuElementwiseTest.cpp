//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Elementwise code, loads, stores, masks and gathers on the CPU.
//===----------------------------------------------------------------------===//
#include "CpuKernel.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace helionc::test;

namespace {

std::string str(int64_t value) { return std::to_string(value); }
const int64_t raggedSizes[] = {0, 1, 7, 15, 16, 17, 31, 32, 33, 100};

double tolerance(const std::string &dtype) {
  return dtype == "bf16" ? 1e-2 : dtype == "f16" ? 2e-3 : dtype == "f32" ? 1e-5 : dtype == "f64" ? 1e-12 : 0;
}

/// out = x * y + x, in f32 for the small floats.
std::string axpyBody(const std::string &dtype) {
  if (dtype == "bf16" || dtype == "f16")
    return substitute(R"(
      %p = arith.extf %a : ${T} to f32
      %q = arith.extf %b : ${T} to f32
      %m = arith.mulf %p, %q : f32
      %s = arith.addf %m, %p : f32
      %r = arith.truncf %s : f32 to ${T})",
                      {{"T", dtype}});
  bool isInteger = dtype[0] == 'i';
  return substitute(isInteger ? R"(
      %m = arith.muli %a, %b : ${T}
      %r = arith.addi %m, %a : ${T})"
                              : R"(
      %m = arith.mulf %a, %b : ${T}
      %r = arith.addf %m, %a : ${T})",
                    {{"T", dtype}});
}

const char *elementwise = R"(
hl.kernel @k(%x: !hl.tensor<[${N}], ${T}>, %y: !hl.tensor<[${N}], ${T}>, %out: !hl.tensor<[${N}], ${T}>) attributes {config = {vector_width = ${W} : i64}} {
  %c0 = arith.constant 0 : index
  %n = arith.constant ${N} : index
  hl.grid (%i) = (%c0) to (%n) step [${B}] {
    %u = hl.load %x[%i] : !hl.tensor<[${N}], ${T}>, !hl.span<${B}> -> !hl.tile<[${B}], ${T}>
    %v = hl.load %y[%i] : !hl.tensor<[${N}], ${T}>, !hl.span<${B}> -> !hl.tile<[${B}], ${T}>
    %w = hl.map (%a = %u, %b = %v) : (!hl.tile<[${B}], ${T}>, !hl.tile<[${B}], ${T}>) -> !hl.tile<[${B}], ${T}> {
      ${BODY}
      hl.yield %r : ${T}
    }
    hl.store %w, %out[%i] : !hl.tile<[${B}], ${T}>, !hl.tensor<[${N}], ${T}>, !hl.span<${B}>
  }
  hl.return
})";

void checkElementwise(const std::string &dtype, int64_t n, int64_t block, int64_t width) {
  SCOPED_TRACE(dtype + " n=" + str(n) + " block=" + str(block) + " width=" + str(width));
  CpuKernel kernel(substitute(
      elementwise, {{"BODY", axpyBody(dtype)}, {"T", dtype}, {"N", str(n)}, {"B", str(block)}, {"W", str(width)}}));
  ASSERT_TRUE(kernel.ok());
  EXPECT_EQ(kernel.programs(), (n + block - 1) / block);
  Array x(dtype, n), y(dtype, n), out(dtype, n);
  x.randomize(1);
  y.randomize(2);
  kernel.run({&x, &y, &out});
  for (int64_t i = 0; i < n; ++i) {
    double expected = x.get(i) * y.get(i) + x.get(i);
    ASSERT_NEAR(out.get(i), expected, tolerance(dtype) * (1 + std::abs(expected))) << "at " << i;
  }
}

} // namespace

TEST(CpuElementwise, RaggedSizesAndTypes) {
  for (const char *dtype : {"f32", "bf16", "f16", "i32", "f64", "i64", "i8", "i16"})
    for (int64_t n : raggedSizes)
      checkElementwise(dtype, n, 32, 16);
}

TEST(CpuElementwise, BlocksAndWidths) {
  for (int64_t block : {1, 2, 8, 16, 64, 128})
    for (int64_t width : {1, 4, 8, 16, 32})
      checkElementwise("f32", 100, block, width);
}

// Two dims, strides of every kind: row-major, column-major, a stride of 0, gaps.
TEST(CpuMemory, Strides) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[${M}, ${N}], f32, strides [${S0}, ${S1}]>, %out: !hl.tensor<[${M}, ${N}], f32, strides [${D0}, ${D1}]>) {
  %c0 = arith.constant 0 : index
  %m = arith.constant ${M} : index
  %n = arith.constant ${N} : index
  hl.grid (%i, %j) = (%c0, %c0) to (%m, %n) step [8, 16] {
    %u = hl.load %x[%i, %j] : !hl.tensor<[${M}, ${N}], f32, strides [${S0}, ${S1}]>, !hl.span<8>, !hl.span<16> -> !hl.tile<[8, 16], f32>
    %w = hl.map (%a = %u) : (!hl.tile<[8, 16], f32>) -> !hl.tile<[8, 16], f32> {
      %r = arith.addf %a, %a : f32
      hl.yield %r : f32
    }
    hl.store %w, %out[%i, %j] : !hl.tile<[8, 16], f32>, !hl.tensor<[${M}, ${N}], f32, strides [${D0}, ${D1}]>, !hl.span<8>, !hl.span<16>
  }
  hl.return
})";
  struct Case {
    int64_t s0, s1, d0, d1;
  };
  int64_t m = 11, n = 35;
  for (Case c : {Case{n, 1, n, 1}, Case{1, m, n, 1}, Case{n, 1, 1, m}, Case{0, 1, n, 1}, Case{1, 0, n, 1},
                 Case{2 * n, 2, 3 * n, 3}, Case{1, m, 1, m}}) {
    SCOPED_TRACE(str(c.s0) + " " + str(c.s1) + " to " + str(c.d0) + " " + str(c.d1));
    CpuKernel kernel(substitute(
        text,
        {{"M", str(m)}, {"N", str(n)}, {"S0", str(c.s0)}, {"S1", str(c.s1)}, {"D0", str(c.d0)}, {"D1", str(c.d1)}}));
    ASSERT_TRUE(kernel.ok());
    Array x("f32", (m - 1) * c.s0 + (n - 1) * c.s1 + 1), out("f32", (m - 1) * c.d0 + (n - 1) * c.d1 + 1);
    x.randomize(3);
    out.fill(-7);
    kernel.run({&x, &out});
    std::vector<double> expected(out.size(), -7);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        expected[i * c.d0 + j * c.d1] = 2 * x.get(i * c.s0 + j * c.s1);
    for (int64_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out.get(i), expected[i]) << "at " << i;
  }
}

TEST(CpuMemory, MasksAndBooleans) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[${N}], f32>, %m: !hl.tensor<[${N}], i1>, %out: !hl.tensor<[${N}], f32>, %pos: !hl.tensor<[${N}], i1>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant ${N} : index
  %zero = arith.constant 0.0 : f32
  hl.grid (%i) = (%c0) to (%n) step [${B}] {
    %mask = hl.load %m[%i] : !hl.tensor<[${N}], i1>, !hl.span<${B}> -> !hl.tile<[${B}], i1>
    %v = hl.load %x[%i] mask %mask : !hl.tensor<[${N}], f32>, !hl.span<${B}>, !hl.tile<[${B}], i1> -> !hl.tile<[${B}], f32>
    %p = hl.map (%a = %v) : (!hl.tile<[${B}], f32>) -> !hl.tile<[${B}], i1> {
      %r = arith.cmpf ogt, %a, %zero : f32
      hl.yield %r : i1
    }
    hl.store %v, %out[%i] mask %p : !hl.tile<[${B}], f32>, !hl.tensor<[${N}], f32>, !hl.span<${B}>, !hl.tile<[${B}], i1>
    hl.store %p, %pos[%i] : !hl.tile<[${B}], i1>, !hl.tensor<[${N}], i1>, !hl.span<${B}>
  }
  hl.return
})";
  for (int64_t block : {1, 16, 32})
    for (int64_t n : {1, 7, 33, 64}) {
      CpuKernel kernel(substitute(text, {{"N", str(n)}, {"B", str(block)}}));
      ASSERT_TRUE(kernel.ok());
      Array x("f32", n), mask("i1", n), out("f32", n), positive("i1", n);
      x.randomize(4);
      mask.randomize(5);
      out.fill(-3);
      kernel.run({&x, &mask, &out, &positive});
      for (int64_t i = 0; i < n; ++i) {
        double value = mask.get(i) ? x.get(i) : 0;
        ASSERT_EQ(out.get(i), value > 0 ? value : -3) << "at " << i;
        ASSERT_EQ(positive.get(i), value > 0) << "at " << i;
      }
    }
}

TEST(CpuMemory, GatherAndScatter) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[50, 20], ${T}>, %idx: !hl.tensor<[${N}], ${I}>, %out: !hl.tensor<[${N}, 20], ${T}>, %back: !hl.tensor<[${N}], ${T}>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant ${N} : index
  hl.grid (%i) = (%c0) to (%n) step [8] {
    %at = hl.load %idx[%i] : !hl.tensor<[${N}], ${I}>, !hl.span<8> -> !hl.tile<[8], ${I}>
    %v = hl.load %x[%at, :] : !hl.tensor<[50, 20], ${T}>, !hl.tile<[8], ${I}> -> !hl.tile<[8, 20], ${T}>
    hl.store %v, %out[%i, :] : !hl.tile<[8, 20], ${T}>, !hl.tensor<[${N}, 20], ${T}>, !hl.span<8>
    %c = hl.load %x[%at, %c3] : !hl.tensor<[50, 20], ${T}>, !hl.tile<[8], ${I}>, index -> !hl.tile<[8], ${T}>
    hl.store %c, %back[%at] : !hl.tile<[8], ${T}>, !hl.tensor<[${N}], ${T}>, !hl.tile<[8], ${I}>
  }
  hl.return
})";
  for (const char *dtype : {"f32", "bf16", "i64"})
    for (const char *indexType : {"i32", "i64"})
      for (int64_t n : {1, 7, 8, 19, 50}) {
        SCOPED_TRACE(std::string(dtype) + " " + indexType + " " + str(n));
        CpuKernel kernel(substitute(text, {{"T", dtype}, {"I", indexType}, {"N", str(n)}}));
        ASSERT_TRUE(kernel.ok());
        Array x(dtype, 1000), index(indexType, n), out(dtype, n * 20), back(dtype, n);
        x.randomize(6);
        for (int64_t i = 0; i < n; ++i)
          index.set(i, double((i * 7 + 3) % n));
        kernel.run({&x, &index, &out, &back});
        for (int64_t i = 0; i < n; ++i) {
          int64_t row = int64_t(index.get(i));
          for (int64_t j = 0; j < 20; ++j)
            ASSERT_EQ(out.get(i * 20 + j), x.get(row * 20 + j)) << i << " " << j;
          ASSERT_EQ(back.get(row), x.get(row * 20 + 3)) << i;
        }
      }
}

// A load sees what was in memory at its place in the program, not what a later store writes.
TEST(CpuMemory, InOutOrder) {
  const char *text = R"(
hl.kernel @k(%x: !hl.tensor<[64], f32> {hl.role = "inout"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  hl.grid (%i) = (%c0) to (%c1) step [1] {
    %a = hl.load %x[:] : !hl.tensor<[64], f32> -> !hl.tile<[64], f32>
    %m = hl.reshape %a : !hl.tile<[64], f32> -> !hl.tile<[8, 8], f32>
    %t = hl.transpose %m [1, 0] : !hl.tile<[8, 8], f32> -> !hl.tile<[8, 8], f32>
    %u = hl.reshape %t : !hl.tile<[8, 8], f32> -> !hl.tile<[64], f32>
    hl.store %u, %x[:] : !hl.tile<[64], f32>, !hl.tensor<[64], f32>
    %b = hl.load %x[:] : !hl.tensor<[64], f32> -> !hl.tile<[64], f32>
    %s = hl.map (%p = %a, %q = %b) : (!hl.tile<[64], f32>, !hl.tile<[64], f32>) -> !hl.tile<[64], f32> {
      %r = arith.subf %p, %q : f32
      hl.yield %r : f32
    }
    hl.store %s, %x[:] : !hl.tile<[64], f32>, !hl.tensor<[64], f32>
  }
  hl.return
})";
  CpuKernel kernel(text);
  ASSERT_TRUE(kernel.ok());
  Array x("f32", 64);
  x.randomize(7);
  std::vector<double> before;
  for (int64_t i = 0; i < 64; ++i)
    before.push_back(x.get(i));
  kernel.run({&x});
  for (int64_t i = 0; i < 64; ++i)
    ASSERT_EQ(x.get(i), double(float(before[i]) - float(before[i % 8 * 8 + i / 8]))) << "at " << i;
}

TEST(CpuMemory, ScalarsIndicesAndIntegerDivision) {
  const char *text = R"(
hl.kernel @k(%s: f32, %d: i64, %out: !hl.tensor<[100], f32>, %q: !hl.tensor<[100], i64>) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  hl.grid (%i) = (%c0) to (%c100) step [32] {
    %at = hl.indices %i : !hl.span<32> -> !hl.tile<[32], i64>
    %v = hl.map (%a = %at) : (!hl.tile<[32], i64>) -> !hl.tile<[32], f32> {
      %f = arith.sitofp %a : i64 to f32
      %r = arith.mulf %f, %s : f32
      hl.yield %r : f32
    }
    %w = hl.map (%a = %at) : (!hl.tile<[32], i64>) -> !hl.tile<[32], i64> {
      %x = arith.remsi %d, %a : i64
      %y = arith.floordivsi %a, %d : i64
      %r = arith.addi %x, %y : i64
      hl.yield %r : i64
    }
    hl.store %v, %out[%i] : !hl.tile<[32], f32>, !hl.tensor<[100], f32>, !hl.span<32>
    hl.store %w, %q[%i] : !hl.tile<[32], i64>, !hl.tensor<[100], i64>, !hl.span<32>
  }
  hl.return
})";
  CpuKernel kernel(text);
  ASSERT_TRUE(kernel.ok());
  float scale = 0.5f;
  int64_t divisor = 7;
  Array out("f32", 100), quotients("i64", 100);
  kernel.run({&scale, &divisor, out.data(), quotients.data()});
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(out.get(i), i * 0.5);
    if (i > 0)
      ASSERT_EQ(quotients.get(i), 7 % i + i / 7) << "at " << i;
  }
}
