//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Matrix products: packing and a register-blocked kernel.
//===----------------------------------------------------------------------===//
//
// acc[m, n] += Σk lhs[m, k] · rhs[k, n]. The right side is copied into panels of dot_tile_n vectors (panel, k, column),
// so that the inner loop reads it in order (unless few rows would use the copy); the left side is read where it is, an
// element at a time. The kernel keeps
// dot_tile_m × dot_tile_n vectors of acc in registers while k runs:
//
//     for panel p: for rows m by dot_tile_m: acc = D[m.., p]; for k: acc[i][j] += splat(lhs[m + i, k]) * panel[k][j]
//
// D, the accumulator, is a buffer whose rows are padded to whole vectors, so nothing in the kernel is masked. Why not
// copy the left side too: its elements are used dot_tile_n vectors at a time and its rows are read in order already.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

namespace {

/// Memory that a tile is read from directly: base + offset + Σ coordinate · stride, per dim.
struct Operand {
  Value base, offset;
  SmallVector<int64_t> strides;
  Type elementType;
};

class DotEmitter {
public:
  DotEmitter(LaunchEmitter &launch, hl::DotOp op);
  void run(const Buffer &target);

private:
  std::optional<Operand> direct(Value tile, unsigned kDim);
  Operand leftOperand();
  void pack(const Coords &batch);
  void packChunk(const Coords &batch, Value row, const Coord &column, Lanes lanes);
  void packTransposed(const Operand &right, const Coords &batch, Value rows, Value columns);
  Value panelOffset(Value row, Value column);
  bool usePlainRight(const Operand &right);
  void runBatch(const Operand &left, const Coords &batch);
  void runPanels(const Operand &left, Value leftOffset, Value targetOffset);
  void runRows(const Operand &left, Value leftOffset, Value targetOffset, Value panel, int64_t vectors);
  void kernel(const Operand &left, Value leftRow, Value targetRow, Value panelAddress, int64_t rows, int64_t vectors);
  SmallVector<Value> step(ArrayRef<Value> rowAddresses, int64_t kStride, Value panelAddress, Value k, int64_t vectors,
                          ValueRange sums);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);

  LaunchEmitter &launch;
  CpuBuilder &b;
  hl::DotOp op;
  Type type;
  int64_t batchRank, m, n, k, width, panelVectors;
  Bound mBound, nBound, kBound;
  SmallVector<Bound> batchBounds;
  Buffer target;
  /// The copy of the right side, or the right side itself: elements between rows and between panels, and their type.
  Value panels;
  int64_t panelRow, panelPitch;
  Type panelType;
};

} // namespace

static Value firstOrNull(ArrayRef<Value> values) { return values.empty() ? Value() : values.front(); }

DotEmitter::DotEmitter(LaunchEmitter &launch, hl::DotOp op) : launch(launch), b(launch.b), op(op) {
  SmallVector<int64_t> lhs = op.getLhs().getType().getShape(), rhs = op.getRhs().getType().getShape();
  type = op.getAcc().getType().getElementType();
  batchRank = lhs.size() - 2;
  m = lhs[batchRank];
  k = lhs[batchRank + 1];
  n = rhs[batchRank + 1];
  width = std::max<int64_t>(1, launch.options.vectorWidth * 4 / memoryBytes(type));
  width = std::min<int64_t>({width, launch.options.vectorWidth, int64_t(llvm::PowerOf2Ceil(n))});
  panelVectors = std::min<int64_t>(launch.options.dotTileN, llvm::divideCeil(n, width));
  // The padding of rows and columns is unspecified afterwards, so it is not computed; that of k is skipped when both
  // sides are 0 there.
  mBound = {m, firstOrNull(launch.spansOf(op.getLhs(), batchRank))};
  nBound = {n, firstOrNull(launch.spansOf(op.getRhs(), batchRank + 1))};
  kBound = {k, {}};
  auto isZero = [&](const std::optional<Padding> &padding) {
    return padding && padding->span && padding->value == b.getZeroAttr(op.getLhs().getType().getElementType());
  };
  std::optional<Padding> left = launch.paddingOf(op.getLhs(), batchRank + 1);
  std::optional<Padding> right = launch.paddingOf(op.getRhs(), batchRank);
  if (isZero(left) && isZero(right) && left->span == right->span)
    kBound.span = left->span;
  for (int64_t dim = 0; dim < batchRank; ++dim)
    batchBounds.push_back({lhs[dim], firstOrNull(launch.spansOf(op.getLhs(), dim))});
}

