//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Facts for the tuner and the prompt.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Prompt.h"

#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Analysis/KernelSummary.h"
#include "helionc/Artifact/KernelImage.h"
#include "helionc/Autotune/Search/StrategyRegistry.h"
#include "helionc/Dialect/HL/HL.h"

using namespace helionc;
using namespace helionc::driver;

static void addLoops(const analysis::LoopSummary &loop, int64_t launch, autotune::KernelFacts &facts) {
  for (const analysis::LoopDim &dim : loop.dims) {
    autotune::LoopFact fact;
    fact.name = dim.param.empty() ? "dim" : dim.param;
    fact.extent = dim.extent.value_or(0);
    fact.blockParam = dim.param;
    fact.isGrid = loop.isGrid;
    fact.isDotM = dim.dotRole == "m";
    fact.isDotN = dim.dotRole == "n";
    fact.isDotK = dim.dotRole == "k";
    fact.isReduction = dim.isReduced;
    fact.launch = launch;
    facts.loops.push_back(std::move(fact));
  }
  for (const analysis::LoopSummary &inner : loop.inner)
    addLoops(inner, launch, facts);
}

autotune::KernelFacts helionc::driver::kernelFacts(hl::KernelOp kernel, const analysis::TargetFacts &target) {
  analysis::KernelSummary summary = analysis::summarizeKernel(kernel);
  autotune::KernelFacts facts;
  facts.flops = summary.flops;
  facts.bytes = summary.uniqueBytes;
  facts.arithmeticIntensity = summary.arithmeticIntensity();
  for (size_t i = 0; i < summary.launches.size(); ++i)
    addLoops(summary.launches[i], int64_t(i), facts);
  facts.hasDot = summary.hasDot;
  facts.hasReduction = summary.hasReduction;
  for (const analysis::TensorSummary &tensor : summary.tensors)
    if (tensor.role == "in")
      facts.elementBytes = std::max<int64_t>(1, artifact::dtypeBytes(tensor.dtype));
  facts.isGpu = target.isGpu;
  facts.cores = target.cores;
  facts.l1Bytes = target.l1Bytes;
  facts.l2Bytes = target.l2Bytes;
  facts.smemBytes = target.smemBytes;
  facts.vectorBits = target.vectorBits;
  facts.vectorRegisters = target.vectorRegisters;
  return facts;
}

autotune::PromptFacts helionc::driver::promptFacts(Session &session, hl::KernelOp kernel,
                                                   const analysis::TargetFacts &facts) {
  autotune::PromptFacts prompt;
  prompt.kernel = session.kernel().name;
  prompt.source = session.source().text().str();
  prompt.summary = analysis::summarizeKernel(kernel).toText();
  prompt.device = facts.toText();
  prompt.target = facts.name;
  return prompt;
}

llvm::Expected<std::string> helionc::driver::promptText(Session &session, hl::KernelOp kernel,
                                                        const analysis::TargetFacts &facts) {
  tuning::ConfigSpace space = analysis::readConfigSpace(kernel);
  autotune::PromptRenderer renderer(space, promptFacts(session, kernel, facts));
  auto seeds = autotune::heuristicSeeds(space, kernelFacts(kernel, facts), 3);
  std::string text = "--- system ---\n" + renderer.system() + "\n--- user ---\n" +
                     renderer.initial(seeds, autotune::LLMSearchOptions().firstCount);
  text += "\n--- about " + std::to_string(text.size() / 4) + " tokens ---\n";
  return text;
}
