//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Images of a kernel, and the files they become.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_OUTPUT_H
#define HELIONC_DRIVER_OUTPUT_H

#include "helionc/Driver/Session.h"

#include "llvm/Support/JSON.h"

namespace helionc::driver {

/// Where the output goes and what it is.
struct OutputPlan {
  enum class Kind { SharedLibrary, Object, Cubin, Ptx };
  Kind kind = Kind::SharedLibrary;
  std::string path;
};

/// What was compiled: an image for each workload and target, and the record of how its configuration came about.
struct Build {
  artifact::KernelImage image;
  /// The PTX of a GPU image, when it is to be written.
  std::string ptx;
  llvm::json::Object record;
};

/// Decides from -o what to write, and finds out whether it can be written.
llvm::Expected<OutputPlan> planOutput(Session &session);

/// Compiles every workload for every target with the given, pinned or default configuration.
llvm::Expected<std::vector<Build>> buildUntuned(Session &session);

/// Compiles the kernel of `prepared` (kept) with `config` for `target`.
llvm::Expected<Build> buildOne(Session &session, mlir::ModuleOp prepared, llvm::StringRef config,
                               const pipeline::Target &target);

/// Writes the output file, and beside a library its header and the JSON record.
llvm::Error writeOutput(Session &session, const OutputPlan &plan, std::vector<Build> builds);

/// The bytes of a shared library of `images`.
llvm::Expected<std::string> sharedLibraryBytes(std::vector<artifact::KernelImage> images);

} // namespace helionc::driver

#endif // HELIONC_DRIVER_OUTPUT_H
