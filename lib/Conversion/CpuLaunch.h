//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// State and methods of the conversion of one launch (a top-level hl.grid) to CPU code.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_CONVERSION_CPULAUNCH_H
#define HELIONC_LIB_CONVERSION_CPULAUNCH_H

#include "CpuBuilder.h"
#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/IRMapping.h"

#include <map>

namespace helionc::conversion::cpu {

/// What the configuration says about code generation.
struct CpuOptions {
  int64_t vectorWidth = 16, dotTileM = 8, dotTileN = 2, unroll = 1, numThreads = 0, l2Grouping = 1;
};

/// A coordinate of a tile's dim. In the vector dim it stands for lanes base, base + 1, …; `base` may be null while
/// uniform parts are hoisted. `realOf` are the spans in whose real part it is known to lie.
struct Coord {
  Value base;
  bool isVector = false;
  SmallVector<Value, 1> realOf;
};
using Coords = SmallVector<Coord, 4>;

/// Which lanes of the vector coordinate count; a null mask: all.
struct Lanes {
  int64_t width = 1;
  Value mask;
};

/// A tile in memory private to the thread.
struct Buffer {
  Value base;
  Type elementType;
  SmallVector<int64_t> strides;
};

struct SpanInfo {
  Value begin, upper, blockId;
  /// How many elements are real: min(extent, upper - begin).
  Value real;
  int64_t extent = 1;
  /// No block reaches past the end.
  bool isExact = false;
};

struct TensorInfo {
  Value base;
  hl::TensorType type;
  /// The kernel argument that the memory is of.
  Value root;
};

/// A dim to loop over: `extent`, or the real part of `span`.
struct Bound {
  int64_t extent = 1;
  Value span;
};

/// What a tile is known to hold past the real part of `span` along a dim; a null span: anywhere (a constant tile).
struct Padding {
  Value span;
  mlir::TypedAttr value;
};

/// Where an access goes: base + offset, plus laneStride a lane, plus vectorOffset.
struct Access {
  Value base, offset, vectorOffset, mask;
  int64_t laneStride = 0;
};

/// How one dim of a tensor is indexed; `dim` is the first dim of the tile that it gives, if it gives one.
struct IndexUse {
  hl::IndexKind kind;
  Value operand;
  unsigned dim = 0;
};
SmallVector<IndexUse> indexUses(ArrayRef<int32_t> kinds, ValueRange operands);

class LaunchEmitter;

/// Evaluates tiles element by element (or vector by vector). Remembers what was read at which coordinates; valid within
/// one loop nest.
class TileReader {
public:
  TileReader(LaunchEmitter &launch, Lanes lanes) : lanes(lanes), launch(launch) {}
  /// The elements at `coords`: a vector when a coordinate that matters is the vector one, else a scalar.
  Value read(Value tile, const Coords &coords);
  /// Reads, before the vector loop, the parts of `tile` that are the same for all lanes.
  void hoist(Value tile, const Coords &coords);
  Lanes lanes;

private:
  using Children = SmallVector<std::pair<Value, Coords>>;
  Children children(Value tile, const Coords &coords);
  Value compute(Value tile, const Coords &coords);
  Value readMap(hl::MapOp map, ArrayRef<Value> inputs);
  Value readFill(hl::FillPaddingOp fill, Value source, const Coords &coords);
  Value readIndices(Value first, const Coord &coord, Type elementType);
  using Key = std::pair<void *, SmallVector<std::pair<void *, bool>, 4>>;
  LaunchEmitter &launch;
  std::map<Key, Value> memo;
};

class LaunchEmitter {
public:
  LaunchEmitter(CpuBuilder &builder, CpuOptions options, Value scratch)
      : b(builder), options(options), scratch(scratch) {}

  void addTensor(Value argument, Value base);
  void addScalar(Value argument, Value value) { scalars.map(argument, value); }
  /// Emits what precedes the loops of a kernel (constants, views, scalar arithmetic), or what is inside them.
  mlir::LogicalResult emitOp(mlir::Operation &op);
  /// Emits the body of the launch for program `program`.
  mlir::LogicalResult emitGrid(hl::GridOp grid, Value program, ArrayRef<int64_t> order);
  int64_t scratchBytes() const { return scratchPeak; }

  // Loops (CpuLoops.cpp).
  using VectorBody = llvm::function_ref<void(const Coords &, TileReader &)>;
  /// Runs `body` for every vector of a tile. `roots` are the tiles that the body reads: what is the same for all lanes
  /// is read before the innermost loop.
  void forEachVector(ArrayRef<Bound> bounds, unsigned vectorDim, ArrayRef<Value> roots, VectorBody body);
  using RowBody = llvm::function_ref<void(Coords &)>;
  /// Runs `body` for every coordinate of the dims other than `skip`, whose coordinate is left empty.
  void forEachRow(ArrayRef<Bound> bounds, std::optional<unsigned> skip, RowBody body);
  /// Vectors of `width` lanes (0: as many as suit the extent) over `bound`, the rest masked.
  void forEachChunk(const Bound &bound, llvm::function_ref<void(Coord, Lanes)> body, int64_t width = 0);
  Value countOf(const Bound &bound);
  int64_t vectorWidthFor(int64_t extent) const;