/// The memory that `tile` is a plain view of; nothing when it must be evaluated.
std::optional<Operand> DotEmitter::direct(Value tile, unsigned kDim) {
  if (auto it = launch.buffers.find(tile); it != launch.buffers.end())
    return Operand{it->second.base, b.index(0), it->second.strides, it->second.elementType};
  if (!launch.isLazy(tile))
    return std::nullopt;
  Operation *source = tile.getDefiningOp();
  if (auto fill = dyn_cast_or_null<hl::FillPaddingOp>(source)) {
    if (fill.getDims() != ArrayRef<int64_t>{int64_t(kDim)} || !kBound.span || fill.getSpans()[0] != kBound.span)
      return std::nullopt;
    return direct(fill.getSource(), kDim);
  }
  if (auto transpose = dyn_cast_or_null<hl::TransposeOp>(source)) {
    std::optional<Operand> inner = direct(transpose.getSource(), transpose.getPermutation()[kDim]);
    if (!inner)
      return std::nullopt;
    Operand result = *inner;
    for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
      result.strides[dim] = inner->strides[from];
    return result;
  }
  auto load = dyn_cast_or_null<hl::LoadOp>(source);
  if (!load || load.getMask())
    return std::nullopt;
  const TensorInfo tensor = launch.tensors[load.getSource()];
  SmallVector<IndexUse> uses = indexUses(load.getKinds(), load.getIndices());
  Coord origin;
  origin.base = launch.zero;
  for (const IndexUse &use : uses) {
    if (use.kind == hl::IndexKind::Gather)
      return std::nullopt;
    if (use.kind != hl::IndexKind::Span)
      continue;
    Value span = use.operand;
    bool clipped = span == kBound.span || span == mBound.span || span == nBound.span ||
                   llvm::any_of(batchBounds, [&](const Bound &bound) { return bound.span == span; });
    if (!clipped && !launch.spans[span].isExact)
      return std::nullopt;
    origin.realOf.push_back(span);
  }
  unsigned rank = load.getResult().getType().getRank();
  Access access = launch.locate(tensor, uses, Coords(rank, origin), {}, {}, false);
  Operand result{access.base, access.offset, SmallVector<int64_t>(rank, 0), tensor.type.getElementType()};
  for (auto [dim, use] : llvm::enumerate(uses))
    if (use.kind != hl::IndexKind::Scalar)
      result.strides[use.dim] = tensor.type.getStrides()[dim];
  return result;
}

Operand DotEmitter::leftOperand() {
  if (std::optional<Operand> found = direct(op.getLhs(), batchRank + 1); found && found->elementType == type)
    return *found;
  Buffer buffer = launch.allocate(op.getLhs().getType().getShape(), type);
  SmallVector<Bound> bounds = batchBounds;
  bounds.push_back(mBound);
  bounds.push_back(kBound);
  launch.writeTile(op.getLhs(), buffer, bounds);
  return Operand{buffer.base, b.index(0), buffer.strides, type};
}

static Value widened(CpuBuilder &b, Value value, Type type) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, laneType(type, widthOf(value)), value);
  return arith::ExtSIOp::create(b, laneType(type, widthOf(value)), value);
}

/// Where element (row, column) of the right side lies in the panels.
Value DotEmitter::panelOffset(Value row, Value column) {
  int64_t columns = panelVectors * width;
  Value panel = b.mul(b.div(column, columns), k * columns);
  return b.add(panel, b.add(b.mul(row, columns), b.rem(column, columns)));
}

