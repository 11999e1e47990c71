//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Emits loops over vectors for one launch of a concrete hl kernel.
//===----------------------------------------------------------------------===//
//
// Problem: a tile of 64 x 1024 elements cannot become SSA vectors. Method: a tile is an expression that is evaluated
// where it is used, one vector of its last dim at a time, inside loops over its elements; only what is used several
// times, carried by a loop, reduced or multiplied gets a buffer in the thread's scratch memory.
//
// Padding is never touched: every loop runs over the real elements only. hl.fill_padding makes padding neutral for the
// reduction or dot that follows, and leaving neutral elements out changes nothing, so it costs nothing here. The number
// of real elements of a dim follows from the span that cuts it, which is found through the operands (clipOf).
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_CONVERSION_CPUEMITTER_H
#define HELIONC_LIB_CONVERSION_CPUEMITTER_H

#include "helionc/Dialect/HL/HL.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace helionc::conversion {

/// What the configuration says about code generation.
struct CpuConfig {
  /// Elements of a vector, rows and vectors of a dot's register block, steps of its inner loop that are written out.
  int64_t vectorWidth = 16, dotTileM = 8, dotTileN = 2, unroll = 1, numThreads = 0, grouping = 1;
  /// Copy the right operand of a dot into a dense block first.
  bool packRhs = true;
  static CpuConfig from(mlir::DictionaryAttr config);
};

/// A tile in scratch memory, row-major over its static shape.
struct Buffer {
  mlir::Value pointer;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> strides;
};

/// How many elements are computed at once, and which of them count.
struct Lanes {
  int64_t width = 1;
  /// vector<width x i1>, null when all count.
  mlir::Value mask;
  /// With a mask: the last index along the vector dim that counts.
  mlir::Value last;
};

class CpuEmitter {
public:
  using Indices = llvm::SmallVector<mlir::Value>;
  CpuEmitter(mlir::OpBuilder &builder, mlir::Location loc, const CpuConfig &config)
      : b(loc, builder), config(config) {}

