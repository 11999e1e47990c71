//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads what the artifact needs to know off the modules: arguments and launches.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_IMAGEBUILDER_H
#define HELIONC_PIPELINE_IMAGEBUILDER_H

#include "helionc/Artifact/KernelImage.h"
#include "helionc/Pipeline/Compile.h"

namespace helionc::pipeline {

/// Fills name, target, arguments and configuration of `image` from the one hl.kernel of `module`, instantiated.
llvm::Error readArguments(mlir::ModuleOp module, const Target &target, artifact::KernelImage &image);

/// Fills the launches of `image` from the attributes that the conversions left on the functions of `module`.
llvm::Error readLaunches(mlir::ModuleOp module, artifact::KernelImage &image);

} // namespace helionc::pipeline

#endif // HELIONC_PIPELINE_IMAGEBUILDER_H