void DotEmitter::packChunk(const Coords &batch, Value row, const Coord &column, Lanes lanes) {
  Coords coords = batch;
  coords.push_back(Coord{row, false, {}});
  if (kBound.span)
    coords.back().realOf.push_back(kBound.span);
  coords.push_back(column);
  TileReader reader(launch, lanes);
  Value value = widened(b, b.splat(reader.read(op.getRhs(), coords), lanes.width), type);
  b.store(value, b.address(panels, panelOffset(row, column.base), type));
}

/// Turns width vectors of width elements over: element j of vector i becomes element i of vector j. At each stage lanes
/// whose numbers differ in one bit change places between vectors whose numbers differ in that bit.
static void transposeVectors(CpuBuilder &b, SmallVector<Value> &vectors) {
  int64_t width = int64_t(vectors.size());
  for (int64_t bit = 1; bit < width; bit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width; ++lane) {
      low.push_back(lane & bit ? width + lane - bit : lane);
      high.push_back(lane & bit ? width + lane : lane + bit);
    }
    for (int64_t i = 0; i < width; ++i) {
      if (i & bit)
        continue;
      Value first = vectors[i], second = vectors[i + bit];
      vectors[i] = vector::ShuffleOp::create(b, first, second, low);
      vectors[i + bit] = vector::ShuffleOp::create(b, first, second, high);
    }
  }
}

/// Packs the square blocks below `rows` and `columns` of a right side that is dense along k.
void DotEmitter::packTransposed(const Operand &right, const Coords &batch, Value rows, Value columns) {
  Value origin = right.offset;
  for (int64_t dim = 0; dim < batchRank; ++dim)
    origin = b.add(origin, b.mul(batch[dim].base, right.strides[dim]));
  int64_t columnStride = right.strides[batchRank + 1];
  b.loop(b.index(0), columns, width, [&](Value column) {
    b.loop(b.index(0), rows, width, [&](Value row) {
      Value start = b.add(origin, b.add(row, b.mul(column, columnStride)));
      SmallVector<Value> block;
      for (int64_t i = 0; i < width; ++i) {
        Value address = b.address(right.base, b.add(start, b.index(i * columnStride)), right.elementType);
        block.push_back(widened(b, b.load(address, right.elementType, width), type));
      }
      transposeVectors(b, block);
      for (auto [i, vector] : llvm::enumerate(block))
        b.store(vector, b.address(panels, panelOffset(b.add(row, b.index(i)), column), type));
    });
  });
}

/// Copies the right side of one batch element into panels.
void DotEmitter::pack(const Coords &batch) {
  Value rows = launch.countOf(kBound), columns = launch.countOf(nBound), done = b.index(0);
  std::optional<Operand> right = width > 2 ? direct(op.getRhs(), batchRank) : std::nullopt;
  if (right && right->strides[batchRank] == 1 && right->strides[batchRank + 1] != 1 && k >= width) {
    done = b.sub(rows, b.rem(rows, width));
    Value whole = b.sub(columns, b.rem(columns, width));
    packTransposed(*right, batch, done, whole);
    // The columns after the last whole vector; a vector that is masked altogether would lie past the panels.
    auto rest = [&] {
      b.loop(b.index(0), done, 1, [&](Value row) {
        Coord column{whole, true, {}};
        if (nBound.span)
          column.realOf.push_back(nBound.span);
        packChunk(batch, row, column, Lanes{width, b.lanesBelow(whole, columns, width)});
      });
    };
    if (!constantOf(columns))
      b.when(b.less(whole, columns), rest);
    else if (constantOf(whole) != constantOf(columns))
      rest();
  }
  b.loop(done, rows, 1, [&](Value row) {
    launch.forEachChunk(nBound, [&](Coord column, Lanes lanes) { packChunk(batch, row, column, lanes); }, width);
  });
}

Value DotEmitter::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (isa<FloatType>(type))
    return math::FmaOp::create(b, lhs, rhs, sum);
  return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, lhs, rhs));
}

