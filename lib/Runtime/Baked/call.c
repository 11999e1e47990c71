/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * Checks the arguments of a call and runs the image that fits them. */
#include "baked.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread char last_error[1024];

int helion_rt_fail(int code, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(last_error, sizeof last_error, format, list);
  va_end(list);
  return code;
}

const char *helion_rt_last_error(void) { return last_error; }

static void shape_text(const int64_t *shape, int64_t rank, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int64_t i = 0; i < rank && used < size; ++i)
    used += (size_t)snprintf(text + used, size - used, i ? ", %lld" : "%lld", (long long)shape[i]);
  if (used < size)
    snprintf(text + used, size - used, "]");
}

static const char *dtype_text(int64_t code, int64_t bits, char *text, size_t size) {
  const char *names[] = {"i", "u", "f", "?", "bf", "c", "bool"};
  if (code == kDLBool)
    return "bool";
  snprintf(text, size, "%s%lld", code >= 0 && code < 7 ? names[code] : "?", (long long)bits);
  return text;
}

static int64_t element_count(const int64_t *shape, int64_t rank) {
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i)
    count *= shape[i];
  return count;
}

/* Whether the strides of a tensor are the expected ones; a dim of size 0 or 1 may have any. */
static int strides_match(const DLTensor *tensor, const helion_argument *expected) {
  int64_t dense = 1;
  if (element_count(expected->shape, expected->rank) == 0)
    return 1;
  for (int64_t i = expected->rank - 1; i >= 0; --i) {
    int64_t stride = tensor->strides ? tensor->strides[i] : dense;
    if (expected->shape[i] > 1 && stride != expected->strides[i])
      return 0;
    dense *= tensor->shape[i];
  }
  return 1;
}

static int is_on_gpu(const DLTensor *tensor) {
  return tensor && (tensor->device.device_type == kDLCUDA || tensor->device.device_type == kDLCUDAManaged);
}

/* 0 when `tensor` is what the image expects; else an error that names the argument. */
static int check_tensor(const helion_kernel *kernel, const helion_argument *expected, const DLTensor *tensor,
                        const DLTensor *first) {
  char have[160], want[160], t0[16], t1[16];
  int on_gpu = is_on_gpu(first);
  if (!tensor)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' is NULL", kernel->name, expected->name);
  if (tensor->ndim != expected->rank)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' has %d dims, expected %lld", kernel->name,
                          expected->name, tensor->ndim, (long long)expected->rank);
  if (expected->rank && !tensor->shape)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: the shape of argument '%s' is NULL", kernel->name, expected->name);
  /* Bytes that hold 0 and 1 are booleans in older versions of DLPack. */
  int is_bool = expected->code == kDLBool && tensor->dtype.bits == 8 && tensor->dtype.lanes == 1 &&
                (tensor->dtype.code == kDLBool || tensor->dtype.code == kDLUInt || tensor->dtype.code == kDLInt);
  if (!is_bool &&
      (tensor->dtype.code != expected->code || tensor->dtype.bits != expected->bits || tensor->dtype.lanes != 1))
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' is %s, expected %s", kernel->name, expected->name,
                          dtype_text(tensor->dtype.code, tensor->dtype.bits, t0, sizeof t0),
                          dtype_text(expected->code, expected->bits, t1, sizeof t1));
  int device = tensor->device.device_type;
  int is_cuda = device == kDLCUDA || device == kDLCUDAManaged;
  if (on_gpu ? !is_cuda : device != kDLCPU && device != kDLCUDAHost)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' is %s, but the first tensor is %s", kernel->name,
                          expected->name, is_cuda ? "on a GPU" : "in host memory",
                          on_gpu ? "on a GPU" : "in host memory");
  if (on_gpu && tensor->device.device_id != first->device.device_id)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' is on GPU %d, but the first tensor is on GPU %d",
                          kernel->name, expected->name, tensor->device.device_id, first->device.device_id);
  if (memcmp(tensor->shape, expected->shape, sizeof(int64_t) * (size_t)expected->rank)) {
    shape_text(tensor->shape, expected->rank, have, sizeof have);
    shape_text(expected->shape, expected->rank, want, sizeof want);
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' has shape %s, expected %s", kernel->name,
                          expected->name, have, want);
  }
  if (!strides_match(tensor, expected)) {
    if (tensor->strides)
      shape_text(tensor->strides, expected->rank, have, sizeof have);
    else
      snprintf(have, sizeof have, "row-major");
    shape_text(expected->strides, expected->rank, want, sizeof want);
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: argument '%s' has strides %s, expected %s", kernel->name,
                          expected->name, have, want);
  }
  int64_t count = element_count(expected->shape, expected->rank);
  if (count && !tensor->data)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: the data of argument '%s' is NULL", kernel->name, expected->name);
  uintptr_t address = (uintptr_t)tensor->data + tensor->byte_offset;
  uintptr_t need = on_gpu ? 16 : (uintptr_t)(expected->bits >= 8 ? expected->bits / 8 : 1);
  if (count && address % need)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: the data of argument '%s' is not aligned to %d bytes", kernel->name,
                          expected->name, (int)need);
  return HELION_OK;
}

