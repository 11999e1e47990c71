//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Shows a tuning run while it goes on.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_REPORT_PROGRESSLINE_H
#define HELIONC_AUTOTUNE_REPORT_PROGRESSLINE_H

#include "helionc/Autotune/Core/Tuner.h"

#include "llvm/Support/raw_ostream.h"

namespace helionc::autotune {

/// On a terminal one line that is written over, elsewhere a line now and then: when the best improves, and every five
/// seconds. Give update() to TunerHooks::onProgress, and call finish() at the end.
class ProgressLine {
public:
  ProgressLine(llvm::raw_ostream &stream, bool isTerminal, std::string kernel, size_t columns = 100)
      : stream(stream), isTerminal(isTerminal), kernel(std::move(kernel)), columns(columns) {}
  void update(const Progress &progress);
  /// Takes the line away.
  void finish();

private:
  std::string text(const Progress &progress) const;

  llvm::raw_ostream &stream;
  bool isTerminal;
  std::string kernel;
  size_t columns;
  double lastSeconds = -1e9, lastBest = 0;
  bool isShown = false;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_REPORT_PROGRESSLINE_H