SmallVector<Value> DotEmitter::step(ArrayRef<Value> rowAddresses, int64_t kStride, Value panelAddress, Value k,
                                    int64_t vectors, ValueRange sums) {
  SmallVector<Value> right, next;
  Value row = b.mul(k, panelRow);
  for (int64_t j = 0; j < vectors; ++j) {
    Value address = b.address(panelAddress, b.add(row, b.index(j * width)), panelType);
    right.push_back(widened(b, b.load(address, panelType, width), type));
  }
  for (auto [i, address] : llvm::enumerate(rowAddresses)) {
    Value left = b.splat(b.load(b.address(address, b.mul(k, kStride), type), type, 1), width);
    for (int64_t j = 0; j < vectors; ++j)
      next.push_back(multiplyAdd(left, right[j], sums[i * vectors + j]));
  }
  return next;
}

/// `rows` rows by `vectors` vectors of the accumulator, over all of k.
void DotEmitter::kernel(const Operand &left, Value leftRow, Value targetRow, Value panelAddress, int64_t rows,
                        int64_t vectors) {
  int64_t rowStride = target.strides[batchRank], leftStride = left.strides[batchRank];
  int64_t kStride = left.strides[batchRank + 1], unroll = std::min<int64_t>(launch.options.unroll, k);
  SmallVector<Value> rowAddresses, targets, sums;
  for (int64_t i = 0; i < rows; ++i) {
    rowAddresses.push_back(b.address(left.base, b.add(leftRow, b.index(i * leftStride)), type));
    for (int64_t j = 0; j < vectors; ++j) {
      Value offset = b.add(targetRow, b.index(i * rowStride + j * width));
      targets.push_back(b.address(target.base, offset, type));
      sums.push_back(b.load(targets.back(), type, width));
    }
  }
  Value count = launch.countOf(kBound);
  Value whole = b.sub(count, b.rem(count, unroll));
  sums = b.loop(b.index(0), whole, unroll, sums, [&](Value iv, ValueRange carried) {
    SmallVector<Value> next(carried);
    for (int64_t u = 0; u < unroll; ++u)
      next = step(rowAddresses, kStride, panelAddress, b.add(iv, b.index(u)), vectors, next);
    return next;
  });
  if (unroll > 1)
    sums = b.loop(whole, count, 1, sums, [&](Value iv, ValueRange carried) {
      return step(rowAddresses, kStride, panelAddress, iv, vectors, carried);
    });
  for (auto [address, sum] : llvm::zip(targets, sums))
    b.store(sum, address);
}

/// All rows of one panel: blocks of dot_tile_m rows, then what is left in blocks of fewer.
void DotEmitter::runRows(const Operand &left, Value leftOffset, Value targetOffset, Value panel, int64_t vectors) {
  int64_t columns = panelVectors * width;
  Value panelAddress = b.address(panels, b.mul(panel, panelPitch), panelType);
  Value column = b.add(targetOffset, b.mul(panel, columns));
  Value count = launch.countOf(mBound), done = b.index(0);
  std::optional<int64_t> fixed = constantOf(count);
  for (int64_t rows = std::min(launch.options.dotTileM, m); rows >= 1;) {
    Value end = b.sub(count, b.rem(b.sub(count, done), rows));
    std::optional<int64_t> from = constantOf(done), to = constantOf(end);
    if (!from || !to || *from < *to)
      b.loop(done, end, rows, [&](Value row) {
        kernel(left, b.add(leftOffset, b.mul(row, left.strides[batchRank])),
               b.add(column, b.mul(row, target.strides[batchRank])), panelAddress, rows, vectors);
      });
    done = end;
    int64_t rest = fixed ? *fixed - *constantOf(done) : rows - 1;
    if (rest == 0)
      break;
    rows = fixed ? rest : int64_t(llvm::bit_floor(uint64_t(rest)));
  }
}

void DotEmitter::runPanels(const Operand &left, Value leftOffset, Value targetOffset) {
  int64_t columns = panelVectors * width, vectors = llvm::divideCeil(n, width);
  int64_t whole = vectors / panelVectors, rest = vectors % panelVectors;
  Value count = launch.countOf(nBound);
  Value used = b.min(b.index(whole), b.div(b.add(count, b.index(columns - 1)), columns));
  b.loop(b.index(0), used, 1, [&](Value panel) { runRows(left, leftOffset, targetOffset, panel, panelVectors); });
  if (rest > 0)
    b.when(b.less(b.index(whole * columns), count),
           [&] { runRows(left, leftOffset, targetOffset, b.index(whole), rest); });
}

