//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Builds the hlg function of one launch of a concrete hl kernel.
//===----------------------------------------------------------------------===//
//
// Layouts are chosen backwards: whoever needs a value asks for it in the layout that it needs (get), and the question
// goes up through maps, broadcasts and reshapes to loads, which are made in that layout at once. What has a layout of
// its own, a reduction's result, a dot's, a carried value, is converted when another one is asked for. Every value is
// made once a layout in a region (made), so that no work is done twice.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_CONVERSION_HLGBUILDER_H
#define HELIONC_LIB_CONVERSION_HLGBUILDER_H

#include "helionc/Dialect/HL/HL.h"
#include "helionc/Dialect/HLG/HLG.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace helionc::conversion {

class HlgBuilder {
public:
  HlgBuilder(mlir::OpBuilder &builder, mlir::Location loc) : b(loc, builder) {}
  mlir::LogicalResult emitLaunch(hl::KernelOp kernel, hl::GridOp grid, int64_t index);

private:
  // Control (HLToHLG.cpp)
  void bindArguments(hl::KernelOp kernel, mlir::Block &entry);
  mlir::LogicalResult bindSpans(hl::GridOp grid, int64_t &programs);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation &op);
  mlir::LogicalResult emitLoop(hl::LoopOp loop);
  mlir::LogicalResult emitStore(hl::StoreOp store);
  void emitScalarOp(mlir::Operation &op);
  bool isUsedInside(mlir::Operation &op);
  mlir::Value scalarOf(mlir::Value original);
  mlir::Value index(int64_t value);

  // Values (HlgValues.cpp)
  mlir::Value get(mlir::Value tile, const hlg::Layout &layout);
  mlir::Value make(mlir::Value tile, const hlg::Layout &layout);
  mlir::Value makeLoad(hl::LoadOp load, const hlg::Layout &layout);
  mlir::Value makeMap(hl::MapOp map, const hlg::Layout &layout);
  mlir::Value makeFill(hl::FillPaddingOp fill, const hlg::Layout &layout);
  mlir::Value makeReshape(hl::ReshapeOp reshape, const hlg::Layout &layout);
  mlir::Value error(mlir::Operation *op, llvm::StringRef message);
  /// The layout that a value has where it is made.
  hlg::Layout naturalLayout(mlir::Value tile);
  std::optional<hlg::Layout> reduceLayout(mlir::Value tile, unsigned depth);
  hlg::Layout blocked(mlir::Value tile);
  hlg::RegType regType(mlir::Value tile, const hlg::Layout &layout);
  struct Access {
    mlir::Value pointer, base;
    llvm::SmallVector<mlir::Value> limits;
    llvm::SmallVector<int64_t> strides;
    int64_t vector = 1;
  };
  mlir::FailureOr<Access> access(mlir::Operation *op, mlir::Value tensor, mlir::ValueRange indices,
                                 llvm::ArrayRef<int32_t> kinds, llvm::ArrayRef<int64_t> shape);

  mlir::ImplicitLocOpBuilder b;
  int64_t warps = 4, grouping = 1, vectorElements = 4;
  struct SpanInfo {
    mlir::Value begin, upper, blockId;
    int64_t extent = 1;
    /// A number that divides begin, and whether every block is whole.
    int64_t beginMultiple = 1;
    bool isExact = false;
    int64_t upperMultiple = 1;
  };
  llvm::DenseMap<mlir::Value, SpanInfo> spans;
  llvm::DenseMap<mlir::Value, mlir::Value> pointers, scalars;
  /// Values by layout, per region: inner regions see the outer ones' and take theirs away.
  std::map<std::pair<void *, void *>, mlir::Value> made;
  /// Tensors that the kernel stores to, and that this launch loads from; views count as what they view.
  llvm::DenseSet<mlir::Value> storedRoots, loadedRoots;
  bool hasFailed = false;
};

} // namespace helionc::conversion

#endif // HELIONC_LIB_CONVERSION_HLGBUILDER_H