static void *data_of(const DLTensor *tensor) { return (char *)tensor->data + tensor->byte_offset; }

/* The bytes that a tensor spans, from its first element on. */
static int64_t span_bytes(const helion_argument *a) {
  int64_t last = 0;
  if (element_count(a->shape, a->rank) == 0)
    return 0;
  for (int64_t i = 0; i < a->rank; ++i)
    last += (a->shape[i] - 1) * a->strides[i];
  return (last + 1) * (a->bits >= 8 ? a->bits / 8 : 1);
}

/* An output may not share memory with another argument: the kernel would read what it has written. */
static int check_aliases(const helion_kernel *kernel, const helion_image *image, void **pointers) {
  for (int64_t i = 0; i < image->argument_count; ++i) {
    const helion_argument *out = &image->arguments[i];
    if (out->role != HELION_ROLE_OUT && out->role != HELION_ROLE_INOUT)
      continue;
    for (int64_t j = 0; j < image->argument_count; ++j) {
      const helion_argument *other = &image->arguments[j];
      if (j == i || other->role == HELION_ROLE_SCALAR || other->role == HELION_ROLE_TEMP)
        continue;
      char *a = pointers[i], *b = pointers[j];
      if (a < b + span_bytes(other) && b < a + span_bytes(out))
        return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: the output '%s' shares memory with '%s'", kernel->name,
                              out->name, other->name);
    }
  }
  return HELION_OK;
}

static int64_t visible_count(const helion_image *image) {
  int64_t count = 0;
  for (int64_t i = 0; i < image->argument_count; ++i)
    count += image->arguments[i].role != HELION_ROLE_TEMP;
  return count;
}

/* The level of the processor, the operating system's support included: 3 AVX-512, 2 AVX2 and FMA, 0 else. */
static int64_t cpu_level(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA))
    return 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x6) != 0x6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
    return 0;
  const unsigned wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  return (low & 0xe6) == 0xe6 && (b & wanted) == wanted ? 3 : 2;
#else
  return 0;
#endif
}

static int same_shape(const DLTensor *tensor, const helion_argument *a) {
  return tensor && tensor->ndim == a->rank &&
         (!a->rank || (tensor->shape && !memcmp(tensor->shape, a->shape, sizeof(int64_t) * (size_t)a->rank)));
}

/* Whether the shapes that select an image fit, without saying why not. */
static int shapes_fit(const helion_image *image, void *const *args, int64_t count) {
  int64_t place = 0;
  if (visible_count(image) != count)
    return 0;
  for (int64_t i = 0; i < image->argument_count; ++i) {
    const helion_argument *a = &image->arguments[i];
    if (a->role == HELION_ROLE_TEMP)
      continue;
    const DLTensor *tensor = args[place++];
    if (a->role == HELION_ROLE_SCALAR)
      continue;
    if (!same_shape(tensor, a))
      return 0;
  }
  return 1;
}

static int device_fits(const helion_image *image, int on_gpu, int capability) {
  if (!on_gpu)
    return !image->cubin && image->cpu_level <= cpu_level();
  if (!image->cubin)
    return 0;
  if (image->is_exact || image->compute_capability / 10 != capability / 10)
    return image->compute_capability == capability;
  return image->compute_capability <= capability;
}

