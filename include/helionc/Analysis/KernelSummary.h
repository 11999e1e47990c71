//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What a kernel does, as plain data: loops, tensors, work, bytes. The tuner and the prompt read it.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_ANALYSIS_KERNELSUMMARY_H
#define HELIONC_ANALYSIS_KERNELSUMMARY_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helionc::hl {
class KernelOp;
} // namespace helionc::hl

namespace helionc::analysis {

/// One argument of the kernel.
struct TensorSummary {
  std::string name, role, dtype;
  std::vector<int64_t> shape, strides;
  /// Bytes of the elements (of the memory spanned, for a tensor with gaps or repeats: elements times their size).
  int64_t bytes = 0;
};

/// One dim of a loop.
struct LoopDim {
  /// The parameter that sets the block, "" for a fixed block.
  std::string param;
  /// The block's extent in the default configuration.
  int64_t defaultBlock = 1;
  /// How many indices the dim walks over; nothing when it depends on other loops or on data.
  std::optional<int64_t> extent;
  /// What the dim is to the dots inside: "m", "n", "k", "batch" or "".
  std::string dotRole;
  /// Whether something is reduced along tiles of this dim.
  bool isReduced = false;
};

/// An operation worth telling about: a load, a store, a dot, a reduction, an elementwise computation.
struct OpSummary {
  enum class Kind { Load, Store, Dot, Reduce, Map, Gather };
  Kind kind = Kind::Map;
  /// One line for a reader, such as "load x[block_sizes.0, block_sizes.2] bf16".
  std::string text;
  /// Floating-point operations over the whole launch (a transcendental function counts 1).
  double flops = 0;
  /// Transcendental functions (exp, log, …) over the whole launch.
  double transcendentals = 0;
  /// Bytes read or written over the whole launch in the default configuration, repeats included.
  double bytes = 0;
  /// Whether a ragged edge makes a mask necessary in some configuration.
  bool isMasked = false;
};

/// A loop, or one branch's body.
struct LoopSummary {
  bool isGrid = false;
  int64_t line = 0;
  std::vector<LoopDim> dims;
  std::vector<OpSummary> ops;
  std::vector<LoopSummary> inner;
};

/// The whole kernel.
struct KernelSummary {
  std::string kernel;
  std::vector<TensorSummary> tensors;
  std::vector<std::string> scalars;
  std::vector<LoopSummary> launches;
  double flops = 0, transcendentals = 0;
  /// Each input read once and each output written once.
  double uniqueBytes = 0;
  /// Bytes that loads and stores move in the default configuration.
  double movedBytes = 0;
  bool hasDot = false, hasReduction = false, hasGather = false;
  /// The widest element type that the dots multiply, "" without a dot.
  std::string dotDtype;

  /// FLOPs per unique byte.
  double arithmeticIntensity() const { return uniqueBytes > 0 ? flops / uniqueBytes : 0; }
  /// A few lines for a person or a language model.
  std::string toText() const;
  llvm::json::Value toJson() const;
};

/// Summarizes a symbolic kernel.
KernelSummary summarizeKernel(hl::KernelOp kernel);

} // namespace helionc::analysis

#endif // HELIONC_ANALYSIS_KERNELSUMMARY_H
