//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What the command line names, loaded: source, kernel, bindings, targets.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DRIVER_SESSION_H
#define HELIONC_DRIVER_SESSION_H

#include "helionc/Driver/Options.h"
#include "helionc/Frontend/Frontend.h"
#include "helionc/Pipeline/Compile.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace helionc::driver {

/// An error that carries its exit code. The text may end with "\nhelp: …" lines.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  DriverError(ExitCode code, std::string message) : code(code), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  ExitCode code;
  std::string message;
};

/// An error with an exit code.
llvm::Error failWith(ExitCode code, const llvm::Twine &message);
/// `error`'s text as an error with an exit code; keeps a DriverError's own.
llvm::Error failWith(ExitCode code, llvm::Error error);
/// Prints "error: …" and the help lines to stderr; returns the exit code (ExitInput for an error without one).
int report(llvm::Error error);

/// One kernel of one file, with the shapes and targets to compile it for.
class Session {
public:
  Session(Options options);
  ~Session();

  /// Reads and parses the file, chooses the kernel, binds its arguments, selects the targets.
  llvm::Error load();
  /// The symbolic kernel for one workload, fresh from the source.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> lower(const frontend::Bindings &bindings);

  const Options &options() const { return opts; }
  const frontend::SourceFile &source() const { return *file; }
  const frontend::KernelInfo &kernel() const { return *chosen; }
  /// At least one.
  llvm::ArrayRef<frontend::Bindings> workloads() const { return bound; }
  llvm::ArrayRef<pipeline::Target> targets() const { return selected; }
  mlir::MLIRContext &context() { return *mlirContext; }

private:
  llvm::Error readSource();
  llvm::Error chooseKernel();
  llvm::Error bindArguments();

  Options opts;
  std::unique_ptr<frontend::SourceFile> file;
  const frontend::KernelInfo *chosen = nullptr;
  std::vector<frontend::Bindings> bound;
  std::vector<pipeline::Target> selected;
  std::unique_ptr<mlir::MLIRContext> mlirContext;
};

} // namespace helionc::driver

#endif // HELIONC_DRIVER_SESSION_H