static int no_image(const helion_kernel *kernel, int on_gpu, int capability) {
  char text[512] = "";
  size_t used = 0;
  for (int64_t i = 0; i < kernel->image_count && used < sizeof text; ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", kernel->images[i].target);
  if (on_gpu)
    return helion_rt_fail(HELION_NO_IMAGE, "%s: this library holds code for %s, the device is sm_%d", kernel->name,
                          text, capability);
  for (int64_t i = 0; i < kernel->image_count; ++i)
    if (!kernel->images[i].cubin)
      return helion_rt_fail(HELION_NO_IMAGE, "%s: this library was built for a processor with %s, which this one lacks",
                            kernel->name, kernel->images[i].cpu_level == 3 ? "AVX-512" : "AVX2");
  return helion_rt_fail(HELION_NO_IMAGE, "%s: this library holds code for %s only, but the tensors are in host memory",
                        kernel->name, text);
}

/* The error of shapes that no image was built for: lists those it was. */
static int no_shapes(const helion_kernel *kernel, int on_gpu, int capability) {
  char text[800] = "", shape[160];
  size_t used = 0;
  for (int64_t i = 0; i < kernel->image_count && used < sizeof text; ++i) {
    const helion_image *image = &kernel->images[i];
    if (!device_fits(image, on_gpu, capability))
      continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s", used ? "; " : "");
    for (int64_t j = 0; j < image->argument_count && used < sizeof text; ++j) {
      const helion_argument *a = &image->arguments[j];
      if (a->role == HELION_ROLE_TEMP || a->role == HELION_ROLE_SCALAR)
        continue;
      shape_text(a->shape, a->rank, shape, sizeof shape);
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", j ? " " : "", a->name, shape);
    }
  }
  return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: the shapes fit none that this library was built for: %s",
                        kernel->name, text);
}

/* The tensor that says where the kernel runs; NULL when there is none. */
static const DLTensor *first_tensor(const helion_image *image, void *const *args, int64_t count) {
  int64_t place = 0;
  for (int64_t i = 0; i < image->argument_count && place < count; ++i) {
    if (image->arguments[i].role == HELION_ROLE_TEMP)
      continue;
    if (image->arguments[i].role != HELION_ROLE_SCALAR && args[place])
      return args[place];
    ++place;
  }
  return NULL;
}

static const helion_image *choose_image(const helion_kernel *kernel, void *const *args, int64_t count, int on_gpu,
                                        int capability, int *error) {
  const helion_image *fallback = NULL;
  int fitting = 0;
  for (int64_t i = 0; i < kernel->image_count; ++i) {
    const helion_image *image = &kernel->images[i];
    if (!device_fits(image, on_gpu, capability))
      continue;
    if (shapes_fit(image, args, count))
      return image;
    fallback = fallback ? fallback : image;
    ++fitting;
  }
  if (!fallback)
    *error = no_image(kernel, on_gpu, capability);
  else if (fitting > 1 && visible_count(fallback) == count) {
    *error = no_shapes(kernel, on_gpu, capability);
    return NULL;
  }
  return fallback; /* Its checks say what does not fit. */
}

static int run_cpu(const helion_image *image, void **pointers) {
  for (int64_t i = 0; i < image->launch_count; ++i) {
    const helion_launch *launch = &image->launches[i];
    int64_t count = launch->grid[0] * launch->grid[1] * launch->grid[2];
    int error = helion_rt_parallel(launch->function, pointers, count, launch->num_threads, launch->scratch_bytes);
    if (error)
      return error;
  }
  return HELION_OK;
}

/* The C interface passes a double, an int64_t or a bool; kernels take scalars of their own type. */
typedef union {
  float f32;
  double f64;
  int64_t i64;
} scalar_t;

static void *typed_scalar(const helion_argument *a, const void *given, scalar_t *to) {
  if (a->code == kDLBool)
    to->i64 = *(const unsigned char *)given != 0;
  else if (a->code != kDLFloat)
    to->i64 = *(const int64_t *)given; /* narrower integers are its low bytes */
  else if (a->bits == 32)
    to->f32 = (float)*(const double *)given;
  else
    to->f64 = *(const double *)given;
  return to;
}

