//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Stable digests of bytes.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_SUPPORT_DIGEST_H
#define HELIONC_SUPPORT_DIGEST_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace helionc::support {

/// SHA-256 of `bytes` as 64 hexadecimal digits: the same in every run and on every machine.
std::string digest(llvm::StringRef bytes);

} // namespace helionc::support

#endif // HELIONC_SUPPORT_DIGEST_H
