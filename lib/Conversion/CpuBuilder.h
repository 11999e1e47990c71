//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A builder with the index arithmetic, loops and vector memory accesses that CPU code is made of.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_CONVERSION_CPUBUILDER_H
#define HELIONC_LIB_CONVERSION_CPUBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace helionc::conversion::cpu {

using mlir::ArrayRef;
using mlir::SmallVector;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

/// Index arithmetic folds as it is built, so that constants stay visible.
class CpuBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value index(int64_t value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, int64_t rhs);
  Value div(Value lhs, int64_t rhs);
  Value rem(Value lhs, int64_t rhs);
  Value min(Value lhs, Value rhs);
  Value max(Value lhs, Value rhs);
  Value less(Value lhs, Value rhs);
  Value both(Value lhs, Value rhs);

  /// `value` as a vector of `width` elements; as it is when it is one already, or when `width` is 1.
  Value splat(Value value, int64_t width);
  /// Lane l of the result is whether first + l < bound.
  Value lanesBelow(Value first, Value bound, int64_t width);
  /// [0, 1, …] as a vector of index.
  Value lanes(int64_t width);

  using LoopBody = llvm::function_ref<SmallVector<Value>(Value iv, ValueRange carried)>;
  /// A loop from `lower` to `upper`; the body gives the next carried values.
  SmallVector<Value> loop(Value lower, Value upper, int64_t step, ValueRange inits, LoopBody body);
  /// The same, nothing carried.
  void loop(Value lower, Value upper, int64_t step, llvm::function_ref<void(Value)> body);
  /// Runs `body` if `condition`.
  void when(Value condition, llvm::function_ref<void()> body);

  /// base + offset elements of `elementType`, as it lies in memory.
  Value address(Value base, Value offset, Type elementType);
  /// An element, or `width` consecutive ones. Where `mask` (which may be null) is false the result is 0.
  Value load(Value address, Type elementType, int64_t width, Value mask = {});
  /// Writes an element or a vector, where `mask` (which may be null) is true.
  void store(Value value, Value address, Value mask = {});
  /// Elements at base + offsets.
  Value gather(Value base, Value offsets, Type elementType, Value mask);
  void scatter(Value value, Value base, Value offsets, Value mask);

private:
  /// A value in the form it has in memory (i1 as i8, index as i64), and back.
  Value toMemory(Value value);
  Value fromMemory(Value value, Type elementType);
  Value allTrue(int64_t width);
};

/// The type of an element in memory: i8 for i1, i64 for index.
Type memoryType(Type elementType);
/// Bytes of an element in memory.
int64_t memoryBytes(Type elementType);
/// elementType, or a vector of it.
Type laneType(Type elementType, int64_t width);
/// The value of an index constant.
std::optional<int64_t> constantOf(Value value);
/// 1 for a scalar, else the number of elements of the vector.
int64_t widthOf(Value value);

} // namespace helionc::conversion::cpu

#endif // HELIONC_LIB_CONVERSION_CPUBUILDER_H
