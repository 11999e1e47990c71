//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Passes from one dialect to another.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_CONVERSION_PASSES_H
#define HELIONC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace helionc::conversion {

#define GEN_PASS_DECL
#include "helionc/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "helionc/Conversion/Passes.h.inc"

} // namespace helionc::conversion

#endif // HELIONC_CONVERSION_PASSES_H