  /// Emits the function of launch `index` of `kernel` at the builder's place. Failed after an error.
  mlir::LogicalResult emitLaunch(hl::KernelOp kernel, hl::GridOp grid, int64_t index);

private:
  //===------------------------------------------------------------------===//
  // Control (CpuLaunch.cpp, CpuLoops.cpp)
  //===------------------------------------------------------------------===//
  void bindArguments(hl::KernelOp kernel, mlir::Value arguments);
  mlir::LogicalResult bindSpans(hl::GridOp grid, mlir::Value program, int64_t &programs);
  mlir::LogicalResult emitHostOps(hl::KernelOp kernel);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation &op);
  mlir::LogicalResult emitLoop(hl::LoopOp loop);
  mlir::LogicalResult emitLoopNest(hl::LoopOp loop, unsigned dim, llvm::ArrayRef<mlir::Value> scalarSlots);
  mlir::LogicalResult emitYield(hl::LoopOp loop, llvm::ArrayRef<mlir::Value> scalarSlots);
  void chooseTargets(hl::LoopOp loop);
  mlir::LogicalResult emitIf(hl::IfOp op);
  mlir::LogicalResult emitStore(hl::StoreOp store);
  void emitScalarOp(mlir::Operation &op);

  /// Loops over `counts`; the last dim in vectors. `body` gets the indices and the lanes.
  void forEach(llvm::ArrayRef<mlir::Value> counts, llvm::ArrayRef<int64_t> staticCounts,
               llvm::function_ref<void(const Indices &, const Lanes &)> body);
  /// One dim in vectors of `width`, then what is left under a mask.
  void forEachVector(mlir::Value count, int64_t staticCount, int64_t width,
                     llvm::function_ref<void(mlir::Value, const Lanes &)> body);
  void forLoop(mlir::Value lower, mlir::Value upper, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  Lanes tailLanes(mlir::Value index, mlir::Value count, int64_t width);

  //===------------------------------------------------------------------===//
  // Extents
  //===------------------------------------------------------------------===//
  /// The span that cuts dim `dim` of `tile`; null when none is known.
  mlir::Value clipOf(mlir::Value tile, int64_t dim);
  /// The real elements of each dim, and the same where it is a constant (else -1).
  void extents(mlir::Value tile, llvm::SmallVectorImpl<mlir::Value> &counts, llvm::SmallVectorImpl<int64_t> &constants);
  mlir::Value spanCount(mlir::Value span, int64_t &constant);

  //===------------------------------------------------------------------===//
  // Expressions (CpuExpression.cpp)
  //===------------------------------------------------------------------===//
  /// Element(s) of `tile` at `indices`: a vector along dim `vectorDim`, a scalar when that is -1 or the width is 1.
  mlir::Value evaluate(mlir::Value tile, const Indices &indices, int64_t vectorDim, const Lanes &lanes);
  mlir::Value evaluateMap(hl::MapOp map, const Indices &indices, int64_t vectorDim, const Lanes &lanes);
  mlir::Value evaluateLoad(hl::LoadOp load, const Indices &indices, int64_t vectorDim, const Lanes &lanes);
  mlir::Value evaluateIndices(mlir::Value first, mlir::Type type, mlir::Value index, bool isVector, const Lanes &lanes);
  mlir::Value readBuffer(const Buffer &buffer, const Indices &indices, int64_t vectorDim, const Lanes &lanes);
  void writeBuffer(const Buffer &buffer, const Indices &indices, mlir::Value value, const Lanes &lanes);
  /// The operation on scalars, cloned onto vectors of lanes.
  mlir::Value cloneScalarOp(mlir::Operation &op, mlir::IRMapping &mapping, int64_t width);

  //===------------------------------------------------------------------===//
  // Memory (CpuMemory.cpp)
  //===------------------------------------------------------------------===//
  struct Address {
    mlir::Value pointer, offset;
    mlir::Type elementType;
    /// Elements between lanes.
    int64_t laneStride = 0;
  };
  mlir::FailureOr<Address> tensorAddress(mlir::Value tensor, mlir::ValueRange indices, llvm::ArrayRef<int32_t> kinds,
                                         const Indices &tileIndices, int64_t vectorDim);
  mlir::Value loadLanes(const Address &address, bool isVector, const Lanes &lanes);
  void storeLanes(const Address &address, mlir::Value value, const Lanes &lanes);
  mlir::Value pointerAt(const Address &address, mlir::Value offset);
  Buffer allocate(hl::TileType type, mlir::Type elementType);
  mlir::Type memoryType(mlir::Type type);

  //===------------------------------------------------------------------===//
  // Buffers (CpuBuffers.cpp)
  //===------------------------------------------------------------------===//
  bool needsBuffer(mlir::Operation *op);
  void materialize(mlir::Value tile);
  void evaluateInto(mlir::Value tile, const Buffer &buffer);
  void copyBuffer(mlir::Value like, const Buffer &from, const Buffer &to);
  bool reads(mlir::Value tile, mlir::Value carried);
  bool readsOnlyInPlace(mlir::Value tile, mlir::Value carried);
  bool isStoredTo(mlir::Value tensor);
  int64_t inlineCost(mlir::Value tile);

  mlir::LogicalResult emitReduce(hl::ReduceOp reduce);
  mlir::Value reduceLast(hl::ReduceOp reduce, const Indices &kept);
  mlir::Value reduceOther(hl::ReduceOp reduce, const Indices &kept, int64_t vectorDim, const Lanes &lanes);
  mlir::Value reduceArg(hl::ReduceOp reduce, const Indices &kept);
  mlir::Value neutral(hl::ReduceKind kind, mlir::Type type);
  mlir::Value combine(hl::ReduceKind kind, mlir::Value lhs, mlir::Value rhs);

  mlir::LogicalResult emitDot(hl::DotOp dot);
  struct DotOperands;
  void dotBlock(const DotOperands &operands, mlir::Value row, int64_t rows, mlir::Value column, int64_t vectors,
                const Lanes &lanes);
  void dotRows(const DotOperands &operands, mlir::Value column, int64_t vectors, const Lanes &lanes);
  bool isDirect(mlir::Value tile, int64_t unitDim);

  //===------------------------------------------------------------------===//
  // Small constructors
  //===------------------------------------------------------------------===//
  mlir::Value index(int64_t value);
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Type lanesType(mlir::Type type, int64_t width);
  mlir::Value scalarOf(mlir::Value original);

  mlir::ImplicitLocOpBuilder b;
  const CpuConfig &config;
  mlir::Value scratch;
  int64_t scratchBytes = 0;
  /// A span's begin and upper bound, and the constant number of real indices (-1: not constant).
  struct SpanInfo {
    mlir::Value begin, upper, blockId;
    int64_t extent = 1, constantCount = -1;
  };
  llvm::DenseMap<mlir::Value, SpanInfo> spans;
  /// Pointers of tensors (views included), scalars by their hl value, tiles in buffers.
  llvm::DenseMap<mlir::Value, mlir::Value> pointers, scalars;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Results that must be made in the buffer of a carried value.
  llvm::DenseMap<mlir::Value, Buffer> targets;
  llvm::DenseSet<mlir::Value> storedRoots;
  /// Operands that a dot has packed, while it runs.
  llvm::SmallVector<mlir::Value> packedOperands;
  bool hasIntegerDivision = false, failed = false;
};

/// Replaces exponentials, logarithms and the like on floats and vectors of floats by arithmetic. Accuracy: 2 ulp.
mlir::Value expandMath(mlir::ImplicitLocOpBuilder &b, mlir::Operation &op, mlir::ValueRange operands);

} // namespace helionc::conversion

#endif // HELIONC_LIB_CONVERSION_CPUEMITTER_H
