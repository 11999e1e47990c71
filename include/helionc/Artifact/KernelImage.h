//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A compiled kernel with what is needed to launch it, as plain data.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_ARTIFACT_KERNELIMAGE_H
#define HELIONC_ARTIFACT_KERNELIMAGE_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace helionc::artifact {

enum class ArgRole { In, Out, InOut, Temp, Scalar };

/// An argument of the kernel, in the order of the C interface (temporaries are not part of that).
struct Argument {
  std::string name;
  ArgRole role = ArgRole::In;
  /// "f32", "bf16", "i64", "bool", …
  std::string dtype;
  /// Sizes and strides in elements; empty for a scalar.
  std::vector<int64_t> shape, strides;
};

/// One launch. Launches of a kernel run in order; a grid with a 0 launches nothing.
struct Launch {
  std::string symbol;
  std::array<int64_t, 3> grid{1, 1, 1};
  /// GPU: threads a block and bytes of dynamic shared memory.
  int64_t blockThreads = 0, smemBytes = 0;
  /// CPU: bytes of scratch memory a thread, and threads (0: all).
  int64_t scratchBytes = 0, numThreads = 0;
};

/// The code of a kernel for one target and one set of shapes.
struct KernelImage {
  std::string kernel;
  /// "cpu" or a GPU architecture such as "sm_90a".
  std::string target;
  std::vector<Argument> args;
  std::vector<Launch> launches;
  /// An ELF relocatable object (cpu) or a cubin.
  std::string code;
  /// The configuration, as JSON.
  std::string configJson;
  /// CPU: the processor it was built for, and whether it needs AVX-512 or AVX2.
  std::string cpu;

  bool isGpu() const { return target != "cpu"; }
};

/// Bytes of an element; 0 for an unknown dtype.
int64_t dtypeBytes(const std::string &dtype);

} // namespace helionc::artifact

#endif // HELIONC_ARTIFACT_KERNELIMAGE_H
