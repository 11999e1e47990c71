/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* Loads the tuned library of examples/matmul.hl and multiplies two matrices read from files.
 * usage: use_matmul X Y OUT, files of raw float32 of the shapes that the library was built for. */
#include "libmatmul.h"

#include <stdio.h>
#include <stdlib.h>

static DLTensor tensor(int64_t *shape) {
  DLTensor t = {0};
  t.device.device_type = kDLCPU;
  t.ndim = 2;
  t.dtype.code = kDLFloat;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  t.shape = shape;
  t.data = aligned_alloc(64, (size_t)(shape[0] * shape[1]) * sizeof(float));
  return t;
}

static int transfer(const char *path, const char *mode, DLTensor *t) {
  FILE *file = fopen(path, mode);
  size_t count = (size_t)(t->shape[0] * t->shape[1]);
  size_t done = !file ? 0 : mode[0] == 'r' ? fread(t->data, 4, count, file) : fwrite(t->data, 4, count, file);
  if (!file || fclose(file) || done != count) {
    fprintf(stderr, "cannot read or write %s\n", path);
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s X Y OUT\n", argv[0]);
    return 2;
  }
  int64_t xs[2] = {1024, 1024}, ys[2] = {1024, 1024};
  DLTensor x = tensor(xs), y = tensor(ys), out;
  if (transfer(argv[1], "rb", &x) || transfer(argv[2], "rb", &y))
    return 1;
  /* The library says what the output looks like. */
  DLTensor described;
  if (helion_matmul_outputs(&x, &y, &described, 1) != 1)
    return 1;
  out = tensor(described.shape);
  if (helion_matmul(&x, &y, &out, NULL)) {
    fprintf(stderr, "%s\n", helion_matmul_last_error());
    return 1;
  }
  printf("ran with %s\n", helion_matmul_config());
  return transfer(argv[3], "wb", &out);
}
