/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * The run-time that is linked into every library of helionc. A library holds, for each kernel, a table of images: code
 * for one target and one set of shapes. The entry of a kernel checks its arguments and runs the image that fits. */
#ifndef HELIONC_BAKED_H
#define HELIONC_BAKED_H

#include "helionc/Artifact/DLPack.h"

#include <stddef.h>

#define HELION_HIDDEN __attribute__((visibility("hidden")))

enum { HELION_MAX_RANK = 8, HELION_MAX_ARGS = 64 };
enum { HELION_ROLE_IN, HELION_ROLE_OUT, HELION_ROLE_INOUT, HELION_ROLE_TEMP, HELION_ROLE_SCALAR };
/* Error codes of the entries. */
enum {
  HELION_OK = 0,
  HELION_BAD_ARGUMENT = 1,
  HELION_NO_IMAGE = 2,
  HELION_NO_DEVICE = 3,
  HELION_LAUNCH_FAILED = 4,
  HELION_OUT_OF_MEMORY = 5
};

typedef void (*helion_cpu_function)(void **args, int64_t program, void *scratch);

typedef struct {
  const char *name;
  int64_t role, code, bits, rank;
  int64_t shape[HELION_MAX_RANK], strides[HELION_MAX_RANK];
} helion_argument;

typedef struct {
  const char *symbol;
  helion_cpu_function function; /* CPU */
  int64_t grid[3], block_threads, smem_bytes, scratch_bytes, num_threads;
} helion_launch;

typedef struct {
  const char *target;
  const void *cubin; /* GPU; NULL on the CPU */
  int64_t cubin_bytes;
  int64_t compute_capability; /* 10 * major + minor; 0 on the CPU */
  int64_t is_exact;           /* runs on that capability alone (sm_90a) */
  int64_t cpu_level;          /* CPU: 0 any x86-64, 2 AVX2, 3 AVX-512 */
  int64_t argument_count, launch_count;
  const helion_argument *arguments;
  const helion_launch *launches;
  const char *config;
} helion_image;

typedef struct {
  const char *name;
  int64_t image_count;
  const helion_image *images;
} helion_kernel;

/* The entry that every kernel's own calls: `args` are DLTensor* for tensors and pointers to scalars, in the kernel's
 * order without temporaries. */
HELION_HIDDEN int helion_rt_call(const helion_kernel *kernel, void *const *args, int64_t count, void *stream);
HELION_HIDDEN int helion_rt_outputs(const helion_kernel *kernel, void *const *args, int64_t count, DLTensor *outputs,
                                    int64_t capacity);
HELION_HIDDEN const char *helion_rt_last_error(void);
HELION_HIDDEN int helion_rt_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs `function` for programs 0 … count - 1 on up to `threads` threads (0: all), each with its own scratch memory. */
HELION_HIDDEN int helion_rt_parallel(helion_cpu_function function, void **args, int64_t count, int64_t threads,
                                     int64_t scratch_bytes);
HELION_HIDDEN int helion_rt_launch_cuda(const helion_image *image, void **pointers, void *stream);
HELION_HIDDEN int helion_rt_cuda_enter(int device, int *capability, void **previous);
HELION_HIDDEN void helion_rt_cuda_leave(void *previous);
HELION_HIDDEN int helion_rt_cuda_alloc(void **pointer, int64_t bytes, void *stream);
HELION_HIDDEN void helion_rt_cuda_free(void *pointer, void *stream);

#endif /* HELIONC_BAKED_H */
