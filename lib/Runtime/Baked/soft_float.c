/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * Conversions that compilers call for half-precision floats on processors without them: code for such processors must
 * not need a compiler's own library. A half travels in the low 16 bits of a vector register. */
#include "baked.h"

#include <string.h>

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A double to the nearest float, except that an inexact result is made odd: rounding it again to fewer bits then gives
 * what rounding the double once would. */
static float round_to_odd(double value) {
  float near = (float)value;
  uint32_t bits = bits_of(near);
  if (value != value || (double)near == value || (bits & 1))
    return near;
  int is_too_far = near < 0 ? (double)near < value : (double)near > value;
  if (near == 0)
    return float_of((value < 0 ? 0x80000000u : 0) | 1);
  return float_of(is_too_far ? bits - 1 : bits + 1);
}

HELION_HIDDEN float __truncsfbf2(float value) {
  uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return float_of((bits >> 16) | 0x40);
  return float_of(((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) & 0xffff);
}

HELION_HIDDEN float __truncdfbf2(double value) { return __truncsfbf2(round_to_odd(value)); }

HELION_HIDDEN float __truncsfhf2(float value) {
  uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return float_of(sign | 0x7e00 | ((rest >> 13) & 0x1ff));
  if (rest >= 0x477ff000) /* rounds to 65536 or more */
    return float_of(sign | 0x7c00);
  if (rest >= 0x38800000) /* normal */
    return float_of(sign | ((rest - 0x38000000 + 0xfff + ((rest >> 13) & 1)) >> 13));
  if (rest < 0x33000000)
    return float_of(sign);
  uint32_t shift = 126 - (rest >> 23), whole = (rest & 0x7fffff) | 0x800000;
  uint32_t kept = whole >> shift, lost = whole & ((1u << shift) - 1), half = 1u << (shift - 1);
  return float_of(sign | (kept + (lost > half || (lost == half && (kept & 1)))));
}

HELION_HIDDEN float __truncdfhf2(double value) { return __truncsfhf2(round_to_odd(value)); }

/* The argument is an f16 in the low half of the register, which a float parameter names without converting it. */
HELION_HIDDEN float __extendhfsf2(float half) {
  uint32_t bits = bits_of(half) & 0xffff, sign = (bits & 0x8000) << 16, exponent = (bits >> 10) & 31,
           rest = bits & 0x3ff;
  if (exponent == 31)
    return float_of(sign | 0x7f800000 | (rest << 13) | (rest ? 0x400000 : 0));
  if (exponent)
    return float_of(sign | ((exponent + 112) << 23) | (rest << 13));
  float magnitude = (float)rest * 0x1p-24f;
  return float_of(sign | bits_of(magnitude));
}
