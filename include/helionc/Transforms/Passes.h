//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Passes over the hl dialect.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TRANSFORMS_PASSES_H
#define HELIONC_TRANSFORMS_PASSES_H

#include "helionc/Dialect/HL/HL.h"

#include "mlir/Pass/Pass.h"

namespace helionc::transforms {

#define GEN_PASS_DECL
#include "helionc/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "helionc/Transforms/Passes.h.inc"

} // namespace helionc::transforms

#endif // HELIONC_TRANSFORMS_PASSES_H
