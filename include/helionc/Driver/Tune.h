//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tuning: from a session to measured, chosen and compiled configurations.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_TUNE_H
#define HELIONC_DRIVER_TUNE_H

#include "helionc/Driver/Output.h"

namespace helionc::driver {

/// Tunes every workload for every target with the strategy of --autotune and compiles the winners. Progress and tables
/// go to stderr. An interrupt ends a search with the best so far. A search without a valid candidate is an error.
llvm::Expected<std::vector<Build>> buildTuned(Session &session);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_TUNE_H