  // Buffers (CpuBuffers.cpp).
  Buffer allocate(ArrayRef<int64_t> shape, Type elementType, bool isContiguous = false);
  Value allocateBytes(int64_t bytes);
  /// Evaluates `tile` into `buffer` (converting to its element type); padding included.
  void writeTile(Value tile, const Buffer &buffer, ArrayRef<Bound> bounds = {});
  /// Gives `tile` a buffer now.
  void materialize(Value tile, bool isContiguous = false);
  void copyBuffer(const Buffer &from, const Buffer &to, ArrayRef<int64_t> shape);
  Value bufferAddress(const Buffer &buffer, const Coords &coords, int64_t &laneStride);

  // Memory (CpuMemory.cpp).
  Value readLoad(hl::LoadOp load, const Coords &coords, ArrayRef<Value> gathered, Value mask, Lanes lanes);
  Access locate(const TensorInfo &tensor, ArrayRef<IndexUse> uses, const Coords &coords, ArrayRef<Value> gathered,
                Lanes lanes, bool isStore);
  Value readBuffer(const Buffer &buffer, const Coords &coords, Lanes lanes);
  mlir::LogicalResult emitStore(hl::StoreOp store);
  /// Whether the coordinate is inside the real part of `span`: null when it is known to be.
  Value isReal(Value span, const Coord &coord, Lanes lanes);

  // Facts about tiles (CpuFacts.cpp).
  /// The spans whose padding the padding of `dim` comes from.
  SmallVector<Value> spansOf(Value tile, int64_t dim);
  std::optional<Padding> paddingOf(Value tile, int64_t dim);
  /// Roughly how many instructions an element takes to evaluate again.
  int64_t costOf(Value tile);
  bool isLazy(Value tile) const { return !buffers.count(tile) && !scalars.contains(tile); }

  CpuBuilder &b;
  const CpuOptions options;
  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Buffer> buffers;
  llvm::DenseMap<Value, SpanInfo> spans;
  llvm::DenseMap<Value, TensorInfo> tensors;
  /// The index 0, everywhere visible.
  Value zero;

private:
  // Control flow (CpuControl.cpp).
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitLoop(hl::LoopOp loop);
  mlir::LogicalResult emitLoopBody(hl::LoopOp loop, ArrayRef<Value> carried, SmallVector<Value> &next);
  mlir::LogicalResult emitIf(hl::IfOp op);
  mlir::LogicalResult emitBranch(mlir::Region &region, hl::IfOp op, SmallVector<Value> &results);
  void writeCarried(hl::LoopOp loop);
  SpanInfo makeSpan(Value begin, Value upper, Value blockId, int64_t extent, bool isExact);

  // Values (CpuValue.cpp).
  mlir::LogicalResult emitTileOp(mlir::Operation &op);
  void emitScalarOp(mlir::Operation &op);
  bool isWorthKeeping(Value tile);
  bool mayBeOverwritten(hl::LoadOp load);

  // Reductions (CpuReduce.cpp) and dots (CpuDot.cpp).
  void emitReduce(hl::ReduceOp reduce);
  mlir::LogicalResult emitDot(hl::DotOp dot);
  /// The buffer of the loop's carried value that the dot may accumulate into directly.
  std::optional<Buffer> carriedTarget(hl::DotOp dot);

  Value scratch;
  int64_t scratchTop = 0, scratchPeak = 0;
  llvm::DenseSet<Value> writtenRoots;
};

/// Elements of a tile.
int64_t elementsOf(hl::TileType type);
/// A tile with one element is kept as a scalar.
inline bool isSingle(Type type) {
  auto tile = mlir::dyn_cast<hl::TileType>(type);
  return tile && elementsOf(tile) == 1;
}
/// The last dim that is not 1 (0 for a tile of rank 0 or of one element).
unsigned lastWideDim(ArrayRef<int64_t> shape);
/// Whether a reshape only inserts or drops dims of size 1; then the source dim of each result dim (-1: inserted).
std::optional<SmallVector<int64_t>> unitReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to);
/// A constant of an element type.
Value neutralElement(CpuBuilder &b, hl::ReduceKind kind, Type type);
mlir::TypedAttr neutralAttribute(mlir::Builder &b, hl::ReduceKind kind, Type type);

} // namespace helionc::conversion::cpu

#endif // HELIONC_LIB_CONVERSION_CPULAUNCH_H
