//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// helionc: see helionc --help.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/Driver.h"

int main(int argc, char **argv) { return helionc::driver::runHelionc(argc, argv); }
