//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of the half-precision conversions that libraries carry, against LLVM's.
//===----------------------------------------------------------------------===//

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "gtest/gtest.h"

#include <cstring>

extern "C" {
float __truncsfbf2(float);
float __truncdfbf2(double);
float __truncsfhf2(float);
float __truncdfhf2(double);
float __extendhfsf2(float);
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

template <typename T> static uint32_t expected(T value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
  return uint32_t(number.bitcastToAPInt().getZExtValue());
}

TEST(SoftFloat, EveryHalfWidens) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    llvm::APFloat number(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    float wide = __extendhfsf2(floatOf(bits | 0xdead0000)); // the upper half of the register is anything
    if (number.isNaN())
      ASSERT_TRUE(wide != wide) << bits;
    else
      ASSERT_EQ(bitsOf(wide), bitsOf(number.convertToFloat())) << bits;
  }
}

TEST(SoftFloat, FloatsRoundToNearestEven) {
  for (uint64_t i = 0; i < (uint64_t(1) << 32); i += 977) {
    float value = floatOf(uint32_t(i));
    if (value != value)
      continue;
    ASSERT_EQ(bitsOf(__truncsfhf2(value)) & 0xffff, expected(value, llvm::APFloat::IEEEhalf())) << value;
    ASSERT_EQ(bitsOf(__truncsfbf2(value)) & 0xffff, expected(value, llvm::APFloat::BFloat())) << value;
  }
}

TEST(SoftFloat, DoublesRoundOnce) {
  // Just over the middle of two halves: rounding to f32 first would make it a tie.
  for (double value :
       {1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-11 - 0x1p-40, 1.0 + 0x1p-8 + 0x1p-40, -1.0 - 0x1p-8 - 0x1p-40,
        0x1p-25 + 0x1p-70, 65520.0, 65519.999999, 1e300, -1e-300, 0.0, 3.14159265358979}) {
    EXPECT_EQ(bitsOf(__truncdfhf2(value)) & 0xffff, expected(value, llvm::APFloat::IEEEhalf())) << value;
    EXPECT_EQ(bitsOf(__truncdfbf2(value)) & 0xffff, expected(value, llvm::APFloat::BFloat())) << value;
  }
}

TEST(SoftFloat, NaNStaysNaN) {
  float nan = floatOf(0x7f800001);
  EXPECT_GT(bitsOf(__truncsfhf2(nan)) & 0x7fff, 0x7c00u);
  EXPECT_GT(bitsOf(__truncsfbf2(nan)) & 0x7fff, 0x7f80u);
}
