//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Adds a target's tuning parameters to a kernel, and reads a kernel's space as plain data.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_ANALYSIS_COLLECTTUNABLES_H
#define HELIONC_ANALYSIS_COLLECTTUNABLES_H

#include "helionc/Analysis/TargetFacts.h"
#include "helionc/Tuning/ConfigSpace.h"

namespace helionc::hl {
class KernelOp;
} // namespace helionc::hl

namespace helionc::analysis {

/// Adds to `kernel`, which has the parameters of its loops, those that `target` gives meaning to, and the requirements
/// that refuse configurations the target cannot run. Does nothing to a kernel that already has parameters of a target.
void collectTunables(hl::KernelOp kernel, const TargetFacts &target);

/// The parameters and requirements of `kernel`, in order.
tuning::ConfigSpace readConfigSpace(hl::KernelOp kernel);

} // namespace helionc::analysis

#endif // HELIONC_ANALYSIS_COLLECTTUNABLES_H
