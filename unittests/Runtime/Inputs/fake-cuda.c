/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * A CUDA driver of two devices in host memory, for tests of how it is called. A cubin is a text: "add" launches
 * out = x + y over 8 columns a block, "fault" fails as an illegal access does, for good; "damaged" does not load. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int device;
} context_t;
static context_t contexts[2] = {{0}, {1}};
static __thread context_t *current;
static int sticky;

int cuInit(unsigned flags) { return flags != 0; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGetName(char *name, int size, int device) { return strncpy(name, "fake", (size_t)size), 0; }
int cuDeviceGetAttribute(int *value, int which, int device) {
  const char *wanted = getenv("FAKE_CUDA_CAPABILITY");
  int capability = wanted ? atoi(wanted) : 90;
  *value = which == 75 ? capability / 10 : which == 76 ? capability % 10 : which == 38 ? 1024 : 1;
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = 1 << 30, 0; }
int cuDevicePrimaryCtxRetain(context_t **context, int device) {
  if (device < 0 || device > 1)
    return 101;
  *context = &contexts[device];
  return sticky;
}
int cuCtxGetCurrent(context_t **context) { return *context = current, 0; }
int cuCtxSetCurrent(context_t *context) { return current = context, 0; }
int cuCtxGetDevice(int *device) { return current ? (*device = current->device, 0) : 201; }
int cuCtxSynchronize(void) { return sticky; }

/* The context of an allocation lies before it. */
enum { HEADER = 256 };
static context_t *contextOf(void *pointer) { return *(context_t **)((char *)pointer - HEADER); }
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  char *memory = aligned_alloc(256, HEADER + (bytes + 255) / 256 * 256);
  if (!memory)
    return 2;
  *(context_t **)memory = current;
  *pointer = (uint64_t)(memory + HEADER);
  return sticky;
}
int cuMemFree_v2(uint64_t pointer) { return free((char *)pointer - HEADER), sticky; }
int cuMemAllocAsync(uint64_t *pointer, size_t bytes, void *stream) { return cuMemAlloc_v2(pointer, bytes); }
int cuMemFreeAsync(uint64_t pointer, void *stream) { return cuMemFree_v2(pointer); }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { return memcpy((void *)to, from, bytes), sticky; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return memcpy(to, (void *)from, bytes), sticky; }
int cuMemsetD8_v2(uint64_t to, unsigned char byte, size_t bytes) { return memset((void *)to, byte, bytes), sticky; }

int cuModuleLoadData(const char **module, const char *image) {
  *module = strncmp(image, "fault", 5) == 0 ? "fault" : "add";
  return sticky ? sticky : strncmp(image, "damaged", 7) == 0 ? 200 : 0;
}
int cuModuleGetFunction(const char **function, const char *module, const char *name) { return *function = module, 0; }
int cuFuncSetAttribute(const char *function, int which, int value) { return value > 227 * 1024; }
int cuLaunchKernel(const char *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
  if (contextOf(*(void **)parameters[0]) != current)
    return 1; /* memory of another device */
  if (!strcmp(function, "fault"))
    sticky = 700; /* seen at the next call, as on a device */
  else
    for (unsigned i = 0; i < 8 * x; ++i)
      (*(float **)parameters[2])[i] = (*(float **)parameters[0])[i] + (*(float **)parameters[1])[i];
  return 0;
}

int cuEventCreate(void **event, unsigned flags) { return *event = &sticky, 0; }
int cuEventRecord(void *event, void *stream) { return sticky; }
int cuEventSynchronize(void *event) { return sticky; }
int cuEventElapsedTime(float *millis, void *from, void *to) { return *millis = 1.0f, 0; }
int cuGetErrorString(int error, const char **text) {
  *text = error == 700   ? "an illegal memory access was encountered"
          : error == 200 ? "device kernel image is invalid"
          : error == 101 ? "invalid device ordinal"
                         : "another error";
  return 0;
}
