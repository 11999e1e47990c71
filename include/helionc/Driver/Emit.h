//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Prints the stage that --emit names.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_EMIT_H
#define HELIONC_DRIVER_EMIT_H

#include "helionc/Driver/Session.h"

namespace helionc::driver {

/// Prints options().emit of the first workload and target to the output file or stdout.
llvm::Error emitStage(Session &session);

/// Writes `text` to `path`, or to stdout when `path` is "" or "-".
llvm::Error writeText(llvm::StringRef path, llvm::StringRef text);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_EMIT_H
