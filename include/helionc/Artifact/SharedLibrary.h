//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Shared libraries and objects of compiled kernels.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_ARTIFACT_SHAREDLIBRARY_H
#define HELIONC_ARTIFACT_SHAREDLIBRARY_H

#include "helionc/Artifact/KernelImage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace helionc::artifact {

/// Links `images`, all of one kernel, with the run-time into a shared library at `path` (by atomic rename). It exports
///   int helion_<kernel>(inputs…, outputs…, void *stream)
///   int helion_<kernel>_outputs(inputs…, DLTensor *outputs, int64_t capacity)
///   const char *helion_<kernel>_last_error(void), …_config(void), …_describe(void)
///   int helion_<kernel>_invoke(void *const *args, int64_t count, void *stream)
/// and nothing else, and needs nothing but the C library. Images may name their functions alike.
llvm::Error writeSharedLibrary(llvm::ArrayRef<KernelImage> images, llvm::StringRef path);

/// The same as a relocatable object.
llvm::Error writeObject(llvm::ArrayRef<KernelImage> images, llvm::StringRef path);

/// The object of the tables and entries of `images`.
llvm::Expected<std::string> entryObject(llvm::ArrayRef<KernelImage> images);

/// What helion_<kernel>_describe() gives: a JSON object with the arguments of each image.
std::string describe(llvm::ArrayRef<KernelImage> images);

} // namespace helionc::artifact

#endif // HELIONC_ARTIFACT_SHAREDLIBRARY_H
