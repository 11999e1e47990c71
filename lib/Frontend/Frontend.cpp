//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads files and finds their kernels.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Frontend.h"
#include "helionc/Frontend/Parser.h"

#include "KernelDecorators.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace helionc::frontend;

std::string SourceFile::dumpAST() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  dump(tree, *sources, os);
  return text;
}

llvm::StringRef SourceFile::text() const { return sources->getMemoryBuffer(sources->getMainFileID())->getBuffer(); }

std::unique_ptr<SourceFile> helionc::frontend::parseFile(const std::string &path, llvm::raw_ostream &os) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    os << "error: cannot read '" << path << "': " << buffer.getError().message() << '\n';
    return nullptr;
  }
  auto file = std::make_unique<SourceFile>();
  file->sources = std::make_unique<llvm::SourceMgr>();
  llvm::StringRef text = (*buffer)->getBuffer();
  bool blank = text.trim().empty();
  file->sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  text = file->text();
  Diagnostics diagnostics(*file->sources, os);
  if (blank) {
    os << "error: '" << path << "' is empty\nhelp: a kernel is a function under @helion.kernel()\n";
    return nullptr;
  }
  std::vector<Token> tokens;
  if (!tokenize(text, diagnostics, tokens))
    return nullptr;
  file->tree = parseModule(tokens);
  if (!findKernels(file->tree, diagnostics, file->kernelList))
    return nullptr;
  if (file->kernelList.empty()) {
    os << "error: no kernel in '" << path << "'\nhelp: a kernel is a function under @helion.kernel()\n";
    return nullptr;
  }
  return file;
}
