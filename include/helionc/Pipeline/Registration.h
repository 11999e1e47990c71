//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Every dialect, translation and pass that helionc uses, registered in one place.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_REGISTRATION_H
#define HELIONC_PIPELINE_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace helionc::pipeline {

/// Adds the dialects of every level, and their translations to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers helionc's passes and the upstream ones that its pipelines use, for textual pipelines. Call once.
void registerPasses();

} // namespace helionc::pipeline

#endif // HELIONC_PIPELINE_REGISTRATION_H
