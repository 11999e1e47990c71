//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// helionc's main program.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_DRIVER_H
#define HELIONC_DRIVER_DRIVER_H

namespace helionc::driver {

/// Runs helionc with the command line of main(); returns the exit code.
int runHelionc(int argc, char **argv);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_DRIVER_H
