//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Which configuration to compile when nothing is tuned.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_CONFIGURATION_H
#define HELIONC_DRIVER_CONFIGURATION_H

#include "helionc/Driver/Session.h"

namespace helionc::driver {

/// The configuration of --config, else the one that the source pins, else the default; as JSON in Helion's form.
/// One that is not valid is an error that lists every reason.
llvm::Expected<std::string> chooseConfig(Session &session, mlir::ModuleOp prepared);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_CONFIGURATION_H
