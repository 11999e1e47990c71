//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Makes the images.
//===----------------------------------------------------------------------===//
#include "TestImages.h"

#include "helionc/Support/FileSystem.h"

using namespace helionc;
using artifact::ArgRole;

artifact::Argument helionc::testkernels::argument(const std::string &name, ArgRole role, std::vector<int64_t> shape,
                                                  const std::string &dtype) {
  artifact::Argument result{name, role, dtype, shape, std::vector<int64_t>(shape.size(), 1)};
  for (size_t i = shape.size(); i-- > 1;)
    result.strides[i - 1] = result.strides[i] * shape[i];
  return result;
}

artifact::KernelImage helionc::testkernels::rowKernel(const std::string &kernel, int64_t rows) {
  artifact::KernelImage image;
  image.kernel = kernel;
  image.target = "cpu";
  image.args = {argument("x", ArgRole::In, {rows, 8}), argument("y", ArgRole::In, {rows, 8}),
                argument("out", ArgRole::Out, {rows, 8})};
  artifact::Launch launch;
  launch.symbol = kernel + "_0";
  launch.grid = {rows, 1, 1};
  launch.scratchBytes = 64;
  image.launches = {launch};
  image.code = llvm::cantFail(support::readFile(HELIONC_TEST_KERNELS));
  image.configJson = R"({"block_sizes":[1]})";
  return image;
}

helionc::testkernels::HostTensor::HostTensor(std::vector<int64_t> dims, float start) : shape(std::move(dims)) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(start + float(i));
  tensor.data = values.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = int32_t(shape.size());
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape.data();
}
