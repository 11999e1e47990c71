//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Keeps keys out of every text.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_REDACTION_H
#define HELIONC_AUTOTUNE_LLM_REDACTION_H

#include <string>
#include <vector>

namespace helionc::autotune {

/// `text` with `secret` replaced by "[key]" in all its forms: as it is, percent-encoded, in JSON escapes, in Base64 (at
/// each of the three alignments). A secret of less than 4 characters is none.
std::string redact(std::string text, const std::string &secret);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_REDACTION_H
