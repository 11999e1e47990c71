//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The CUDA driver, loaded when it is there: facts of devices, memory, events.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_RUNTIME_CUDADRIVER_H
#define HELIONC_RUNTIME_CUDADRIVER_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace helionc::runtime {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0, multiprocessors = 0;
  int64_t l2Bytes = 0, memoryBytes = 0, smemBytes = 0;
  /// Bytes per second, from the memory clock and the width of the bus; 0 when the driver does not tell.
  double memoryBandwidth = 0;
};

/// Entry points of libcuda.so.1, declared here: no CUDA header is needed to build, no driver to run without a GPU.
class CudaDriver {
public:
  /// The driver, loaded and initialized once a process. An error says what is missing.
  static llvm::Expected<CudaDriver *> load();

  llvm::Expected<DeviceInfo> deviceInfo(int device);
  /// Makes the device's primary context current in this thread.
  llvm::Error use(int device);
  llvm::Expected<uint64_t> allocate(size_t bytes);
  void release(uint64_t pointer);
  llvm::Error toDevice(uint64_t to, const void *from, size_t bytes);
  llvm::Error toHost(void *to, uint64_t from, size_t bytes);
  llvm::Error fill(uint64_t pointer, unsigned char byte, size_t bytes);
  llvm::Error synchronize();
  /// Records two events around `work` on the default stream; the time between them in microseconds.
  template <typename Work> llvm::Expected<double> timeMicros(Work work) {
    if (auto error = recordEvent(0))
      return std::move(error);
    if (auto error = work())
      return std::move(error);
    if (auto error = recordEvent(1))
      return std::move(error);
    return elapsedMicros();
  }

private:
  llvm::Error initialize();
  llvm::Error check(int result, llvm::StringRef what);
  llvm::Error recordEvent(int which);
  llvm::Expected<double> elapsedMicros();
  void *library = nullptr;
  void *events[2] = {nullptr, nullptr};
};

} // namespace helionc::runtime

#endif // HELIONC_RUNTIME_CUDADRIVER_H
