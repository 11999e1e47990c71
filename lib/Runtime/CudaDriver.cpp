//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Calls the CUDA driver through dlopen.
//===----------------------------------------------------------------------===//
#include "helionc/Runtime/CudaDriver.h"

#include "llvm/ADT/StringRef.h"

#include <dlfcn.h>

using namespace helionc::runtime;
using llvm::Error;

namespace {
using Result = int;
struct Entries {
  Result (*cuInit)(unsigned);
  Result (*cuDeviceGetCount)(int *);
  Result (*cuDeviceGetName)(char *, int, int);
  Result (*cuDeviceGetAttribute)(int *, int, int);
  Result (*cuDeviceTotalMem_v2)(size_t *, int);
  Result (*cuDevicePrimaryCtxRetain)(void **, int);
  Result (*cuCtxSetCurrent)(void *);
  Result (*cuMemAlloc_v2)(uint64_t *, size_t);
  Result (*cuMemFree_v2)(uint64_t);
  Result (*cuMemcpyHtoD_v2)(uint64_t, const void *, size_t);
  Result (*cuMemcpyDtoH_v2)(void *, uint64_t, size_t);
  Result (*cuMemsetD8_v2)(uint64_t, unsigned char, size_t);
  Result (*cuCtxSynchronize)();
  Result (*cuEventCreate)(void **, unsigned);
  Result (*cuEventRecord)(void *, void *);
  Result (*cuEventSynchronize)(void *);
  Result (*cuEventElapsedTime)(float *, void *, void *);
  Result (*cuGetErrorString)(Result, const char **);
};
Entries cu;

template <typename T> bool find(void *library, const char *name, T &entry) {
  entry = reinterpret_cast<T>(dlsym(library, name));
  return entry != nullptr;
}
} // namespace

Error CudaDriver::check(Result result, llvm::StringRef what) {
  if (!result)
    return Error::success();
  const char *text = nullptr;
  cu.cuGetErrorString(result, &text);
  return llvm::createStringError(what + " failed: " + (text ? text : "unknown error"));
}

Error CudaDriver::initialize() {
  library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return llvm::createStringError("there is no CUDA driver (libcuda.so.1)");
#define FIND(name)                                                                                                     \
  if (!find(library, #name, cu.name))                                                                                  \
  return llvm::createStringError("the CUDA driver lacks " #name)
  FIND(cuInit);
  FIND(cuDeviceGetCount);
  FIND(cuDeviceGetName);
  FIND(cuDeviceGetAttribute);
  FIND(cuDeviceTotalMem_v2);
  FIND(cuDevicePrimaryCtxRetain);
  FIND(cuCtxSetCurrent);
  FIND(cuMemAlloc_v2);
  FIND(cuMemFree_v2);
  FIND(cuMemcpyHtoD_v2);
  FIND(cuMemcpyDtoH_v2);
  FIND(cuMemsetD8_v2);
  FIND(cuCtxSynchronize);
  FIND(cuEventCreate);
  FIND(cuEventRecord);
  FIND(cuEventSynchronize);
  FIND(cuEventElapsedTime);
  FIND(cuGetErrorString);
#undef FIND
  return check(cu.cuInit(0), "starting the CUDA driver");
}

llvm::Expected<CudaDriver *> CudaDriver::load() {
  static CudaDriver driver;
  static bool tried = false;
  static std::string failure;
  if (!tried) {
    tried = true;
    if (Error error = driver.initialize())
      failure = llvm::toString(std::move(error));
  }
  if (!failure.empty())
    return llvm::createStringError(failure);
  return &driver;
}

llvm::Expected<DeviceInfo> CudaDriver::deviceInfo(int device) {
  int count = 0;
  if (Error error = check(cu.cuDeviceGetCount(&count), "counting the devices"))
    return std::move(error);
  if (device >= count)
    return llvm::createStringError("there is no GPU " + llvm::Twine(device));
  DeviceInfo info;
  char name[256] = "";
  cu.cuDeviceGetName(name, sizeof name, device);
  info.name = name;
  auto attribute = [&](int which) {
    int value = 0;
    cu.cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  info.major = attribute(75);
  info.minor = attribute(76);
  info.multiprocessors = attribute(16);
  info.l2Bytes = attribute(38);
  info.smemBytes = attribute(97);
  info.memoryBandwidth = 2.0 * attribute(36) * 1e3 * attribute(37) / 8;
  size_t memory = 0;
  cu.cuDeviceTotalMem_v2(&memory, device);
  info.memoryBytes = int64_t(memory);
  return info;
}

Error CudaDriver::use(int device) {
  void *context = nullptr;
  if (Error error = check(cu.cuDevicePrimaryCtxRetain(&context, device), "opening the GPU"))
    return error;
  return check(cu.cuCtxSetCurrent(context), "opening the GPU");
}

llvm::Expected<uint64_t> CudaDriver::allocate(size_t bytes) {
  uint64_t pointer = 0;
  if (Error error = check(cu.cuMemAlloc_v2(&pointer, std::max<size_t>(bytes, 16)),
                          ("allocating " + llvm::Twine(bytes) + " bytes on the GPU").str()))
    return std::move(error);
  return pointer;
}

void CudaDriver::release(uint64_t pointer) { cu.cuMemFree_v2(pointer); }

Error CudaDriver::toDevice(uint64_t to, const void *from, size_t bytes) {
  return bytes ? check(cu.cuMemcpyHtoD_v2(to, from, bytes), "copying to the GPU") : Error::success();
}

Error CudaDriver::toHost(void *to, uint64_t from, size_t bytes) {
  return bytes ? check(cu.cuMemcpyDtoH_v2(to, from, bytes), "copying from the GPU") : Error::success();
}

Error CudaDriver::fill(uint64_t pointer, unsigned char byte, size_t bytes) {
  return bytes ? check(cu.cuMemsetD8_v2(pointer, byte, bytes), "filling memory of the GPU") : Error::success();
}

Error CudaDriver::synchronize() { return check(cu.cuCtxSynchronize(), "running on the GPU"); }

Error CudaDriver::recordEvent(int which) {
  if (!events[which])
    if (Error error = check(cu.cuEventCreate(&events[which], 0), "making an event"))
      return error;
  return check(cu.cuEventRecord(events[which], nullptr), "recording an event");
}

llvm::Expected<double> CudaDriver::elapsedMicros() {
  if (Error error = check(cu.cuEventSynchronize(events[1]), "running on the GPU"))
    return std::move(error);
  float millis = 0;
  if (Error error = check(cu.cuEventElapsedTime(&millis, events[0], events[1]), "reading an event"))
    return std::move(error);
  return double(millis) * 1e3;
}