/* Allocates the temporaries, launches, frees them. */
static int run_image(const helion_kernel *kernel, const helion_image *image, void **pointers, int on_gpu,
                     void *stream) {
  int error = HELION_OK;
  for (int64_t i = 0; i < image->argument_count && !error; ++i) {
    if (image->arguments[i].role != HELION_ROLE_TEMP)
      continue;
    int64_t bytes = span_bytes(&image->arguments[i]);
    if (on_gpu)
      error = helion_rt_cuda_alloc(&pointers[i], bytes ? bytes : 1, stream);
    else if (!(pointers[i] = aligned_alloc(64, (size_t)((bytes + 127) / 64 * 64))))
      error = helion_rt_fail(HELION_OUT_OF_MEMORY, "%s: no memory for %lld bytes of temporaries", kernel->name,
                             (long long)bytes);
  }
  if (!error)
    error = on_gpu ? helion_rt_launch_cuda(image, pointers, stream) : run_cpu(image, pointers);
  for (int64_t i = 0; i < image->argument_count; ++i)
    if (image->arguments[i].role == HELION_ROLE_TEMP && pointers[i]) {
      if (on_gpu)
        helion_rt_cuda_free(pointers[i], stream);
      else
        free(pointers[i]);
    }
  return error;
}

/* Chooses the image, checks the arguments, runs it; the device is ready. */
static int call_image(const helion_kernel *kernel, void *const *args, int64_t count, const DLTensor *first,
                      int capability, void *stream) {
  int on_gpu = is_on_gpu(first), error = HELION_OK;
  const helion_image *image = choose_image(kernel, args, count, on_gpu, capability, &error);
  if (!image)
    return error;
  if (visible_count(image) != count || image->argument_count > HELION_MAX_ARGS)
    return helion_rt_fail(HELION_BAD_ARGUMENT, "%s: %lld arguments, expected %lld", kernel->name, (long long)count,
                          (long long)visible_count(image));
  void *pointers[HELION_MAX_ARGS] = {0};
  scalar_t scalars[HELION_MAX_ARGS];
  int64_t place = 0;
  for (int64_t i = 0; i < image->argument_count; ++i) {
    const helion_argument *a = &image->arguments[i];
    if (a->role == HELION_ROLE_TEMP)
      continue;
    if (a->role == HELION_ROLE_SCALAR) {
      pointers[i] = typed_scalar(a, args[place++], &scalars[i]);
      continue;
    }
    if ((error = check_tensor(kernel, a, args[place], first)))
      return error;
    pointers[i] = data_of(args[place++]);
  }
  error = check_aliases(kernel, image, pointers);
  return error ? error : run_image(kernel, image, pointers, on_gpu, stream);
}

int helion_rt_call(const helion_kernel *kernel, void *const *args, int64_t count, void *stream) {
  const DLTensor *first = first_tensor(&kernel->images[0], args, count);
  if (!is_on_gpu(first))
    return call_image(kernel, args, count, first, 0, stream);
  int capability = 0;
  void *previous = NULL;
  int error = helion_rt_cuda_enter(first->device.device_id, &capability, &previous);
  if (!error)
    error = call_image(kernel, args, count, first, capability, stream);
  helion_rt_cuda_leave(previous);
  return error;
}

/* Fills shape, strides, rank and dtype of the outputs; their arrays point into the library. */
int helion_rt_outputs(const helion_kernel *kernel, void *const *args, int64_t count, DLTensor *outputs,
                      int64_t capacity) {
  const helion_image *image = NULL;
  for (int64_t i = 0; i < kernel->image_count && !image; ++i) {
    const helion_image *candidate = &kernel->images[i];
    int64_t place = 0;
    int fits = 1;
    for (int64_t j = 0; j < candidate->argument_count && fits; ++j) {
      const helion_argument *a = &candidate->arguments[j];
      if (a->role == HELION_ROLE_TEMP || a->role == HELION_ROLE_OUT)
        continue;
      const DLTensor *tensor = place < count ? args[place] : NULL;
      ++place;
      if (a->role != HELION_ROLE_SCALAR)
        fits = same_shape(tensor, a);
    }
    if (fits && place == count)
      image = candidate;
  }
  if (!image)
    image = &kernel->images[0];
  int64_t made = 0;
  for (int64_t j = 0; j < image->argument_count; ++j) {
    const helion_argument *a = &image->arguments[j];
    if (a->role != HELION_ROLE_OUT)
      continue;
    if (made < capacity && outputs) {
      DLTensor *out = &outputs[made];
      memset(out, 0, sizeof *out);
      out->device.device_type = kDLCPU;
      out->ndim = (int32_t)a->rank;
      out->dtype.code = (uint8_t)a->code;
      out->dtype.bits = (uint8_t)a->bits;
      out->dtype.lanes = 1;
      out->shape = (int64_t *)a->shape;
      out->strides = (int64_t *)a->strides;
    }
    ++made;
  }
  return (int)made;
}
