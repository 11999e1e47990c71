//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What the arguments of a kernel are bound to: shapes, dtypes, values.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_FRONTEND_BINDINGS_H
#define HELIONC_FRONTEND_BINDINGS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace helionc::frontend {

/// A tensor argument. Empty strides: row-major.
struct TensorBinding {
  std::string dtype;
  std::vector<int64_t> shape, strides;
};

/// An argument: absent, a tensor, a number, a flag or a word.
using ArgBinding = std::variant<std::monostate, TensorBinding, int64_t, double, bool, std::string>;

struct Bindings {
  std::map<std::string, ArgBinding> args;
  /// Sizes of the named dims of a typed signature.
  std::map<std::string, int64_t> dims;
};

/// Parses "bf16[4096,4096]", "f16[128,64]:strides(1,128)", "3", "0.5", "true", "none" or a word in quotes.
llvm::Expected<ArgBinding> parseArgBinding(llvm::StringRef text);

/// The canonical name of a dtype ("torch.bfloat16", "bfloat16" and "bf16" are "bf16"); "" when it is none.
std::string canonicalDType(llvm::StringRef name);
/// Every canonical dtype.
llvm::ArrayRef<llvm::StringRef> dtypeNames();
/// The nearest dtype to a misspelt one, "" when none is near.
std::string nearestDType(llvm::StringRef name);

} // namespace helionc::frontend

#endif // HELIONC_FRONTEND_BINDINGS_H
