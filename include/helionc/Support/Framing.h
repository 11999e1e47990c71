//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Length-prefixed messages on file descriptors.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_SUPPORT_FRAMING_H
#define HELIONC_SUPPORT_FRAMING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace helionc::support {

/// The largest message.
constexpr uint32_t maxFrameBytes = 256u << 20;

/// Writes four bytes of length, little-endian, and the message; an error when it is longer than `maxFrameBytes`.
llvm::Error writeFrame(int descriptor, llvm::StringRef message);

/// Reads one message; an error at the end of the stream, after `seconds` without a whole message (0: never), or when
/// the length is absurd. `timedOut` tells these apart.
llvm::Expected<std::string> readFrame(int descriptor, double seconds = 0, bool *timedOut = nullptr);

} // namespace helionc::support

#endif // HELIONC_SUPPORT_FRAMING_H
