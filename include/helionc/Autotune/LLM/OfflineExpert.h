//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The embedded expert: proposes configurations by rules, where no language model is named.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_OFFLINEEXPERT_H
#define HELIONC_AUTOTUNE_LLM_OFFLINEEXPERT_H

#include "helionc/Autotune/Core/Measurement.h"
#include "helionc/Autotune/LLM/KernelFacts.h"
#include "helionc/Tuning/ConfigSpace.h"

#include "llvm/ADT/ArrayRef.h"

namespace helionc::autotune {

/// Rules of the trade. Deterministic: the same space, facts and observations give the same proposals.
class OfflineExpert {
public:
  OfflineExpert(const tuning::ConfigSpace &space, KernelFacts facts) : space(space), facts(std::move(facts)) {}

  /// At most `count` valid, complete configurations that `observations` does not have, best guess first, each with one
  /// line of rationale. Recipes at first; once something was measured, steps from the best that follow what helped.
  std::vector<Proposal> propose(llvm::ArrayRef<Observation> observations, size_t count) const;
  /// The recipes alone: seeds for any search.
  std::vector<Proposal> recipes(size_t count) const;

private:
  const tuning::ConfigSpace &space;
  KernelFacts facts;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_OFFLINEEXPERT_H
