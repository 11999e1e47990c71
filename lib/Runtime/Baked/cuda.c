/*===----------------------------------------------------------------------===*/
/* Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===----------------------------------------------------------------------===*/
/** \file
 * Launches cubins through the CUDA driver, which is loaded when the first GPU tensor comes. */
#include "baked.h"

#include <dlfcn.h>
#include <pthread.h>

typedef int CUresult;
typedef int CUdevice;
typedef struct context_s *CUcontext;
typedef struct module_s *CUmodule;
typedef struct function_s *CUfunction;
typedef unsigned long long CUdeviceptr;

static struct {
  CUresult (*Init)(unsigned);
  CUresult (*CtxGetCurrent)(CUcontext *);
  CUresult (*CtxSetCurrent)(CUcontext);
  CUresult (*CtxGetDevice)(CUdevice *);
  CUresult (*DevicePrimaryCtxRetain)(CUcontext *, CUdevice);
  CUresult (*DeviceGetAttribute)(int *, int, CUdevice);
  CUresult (*ModuleLoadData)(CUmodule *, const void *);
  CUresult (*ModuleGetFunction)(CUfunction *, CUmodule, const char *);
  CUresult (*FuncSetAttribute)(CUfunction, int, int);
  CUresult (*LaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                           void **, void **);
  CUresult (*MemAllocAsync)(CUdeviceptr *, size_t, void *);
  CUresult (*MemFreeAsync)(CUdeviceptr, void *);
  CUresult (*GetErrorString)(CUresult, const char **);
} cu;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state; /* 0 not loaded, 1 loaded, 2 failed */
static char why[256];

static const char *text_of(CUresult result) {
  const char *text = NULL;
  if (cu.GetErrorString)
    cu.GetErrorString(result, &text);
  return text ? text : "unknown error";
}

static int find(void *library, const char *name, void *slot) {
  void *symbol = dlsym(library, name);
  *(void **)slot = symbol;
  return symbol != 0;
}

static int copy_text(const char *text) {
  size_t i = 0;
  for (; text[i] && i + 1 < sizeof why; ++i)
    why[i] = text[i];
  why[i] = 0;
  return 0;
}

static int load(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return copy_text("there is no CUDA driver (libcuda.so.1)");
  int ok = find(library, "cuInit", &cu.Init) & find(library, "cuCtxGetCurrent", &cu.CtxGetCurrent) &
           find(library, "cuCtxSetCurrent", &cu.CtxSetCurrent) & find(library, "cuCtxGetDevice", &cu.CtxGetDevice) &
           find(library, "cuDevicePrimaryCtxRetain", &cu.DevicePrimaryCtxRetain) &
           find(library, "cuDeviceGetAttribute", &cu.DeviceGetAttribute) &
           find(library, "cuModuleLoadData", &cu.ModuleLoadData) &
           find(library, "cuModuleGetFunction", &cu.ModuleGetFunction) &
           find(library, "cuFuncSetAttribute", &cu.FuncSetAttribute) &
           find(library, "cuLaunchKernel", &cu.LaunchKernel) & find(library, "cuMemAllocAsync", &cu.MemAllocAsync) &
           find(library, "cuMemFreeAsync", &cu.MemFreeAsync) & find(library, "cuGetErrorString", &cu.GetErrorString);
  if (!ok)
    return copy_text("the CUDA driver is too old: it lacks an entry point (11.2 or newer is needed)");
  CUresult result = cu.Init(0);
  if (result)
    return copy_text(text_of(result));
  return 1;
}

/* The driver loaded, a context of the tensors' device current. `*previous` is the context to go back to, or NULL. */
int helion_rt_cuda_enter(int wanted, int *capability, void **previous) {
  pthread_mutex_lock(&lock);
  if (state == 0)
    state = load() ? 1 : 2;
  pthread_mutex_unlock(&lock);
  *previous = NULL;
  if (state != 1)
    return helion_rt_fail(HELION_NO_DEVICE, "no GPU can be used: %s", why);
  CUcontext context = NULL;
  CUdevice device = -1;
  cu.CtxGetCurrent(&context);
  CUresult result = context ? cu.CtxGetDevice(&device) : 0;
  if (!result && device != wanted) {
    CUcontext own = NULL;
    result = cu.DevicePrimaryCtxRetain(&own, wanted);
    if (!result)
      result = cu.CtxSetCurrent(own);
    if (!result)
      *previous = context;
  }
  if (result)
    return helion_rt_fail(HELION_NO_DEVICE, "GPU %d cannot be used: %s", wanted, text_of(result));
  int major = 0, minor = 0;
  cu.DeviceGetAttribute(&major, 75, wanted);
  cu.DeviceGetAttribute(&minor, 76, wanted);
  *capability = 10 * major + minor;
  return HELION_OK;
}

