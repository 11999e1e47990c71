//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Resolves target names to what the pipeline compiles for.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_TARGETSELECTION_H
#define HELIONC_DRIVER_TARGETSELECTION_H

#include "helionc/Pipeline/Compile.h"

namespace helionc::driver {

/// The target called `name`: "cpu", a GPU architecture of the table, or "auto" (the GPU that is present, else the CPU).
/// An unknown name is an error with the nearest one suggested.
llvm::Expected<pipeline::Target> selectTarget(llvm::StringRef name);

/// One line a target, for --print-targets.
std::string listTargets();

} // namespace helionc::driver

#endif // HELIONC_DRIVER_TARGETSELECTION_H
