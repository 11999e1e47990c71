//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The frontend: kernel text and the shapes of its arguments to a symbolic hl kernel.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_FRONTEND_FRONTEND_H
#define HELIONC_FRONTEND_FRONTEND_H

#include "helionc/Frontend/AST.h"
#include "helionc/Frontend/Bindings.h"
#include "helionc/Frontend/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace helionc::frontend {

/// A kernel of a file.
struct KernelInfo {
  std::string name;
  llvm::SMLoc loc;
  const Stmt *definition = nullptr;
  /// The argument bindings of each @helion.workload.
  std::vector<Bindings> workloads;
  /// The configurations that the decorator pins or lists, as JSON in Helion's form.
  std::vector<std::string> configs;
};

/// A parsed file.
class SourceFile {
public:
  llvm::ArrayRef<KernelInfo> kernels() const { return kernelList; }
  /// The text of --emit=ast.
  std::string dumpAST() const;
  /// The whole text.
  llvm::StringRef text() const;
  const Module &module() const { return tree; }
  llvm::SourceMgr &sourceManager() const { return *sources; }

private:
  friend std::unique_ptr<SourceFile> parseFile(const std::string &path, llvm::raw_ostream &diagnostics);
  std::unique_ptr<llvm::SourceMgr> sources;
  Module tree;
  std::vector<KernelInfo> kernelList;
};

/// Reads and parses a .hl or .py file ("-": standard input). Null after errors, which have been printed.
std::unique_ptr<SourceFile> parseFile(const std::string &path, llvm::raw_ostream &diagnostics);

/// Lowers one kernel with its arguments bound: a module of one symbolic hl.kernel. Null after errors, which have been
/// printed. `context` must have the hl, arith and math dialects loaded.
mlir::OwningOpRef<mlir::ModuleOp> lowerToHL(const SourceFile &file, llvm::StringRef kernel, const Bindings &bindings,
                                            mlir::MLIRContext &context, llvm::raw_ostream &diagnostics);

} // namespace helionc::frontend

#endif // HELIONC_FRONTEND_FRONTEND_H
