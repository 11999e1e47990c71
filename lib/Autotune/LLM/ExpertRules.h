//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The parts of the embedded expert.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_AUTOTUNE_LLM_EXPERTRULES_H
#define HELIONC_LIB_AUTOTUNE_LLM_EXPERTRULES_H

#include "helionc/Autotune/Core/Measurement.h"
#include "helionc/Autotune/LLM/KernelFacts.h"
#include "helionc/Tuning/ConfigSpace.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace helionc::autotune {

/// Sorts by falling `score(item)`; items of the same score keep their order.
template <typename T, typename Score> void sortByScore(std::vector<T> &items, Score score) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < items.size(); ++i)
    order.push_back({-score(items[i]), i});
  llvm::sort(order);
  std::vector<T> sorted;
  for (const auto &entry : order)
    sorted.push_back(std::move(items[entry.second]));
  items = std::move(sorted);
}

/// Values somebody would like parameters to have; the nearest there are get taken.
struct Wish {
  std::map<std::string, int64_t> values;
  std::string rationale;
};

/// The complete, valid configuration nearest to a wish: each value is snapped to one that its parameter has; then,
/// while a constraint is broken, one parameter it names is moved by a step. Nothing when that does not end well.
std::optional<tuning::Config> fitToSpace(const tuning::ConfigSpace &space, const Wish &wish);

/// Names of the parameters of a role, in the order of the space.
std::vector<std::string> withRole(const tuning::ConfigSpace &space, llvm::StringRef role);

/// Recipes by kind of kernel, best guess first.
std::vector<Wish> cpuDotWishes(const tuning::ConfigSpace &space, const KernelFacts &facts);
std::vector<Wish> cpuRowWishes(const tuning::ConfigSpace &space, const KernelFacts &facts);
std::vector<Wish> cpuElementwiseWishes(const tuning::ConfigSpace &space, const KernelFacts &facts);
std::vector<Wish> gpuDotWishes(const tuning::ConfigSpace &space, const KernelFacts &facts);
std::vector<Wish> gpuRowWishes(const tuning::ConfigSpace &space, const KernelFacts &facts);
std::vector<Wish> gpuElementwiseWishes(const tuning::ConfigSpace &space, const KernelFacts &facts);

/// Steps from the best measured configuration, those first that follow a direction which helped.
std::vector<Proposal> refineBest(const tuning::ConfigSpace &space, llvm::ArrayRef<Observation> observations,
                                 size_t count);

/// The loop dims of the facts, by place in the kernel.
struct LoopRoles {
  std::vector<const LoopFact *> rows, columns;
  const LoopFact *m = nullptr, *n = nullptr, *k = nullptr;
};
LoopRoles classifyLoops(const KernelFacts &facts);

/// Blocks of the smallest launch's grid when every parameter has the value that `values` gives (1 when silent).
double gridPrograms(const KernelFacts &facts, const std::map<std::string, int64_t> &values);

} // namespace helionc::autotune

#endif // HELIONC_LIB_AUTOTUNE_LLM_EXPERTRULES_H
