//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Renders the prompts from versioned templates.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_PROMPTRENDERER_H
#define HELIONC_AUTOTUNE_LLM_PROMPTRENDERER_H

#include "helionc/Autotune/Core/Measurement.h"
#include "helionc/Tuning/ConfigSpace.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace helionc::autotune {

/// A template: a header line `#! helionc prompt, version N; placeholders: a, b`, then text with `{{a}}` and `{{b}}`.
class PromptTemplate {
public:
  using Values = std::map<std::string, std::string>;

  /// Fails when the header is malformed, or when the header and the text do not name the same placeholders.
  static llvm::Expected<PromptTemplate> parse(llvm::StringRef text);
  /// The embedded template called `name`: system, initial, refine or repair.
  static llvm::Expected<PromptTemplate> embedded(llvm::StringRef name);

  /// Replaces every placeholder, once: what a value contains is never replaced again. Fails on a value that is missing
  /// or that nothing asks for.
  llvm::Expected<std::string> render(const Values &values) const;

  int version() const { return versionNumber; }
  const std::vector<std::string> &placeholders() const { return names; }

private:
  int versionNumber = 0;
  std::vector<std::string> names;
  std::string body;
};

/// What all prompts of one kernel say.
struct PromptFacts {
  std::string kernel, source;
  /// The IR summary and the target's facts, as text.
  std::string summary, device, target;
};

/// Writes the messages of a conversation.
class PromptRenderer {
public:
  PromptRenderer(const tuning::ConfigSpace &space, PromptFacts facts) : space(space), facts(std::move(facts)) {}

  std::string system() const;
  std::string initial(llvm::ArrayRef<Proposal> seeds, size_t count) const;
  /// `refusals`: what was refused from the last answer, with the reasons.
  std::string refine(llvm::ArrayRef<Observation> observations, llvm::ArrayRef<std::string> refusals,
                     size_t count) const;
  std::string repair(llvm::ArrayRef<std::string> problems, size_t count) const;

private:
  std::string resultLines(llvm::ArrayRef<Observation> observations) const;
  std::string failureLines(llvm::ArrayRef<Observation> observations) const;
  std::string effectLines(llvm::ArrayRef<Observation> observations) const;
  std::string untriedLines(llvm::ArrayRef<Observation> observations) const;
  std::string diffText(const tuning::Config &config) const;
  std::string resultText(const Observation &observation, double baselineMicros) const;

  const tuning::ConfigSpace &space;
  PromptFacts facts;
};

/// A line that does not occur in `text`, to stand before and after it.
std::string fenceFor(llvm::StringRef text);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_PROMPTRENDERER_H
