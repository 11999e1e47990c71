//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The nearest known name to a misspelt one.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_SUPPORT_EDITDISTANCE_H
#define HELIONC_SUPPORT_EDITDISTANCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace helionc::support {

/// The candidate nearest to `name` by edit distance, "" when none is near (more than a third of the letters differ).
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace helionc::support

#endif // HELIONC_SUPPORT_EDITDISTANCE_H
