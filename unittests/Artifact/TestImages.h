//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Images of the hand-written kernels.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_UNITTESTS_ARTIFACT_TESTIMAGES_H
#define HELIONC_UNITTESTS_ARTIFACT_TESTIMAGES_H

#include "helionc/Artifact/DLPack.h"
#include "helionc/Artifact/KernelImage.h"

#include <string>
#include <vector>

namespace helionc::testkernels {

/// A row-major argument.
artifact::Argument argument(const std::string &name, artifact::ArgRole role, std::vector<int64_t> shape,
                            const std::string &dtype = "f32");

/// `kernel` (add, wrong, crash, …) of Inputs/kernels.c: f32 [rows, 8] x and y in, out out; one launch over the rows.
artifact::KernelImage rowKernel(const std::string &kernel, int64_t rows = 4);

/// A tensor of host memory, row-major.
struct HostTensor {
  explicit HostTensor(std::vector<int64_t> shape, float start = 0);
  operator DLTensor *() { return &tensor; }
  std::vector<int64_t> shape;
  std::vector<float> values;
  DLTensor tensor{};
};

} // namespace helionc::testkernels

#endif // HELIONC_UNITTESTS_ARTIFACT_TESTIMAGES_H
