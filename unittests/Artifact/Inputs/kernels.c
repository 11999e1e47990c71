/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * Hand-written kernels in the CPU interface of launches, on 4 x 8 matrices; a program is a row. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 8 };

void add_0(void **args, int64_t program, void *scratch) {
  const float *x = (const float *)args[0] + program * N, *y = (const float *)args[1] + program * N;
  float *out = (float *)args[2] + program * N, *sum = scratch;
  for (int i = 0; i < N; ++i)
    sum[i] = x[i] + y[i];
  memcpy(out, sum, N * sizeof(float));
}

/* Prints once, where the worker's replies go. */
void noisy_0(void **args, int64_t program, void *scratch) {
  static int is_done;
  if (!__atomic_exchange_n(&is_done, 1, __ATOMIC_RELAXED)) {
    printf("noise\n");
    fflush(stdout);
  }
  add_0(args, program, scratch);
}

void wrong_0(void **args, int64_t program, void *scratch) {
  add_0(args, program, scratch);
  if (program == 2)
    ((float *)args[2])[2 * N + 3] += 1;
}

/* Leaves the last row alone. */
void partial_0(void **args, int64_t program, void *scratch) {
  if (program < 3)
    add_0(args, program, scratch);
}

void crash_0(void **args, int64_t program, void *scratch) { *(volatile int *)(program * 0) = 1; }
void hang_0(void **args, int64_t program, void *scratch) {
  for (;;)
    usleep(1000);
}

/* Two launches over a temporary: temp = x + y, out = 2 * temp. */
void twice_0(void **args, int64_t program, void *scratch) {
  void *first[] = {args[0], args[1], args[3]};
  add_0(first, program, scratch);
}
void twice_1(void **args, int64_t program, void *scratch) {
  for (int i = 0; i < N; ++i)
    ((float *)args[2])[program * N + i] = 2 * ((float *)args[3])[program * N + i];
}

/* x *= a, in place; a is an f32, n an i32. */
void scale_0(void **args, int64_t program, void *scratch) {
  float a = *(float *)args[0];
  int32_t n = *(int32_t *)args[1];
  for (int i = 0; i < N; ++i)
    ((float *)args[2])[program * N + i] *= a * (float)n;
}
