//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The facts of a kernel and a target in the tuner's form.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_PROMPT_H
#define HELIONC_DRIVER_PROMPT_H

#include "helionc/Analysis/TargetFacts.h"
#include "helionc/Autotune/LLM/KernelFacts.h"
#include "helionc/Autotune/LLM/PromptRenderer.h"
#include "helionc/Driver/Session.h"

namespace helionc::hl {
class KernelOp;
} // namespace helionc::hl

namespace helionc::driver {

/// What the embedded expert's rules read.
autotune::KernelFacts kernelFacts(hl::KernelOp kernel, const analysis::TargetFacts &facts);
/// What every prompt says.
autotune::PromptFacts promptFacts(Session &session, hl::KernelOp kernel, const analysis::TargetFacts &facts);
/// The first prompt as it would be sent: the text of --emit=prompt.
llvm::Expected<std::string> promptText(Session &session, hl::KernelOp kernel, const analysis::TargetFacts &facts);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_PROMPT_H
