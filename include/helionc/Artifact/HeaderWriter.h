//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The C header of a library.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_ARTIFACT_HEADERWRITER_H
#define HELIONC_ARTIFACT_HEADERWRITER_H

#include "helionc/Artifact/KernelImage.h"

#include "llvm/ADT/ArrayRef.h"

namespace helionc::artifact {

/// The text of a header that declares the entries of a library of `images`, with DLPack's structs where they are
/// missing.
std::string headerText(llvm::ArrayRef<KernelImage> images);

} // namespace helionc::artifact

#endif // HELIONC_ARTIFACT_HEADERWRITER_H
