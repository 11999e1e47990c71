//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// GPU targets.
//===----------------------------------------------------------------------===//
#include "helionc/Target/TargetInfo.h"

using namespace helionc::target;

static constexpr GpuTarget targets[] = {
    {"sm_80", 80, 166912, "+ptx80", 1100},    {"sm_86", 86, 101376, "+ptx80", 1101},
    {"sm_89", 89, 101376, "+ptx80", 1108},    {"sm_90", 90, 232448, "+ptx80", 1108},
    {"sm_90a", 90, 232448, "+ptx80", 1200},   {"sm_100", 100, 232448, "+ptx86", 1208},
    {"sm_100a", 100, 232448, "+ptx86", 1208}, {"sm_103a", 103, 232448, "+ptx88", 1209},
    {"sm_120a", 120, 101376, "+ptx87", 1208}};

llvm::ArrayRef<GpuTarget> helionc::target::gpuTargets() { return targets; }

const GpuTarget *helionc::target::findGpuTarget(llvm::StringRef name) {
  for (const GpuTarget &target : targets)
    if (target.name == name)
      return &target;
  return nullptr;
}
