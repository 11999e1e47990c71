//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Expands an hlg function into one thread's program.
//===----------------------------------------------------------------------===//
//
// A tile becomes the values of its registers in the order of Layout::registerOffset. Shared memory is one external
// array that every operation uses from its start: a barrier before it is written and one before it is read keep them
// apart.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_CONVERSION_NVVMEMITTER_H
#define HELIONC_LIB_CONVERSION_NVVMEMITTER_H

#include "helionc/Dialect/HLG/HLG.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace helionc::conversion {

class NvvmEmitter {
public:
  NvvmEmitter(mlir::OpBuilder &builder, mlir::Location loc) : b(loc, builder) {}
  /// Rewrites `function` in place: no hlg operation is left.
  mlir::LogicalResult run(mlir::func::FuncOp function);

private:
  using Registers = llvm::SmallVector<mlir::Value>;

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation &op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp loop);
  Registers viewRegisters(hlg::ViewOp view);
  void emitScalarOp(mlir::Operation &op);

  // Memory (NvvmMemory.cpp)
  Registers emitLoad(hlg::LoadOp load);
  void emitStore(hlg::StoreOp store);
  /// For each group of `width` registers that are neighbours along the last dim: the first one's number.
  int64_t vectorWidth(hlg::RegType type, int64_t allowed);
  mlir::Value elementOffset(llvm::ArrayRef<int64_t> strides, const hlg::Layout &layout, int64_t reg, mlir::Value base);
  mlir::Value isInside(hlg::RegType type, const hlg::Layout &layout, int64_t reg, mlir::ValueRange limits);
  mlir::Type memoryType(mlir::Type type);
  mlir::Value fromMemory(mlir::Value value, mlir::Type type);
  mlir::Value toMemory(mlir::Value value);

  // Exchange between threads (NvvmExchange.cpp)
  Registers emitConvert(hlg::ConvertLayoutOp convert);
  Registers emitReduce(hlg::ReduceOp reduce);
  Registers emitDot(hlg::DotOp dot);
  struct DotTile {
    mlir::Value memory;
    int64_t rows = 0, columns = 0, pitch = 0;
  };
  void writeShared(mlir::Value tile, int64_t offsetElements, int64_t pitch, mlir::Type elementType);
  mlir::Value readShared(mlir::Value element, mlir::Type type);
  mlir::Value sharedPointer(mlir::Value element, mlir::Type type);
  void barrier();
  void useShared(int64_t bytes) { smemBytes = std::max(smemBytes, bytes); }
  mlir::Value combine(llvm::StringRef kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value shuffle(mlir::Value value, int64_t mask);
  mlir::Value neutral(llvm::StringRef kind, mlir::Type type);
  /// One partial result: a value, and for argmax and argmin its index.
  struct Partial {
    mlir::Value value, place;
  };
  Partial merge(llvm::StringRef kind, const Partial &lhs, const Partial &rhs);
  /// Whether this thread holds the copy that counts: bits of lane and warp with a zero basis are 0. Null: every thread.
  mlir::Value isRepresentative(const hlg::Layout &layout);

  // Indices
  /// The part of the index along `dim` that the lane and the warp contribute.
  mlir::Value threadOffset(const hlg::Layout &layout, int64_t dim);
  mlir::Value elementIndex(const hlg::Layout &layout, int64_t reg, int64_t dim);
  /// Whether the element may lie beyond the shape along `dim`.
  bool mayExceed(const hlg::Layout &layout, int64_t reg, int64_t dim, int64_t size);

  mlir::Value cloneScalar(mlir::Operation &op, mlir::IRMapping &mapping);
  mlir::Value scalarOf(mlir::Value original);
  mlir::Value i32(int64_t value);
  mlir::Value index(int64_t value);

  mlir::ImplicitLocOpBuilder b;
  mlir::func::FuncOp function;
  mlir::Value lane, warp, shared;
  llvm::DenseMap<mlir::Value, Registers> registers;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  /// threadOffset by layout and dim; made at the start of the function.
  std::map<std::pair<const void *, int64_t>, mlir::Value> offsets;
  int64_t smemBytes = 0, threads = 128;
  bool hasFailed = false;
};

/// Mathematical functions by the GPU's own approximations where they are accurate enough (exp2, log2, rsqrt), else by
/// arithmetic. Null: leave the operation.
mlir::Value expandGpuMath(mlir::ImplicitLocOpBuilder &b, mlir::Operation &op, mlir::ValueRange operands);

} // namespace helionc::conversion

#endif // HELIONC_LIB_CONVERSION_NVVMEMITTER_H
