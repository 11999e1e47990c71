//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The live line.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Report/ProgressLine.h"

#include "helionc/Autotune/Report/TerminalText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace helionc::autotune;
using llvm::formatv;

std::string ProgressLine::text(const Progress &progress) const {
  std::string line = formatv("{0}: {1} candidates", kernel, progress.candidates);
  if (progress.maxCandidates > 0)
    line += formatv(" of {0}", progress.maxCandidates);
  if (progress.bestMicros > 0)
    line += formatv(", best {0:f2} us", progress.bestMicros);
  if (progress.bestMicros > 0 && progress.defaultMicros > 0)
    line += formatv(" ({0:f2}x)", progress.defaultMicros / progress.bestMicros);
  size_t failures = 0;
  for (size_t i = 1; i < statusCount; ++i)
    failures += progress.byStatus[i];
  if (failures > 0)
    line += formatv(", {0} failed", failures);
  line += formatv(", {0:f0} s", progress.seconds);
  if (progress.secondsLeft > 0)
    line += formatv(" ({0:f0} left)", progress.secondsLeft);
  line += formatv(" [{0}]", progress.phase);
  return terminalText(line, columns);
}

void ProgressLine::update(const Progress &progress) {
  constexpr double liveInterval = 0.1, plainInterval = 5;
  bool isBetter = progress.bestMicros > 0 && (lastBest == 0 || progress.bestMicros < lastBest);
  double interval = isTerminal ? liveInterval : plainInterval;
  if (!isBetter && progress.seconds - lastSeconds < interval)
    return;
  lastSeconds = progress.seconds;
  if (isBetter)
    lastBest = progress.bestMicros;
  if (isTerminal)
    stream << "\r" << text(progress) << "\x1b[K";
  else
    stream << text(progress) << "\n";
  stream.flush();
  isShown = isTerminal;
}

void ProgressLine::finish() {
  if (isShown)
    stream << "\r\x1b[K";
  stream.flush();
  isShown = false;
}
