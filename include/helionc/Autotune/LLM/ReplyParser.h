//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads configurations from what a language model wrote.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_REPLYPARSER_H
#define HELIONC_AUTOTUNE_LLM_REPLYPARSER_H

#include "helionc/Autotune/Core/Measurement.h"
#include "helionc/Tuning/ConfigSpace.h"

namespace helionc::autotune {

/// What could be read from a reply.
struct ParsedReply {
  /// Valid, complete, distinct configurations with their rationales, in the order of the reply.
  std::vector<Proposal> proposals;
  /// What was refused, each with its reasons: goes into the next prompt.
  std::vector<std::string> refusals;
  /// The reply was no clean JSON of the schema: prose, code fences, comments, Python literals, or cut short.
  bool wasSalvaged = false;
  /// The text ended inside a value; the element that was cut is left out, never repaired.
  bool wasCut = false;
};

/// At most so many configurations are taken from one reply.
constexpr size_t maxConfigsPerReply = 64;

/// Reads `text`, which may be anything. Only the keys of `space` and a rationale are read, configuration by
/// configuration: a bad one is refused, the others are kept.
ParsedReply parseReply(llvm::StringRef text, const tuning::ConfigSpace &space, llvm::StringRef origin);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_REPLYPARSER_H
