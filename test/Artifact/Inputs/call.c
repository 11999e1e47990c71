/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * A C program that calls helion_add through its header for two workloads, and once wrongly. */
#include "add.h"

#include <stdio.h>

static DLTensor tensor(float *data, int32_t rank, int64_t *shape) {
  DLTensor result = {data, {kDLCPU, 0}, rank, {kDLFloat, 32, 1}, shape, 0, 0};
  return result;
}

static int add(int64_t rows, int64_t columns) {
  static float x[4 * 6], y[6], out[4 * 6];
  int64_t shape[] = {rows, columns}, row[] = {columns};
  for (int i = 0; i < 24; ++i)
    x[i] = (float)i;
  for (int i = 0; i < 6; ++i)
    y[i] = 100;
  DLTensor tx = tensor(x, 2, shape), ty = tensor(y, 1, row), to = tensor(out, 2, shape);
  if (helion_add(&tx, &ty, &to, 0)) {
    printf("%s\n", helion_add_last_error());
    return 1;
  }
  printf("%lldx%lld: last is %g\n", (long long)rows, (long long)columns, out[rows * columns - 1]);
  return 0;
}

int main(void) {
  add(4, 6);
  add(2, 3);
  return !add(3, 3);
}
