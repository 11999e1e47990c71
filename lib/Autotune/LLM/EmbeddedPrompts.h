//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The prompt templates that the library carries.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_AUTOTUNE_LLM_EMBEDDEDPROMPTS_H
#define HELIONC_LIB_AUTOTUNE_LLM_EMBEDDEDPROMPTS_H

#include "llvm/ADT/StringRef.h"

namespace helionc::autotune {

/// The text of prompts/<name>.txt, "" when there is none.
llvm::StringRef embeddedPromptText(llvm::StringRef name);

} // namespace helionc::autotune

#endif // HELIONC_LIB_AUTOTUNE_LLM_EMBEDDEDPROMPTS_H
