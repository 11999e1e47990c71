//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The machine's monotonic clock.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/Clock.h"

#include <chrono>

using namespace helionc::autotune;

namespace {
class SystemClock final : public Clock {
public:
  double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};
} // namespace

const Clock &Clock::system() {
  static const SystemClock clock;
  return clock;
}
