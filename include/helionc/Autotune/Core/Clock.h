//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Time as the tuner sees it, so that tests can make it up.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_CORE_CLOCK_H
#define HELIONC_AUTOTUNE_CORE_CLOCK_H

namespace helionc::autotune {

/// A clock that only goes forward.
class Clock {
public:
  virtual ~Clock() = default;
  virtual double seconds() const = 0;
  /// The machine's monotonic clock.
  static const Clock &system();
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_CORE_CLOCK_H