/// Whether the right side is better read where it is: whole vectors of it are there, and a copy would be used by few
/// blocks of rows.
bool DotEmitter::usePlainRight(const Operand &right) {
  return right.strides[batchRank + 1] == 1 && n % width == 0 && constantOf(launch.countOf(nBound)) == n &&
         m <= 2 * launch.options.dotTileM;
}

void DotEmitter::runBatch(const Operand &left, const Coords &batch) {
  int64_t columns = panelVectors * width;
  if (std::optional<Operand> right = direct(op.getRhs(), batchRank); right && usePlainRight(*right)) {
    Value offset = right->offset;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      offset = b.add(offset, b.mul(batch[dim].base, right->strides[dim]));
    panels = b.address(right->base, offset, right->elementType);
    panelRow = right->strides[batchRank];
    panelPitch = columns;
    panelType = right->elementType;
  } else {
    panels = launch.allocateBytes(llvm::divideCeil(n, columns) * k * columns * memoryBytes(type));
    panelRow = columns;
    panelPitch = k * columns;
    panelType = type;
    pack(batch);
  }
  Value leftOffset = left.offset, targetOffset = b.index(0);
  for (int64_t dim = 0; dim < batchRank; ++dim) {
    leftOffset = b.add(leftOffset, b.mul(batch[dim].base, left.strides[dim]));
    targetOffset = b.add(targetOffset, b.mul(batch[dim].base, target.strides[dim]));
  }
  runPanels(left, leftOffset, targetOffset);
}

void DotEmitter::run(const Buffer &buffer) {
  target = buffer;
  Operand left = leftOperand();
  launch.forEachRow(batchBounds, std::nullopt, [&](Coords &batch) { runBatch(left, batch); });
}

//===----------------------------------------------------------------------===//
// Where the result lies
//===----------------------------------------------------------------------===//

/// A dot whose result is only yielded, and whose accumulator is all that reads the carried value, works in place.
std::optional<Buffer> LaunchEmitter::carriedTarget(hl::DotOp dot) {
  if (!dot.getResult().hasOneUse() || isSingle(dot.getResult().getType()))
    return std::nullopt;
  OpOperand &use = *dot.getResult().use_begin();
  auto loop = dyn_cast<hl::LoopOp>(use.getOwner()->getParentOp());
  if (!isa<hl::YieldOp>(use.getOwner()) || !loop || dot->getBlock() != use.getOwner()->getBlock())
    return std::nullopt;
  Value argument = loop.getBody().getArgument(loop.getSteps().size() + use.getOperandNumber());
  for (Value value = argument; value.hasOneUse();) {
    OpOperand &next = *value.use_begin();
    if (next.getOwner() == dot)
      return next.get() == dot.getAcc() && value == dot.getAcc() ? std::optional(buffers[argument]) : std::nullopt;
    auto map = dyn_cast<hl::MapOp>(next.getOwner());
    if (!map || map->getBlock() != dot->getBlock())
      return std::nullopt;
    value = map.getResult();
  }
  return std::nullopt;
}

LogicalResult LaunchEmitter::emitDot(hl::DotOp dot) {
  Value acc = dot.getAcc();
  auto type = dot.getResult().getType();
  auto own = buffers.find(acc);
  std::optional<Buffer> target = carriedTarget(dot);
  bool takesAcc = !target && own != buffers.end() && acc.hasOneUse() && acc.getDefiningOp<hl::DotOp>() &&
                  acc.getParentBlock() == dot->getBlock();
  if (takesAcc)
    target = own->second;
  else if (!target)
    target = allocate(type.getShape(), type.getElementType());
  if (own == buffers.end() || own->second.base != target->base)
    writeTile(acc, *target);
  // Copies of the operands are dead afterwards.
  int64_t mark = scratchTop;
  DotEmitter(*this, dot).run(*target);
  scratchTop = mark;
  if (!isSingle(type)) {
    buffers[dot.getResult()] = *target;
    return success();
  }
  scalars.map(dot.getResult(), b.load(target->base, type.getElementType(), 1));
  return success();
}