void helion_rt_cuda_leave(void *previous) {
  if (previous)
    cu.CtxSetCurrent(previous);
}

int helion_rt_cuda_alloc(void **pointer, int64_t bytes, void *stream) {
  CUdeviceptr memory = 0;
  CUresult result = cu.MemAllocAsync(&memory, (size_t)bytes, stream);
  if (result)
    return helion_rt_fail(HELION_OUT_OF_MEMORY, "no device memory for %lld bytes of temporaries: %s", (long long)bytes,
                          text_of(result));
  *pointer = (void *)(uintptr_t)memory;
  return HELION_OK;
}

void helion_rt_cuda_free(void *pointer, void *stream) { cu.MemFreeAsync((CUdeviceptr)(uintptr_t)pointer, stream); }

/* Functions of an image in a context, loaded once. */
enum { CACHE = 64, MAX_LAUNCHES = 16 };
static struct {
  const helion_image *image;
  CUcontext context;
  CUfunction functions[MAX_LAUNCHES];
} cache[CACHE];
static int cached;

static int functions_of(const helion_image *image, CUfunction **functions) {
  CUcontext context = NULL;
  cu.CtxGetCurrent(&context);
  for (int i = 0; i < cached; ++i)
    if (cache[i].image == image && cache[i].context == context) {
      *functions = cache[i].functions;
      return HELION_OK;
    }
  if (cached == CACHE || image->launch_count > MAX_LAUNCHES)
    return helion_rt_fail(HELION_LAUNCH_FAILED, "too many kernels are loaded");
  CUmodule module;
  CUresult result = cu.ModuleLoadData(&module, image->cubin);
  if (result)
    return helion_rt_fail(HELION_LAUNCH_FAILED, "the driver cannot load the code for %s: %s", image->target,
                          text_of(result));
  for (int64_t i = 0; i < image->launch_count; ++i) {
    const helion_launch *launch = &image->launches[i];
    result = cu.ModuleGetFunction(&cache[cached].functions[i], module, launch->symbol);
    if (!result && launch->smem_bytes > 48 * 1024)
      result = cu.FuncSetAttribute(cache[cached].functions[i], 8, (int)launch->smem_bytes);
    if (result)
      return helion_rt_fail(HELION_LAUNCH_FAILED, "the driver cannot prepare %s with %lld bytes of shared memory: %s",
                            launch->symbol, (long long)launch->smem_bytes, text_of(result));
  }
  cache[cached].image = image;
  cache[cached].context = context;
  *functions = cache[cached++].functions;
  return HELION_OK;
}

int helion_rt_launch_cuda(const helion_image *image, void **pointers, void *stream) {
  CUfunction *functions = NULL;
  pthread_mutex_lock(&lock);
  int error = functions_of(image, &functions);
  pthread_mutex_unlock(&lock);
  if (error)
    return error;
  void *parameters[HELION_MAX_ARGS];
  for (int64_t i = 0; i < image->argument_count; ++i)
    parameters[i] = image->arguments[i].role == HELION_ROLE_SCALAR ? pointers[i] : (void *)&pointers[i];
  for (int64_t i = 0; i < image->launch_count; ++i) {
    const helion_launch *launch = &image->launches[i];
    if (!launch->grid[0] || !launch->grid[1] || !launch->grid[2])
      continue;
    CUresult result =
        cu.LaunchKernel(functions[i], (unsigned)launch->grid[0], (unsigned)launch->grid[1], (unsigned)launch->grid[2],
                        (unsigned)launch->block_threads, 1, 1, (unsigned)launch->smem_bytes, stream, parameters, NULL);
    if (result)
      return helion_rt_fail(HELION_LAUNCH_FAILED, "launching %s failed: %s", launch->symbol, text_of(result));
  }
  return HELION_OK;
}
