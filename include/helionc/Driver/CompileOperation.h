//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The worker's operation 'compile': one configuration to a shared library, in a process that may be killed.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_COMPILEOPERATION_H
#define HELIONC_DRIVER_COMPILEOPERATION_H

#include "llvm/Support/JSON.h"

namespace helionc::driver {

/// Request: module (path of the prepared symbolic kernel), config (JSON text, Helion's form), target, opt_level,
/// assemble_timeout, out (path of the library to write).
/// Reply: status ("ok", "refused" or "compile_error"), error, digest, compile_millis, registers, spill_bytes,
/// smem_bytes, scratch_bytes.
llvm::json::Object compileOperation(const llvm::json::Object &request);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_COMPILEOPERATION_H
