//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What a candidate is run on: arguments, inputs by seed, the reference's outputs.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_RUNTIME_PROBLEM_H
#define HELIONC_RUNTIME_PROBLEM_H

#include "helionc/Artifact/KernelImage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace helionc::runtime {

/// Temporaries are not part of it.
struct Problem {
  std::string kernel;
  std::vector<artifact::Argument> args;
  uint64_t seed = 0;
  /// Where the reference's outputs are: twice all outputs, made over two different patterns of poison.
  std::string referencePath;

  llvm::json::Value toJson() const;
  static llvm::Expected<Problem> fromJson(const llvm::json::Value &value);
};

/// Bytes from the first element of `argument` to its last.
int64_t spanBytes(const artifact::Argument &argument);

/// Whether the kernel writes the argument.
bool isWritten(const artifact::Argument &argument);

/// The bytes of input `index`: elements near N(0, 1), or small integers; the same for the same seed everywhere.
std::vector<char> generateInput(const artifact::Argument &argument, uint64_t seed, size_t index);

/// What `outputs` differs in from `reference` (two runs over different poison; cells that differ between these are left
/// out). "" when every element is close: within a share of itself and of the output's root mean square by dtype.
std::string compareOutput(const artifact::Argument &argument, const char *outputs, const char *reference,
                          const char *otherReference);

/// Whether an element of the outputs still has the bytes that it was filled with: the kernel may not write it.
bool holdsPoison(const Problem &problem, llvm::ArrayRef<char> outputs, unsigned char poison);

} // namespace helionc::runtime

#endif // HELIONC_RUNTIME_PROBLEM_H
