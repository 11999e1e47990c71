//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Finds kernels by their decorators.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_FRONTEND_KERNELDECORATORS_H
#define HELIONC_LIB_FRONTEND_KERNELDECORATORS_H

#include "helionc/Frontend/Frontend.h"

namespace helionc::frontend {

/// Fills `kernels` with the functions of `module` under @helion.kernel. False after an error in one of them.
bool findKernels(const Module &module, Diagnostics &diagnostics, std::vector<KernelInfo> &kernels);

} // namespace helionc::frontend

#endif // HELIONC_LIB_FRONTEND_KERNELDECORATORS_H
