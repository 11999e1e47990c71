//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Matrix products: a register block of the accumulator stays in vector registers through the k loop.
//===----------------------------------------------------------------------===//
//
// acc[m, n] += lhs[m, k] * rhs[k, n] for a tile: rows are taken dot_tile_m at a time and columns dot_tile_n vectors at a
// time; for each k one element of lhs a row is repeated over a vector and multiplied with the vectors of rhs. With 8 rows
// and 2 vectors of 16 lanes, 16 multiply-adds follow 8 repeated loads and 2 vector loads. Operands that are not plain
// rows of f32 in memory are first copied to dense blocks, widened to the type that is summed.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

struct CpuEmitter::DotOperands {
  Value lhs, rhs;
  Buffer result;
  Indices batch;
  /// Real sizes.
  Value m, n, k;
  int64_t constantM = -1, constantN = -1, constantK = -1;
  bool isFloat = true;
};

/// Whether elements can be read where they are: a plain load, or a buffer; `unitDim` must be dense when it is not -1.
bool CpuEmitter::isDirect(Value tile, int64_t unitDim) {
  while (auto fill = tile.getDefiningOp<hl::FillPaddingOp>())
    tile = fill.getSource();
  if (buffers.count(tile))
    return true;
  auto load = tile.getDefiningOp<hl::LoadOp>();
  if (!load || load.getMask() || load.getResult().getType().getRank() == 0)
    return false;
  int64_t place = 0;
  bool dense = unitDim < 0;
  for (auto [dim, kind] : llvm::enumerate(load.getKinds())) {
    if (hl::IndexKind(kind) == hl::IndexKind::Gather)
      return false;
    if (hl::IndexKind(kind) == hl::IndexKind::Scalar)
      continue;
    if (place++ == unitDim)
      dense = load.getSource().getType().getStrides()[dim] == 1;
  }
  return dense;
}

/// `rows` rows from `row` on times `vectors` vectors from `column` on.
void CpuEmitter::dotBlock(const DotOperands &o, Value row, int64_t rows, Value column, int64_t vectors,
                          const Lanes &lanes) {
  int64_t rank = int64_t(o.batch.size()) + 2, width = lanes.width;
  auto rowAt = [&](int64_t r) { return r ? arith::AddIOp::create(b, row, index(r)).getResult() : row; };
  auto columnAt = [&](int64_t v) { return v ? arith::AddIOp::create(b, column, index(v * width)).getResult() : column; };
  auto at = [&](Value first, Value second) {
    Indices indices(o.batch);
    indices.push_back(first);
    indices.push_back(second);
    return indices;
  };
  SmallVector<Value> sums;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      sums.push_back(splat(readBuffer(o.result, at(rowAt(r), columnAt(v)), rank - 1, lanes), width));
  auto step = [&](Value k, ValueRange carried) {
    SmallVector<Value> columns, next;
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(splat(evaluate(o.rhs, at(k, columnAt(v)), rank - 1, lanes), width));
    for (int64_t r = 0; r < rows; ++r) {
      Value element = splat(evaluate(o.lhs, at(rowAt(r), k), -1, {}), width);
      for (int64_t v = 0; v < vectors; ++v) {
        Value sum = carried[r * vectors + v];
        next.push_back(o.isFloat ? math::FmaOp::create(b, element, columns[v], sum).getResult()
                                 : arith::AddIOp::create(b, sum, arith::MulIOp::create(b, element, columns[v])).getResult());
      }
    }
    return next;
  };
  auto loopOver = [&](Value lower, Value upper, int64_t unroll) {
    auto loop = scf::ForOp::create(b, lower, upper, index(unroll), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> carried(loop.getRegionIterArgs());
    for (int64_t u = 0; u < unroll; ++u)
      carried = step(arith::AddIOp::create(b, loop.getInductionVar(), index(u)), carried);
    scf::YieldOp::create(b, carried);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  };
  int64_t unroll = config.unroll;
  Value whole = unroll == 1 ? o.k
                            : arith::MulIOp::create(b, arith::DivUIOp::create(b, o.k, index(unroll)), index(unroll)).getResult();
  loopOver(index(0), whole, unroll);
  if (unroll > 1 && !(o.constantK >= 0 && o.constantK % unroll == 0))
    loopOver(whole, o.k, 1);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      writeBuffer(o.result, at(rowAt(r), columnAt(v)), sums[r * vectors + v], lanes);
}

/// All rows for some columns.
void CpuEmitter::dotRows(const DotOperands &o, Value column, int64_t vectors, const Lanes &lanes) {
  int64_t rows = config.dotTileM;
  while (o.constantM > 0 && rows > o.constantM)
    rows /= 2;
  rows = std::max<int64_t>(rows, 1);
  Value whole = arith::MulIOp::create(b, arith::DivUIOp::create(b, o.m, index(rows)), index(rows));
  forLoop(index(0), whole, rows, [&](Value row) { dotBlock(o, row, rows, column, vectors, lanes); });
  if (rows > 1 && !(o.constantM >= 0 && o.constantM % rows == 0))
    forLoop(whole, o.m, 1, [&](Value row) { dotBlock(o, row, 1, column, vectors, lanes); });
}

LogicalResult CpuEmitter::emitDot(hl::DotOp dot) {
  hl::TileType type = dot.getResult().getType();
  Type sumType = type.getElementType();
  int64_t rank = type.getRank();
  DotOperands o;
  o.isFloat = isa<FloatType>(sumType);
  auto target = targets.find(dot.getResult());
  o.result = target != targets.end() ? target->second : allocate(type, sumType);
  auto accBuffer = buffers.find(dot.getAcc());
  if (accBuffer == buffers.end() || accBuffer->second.pointer != o.result.pointer)
    evaluateInto(dot.getAcc(), o.result);
  auto prepare = [&](Value operand, bool direct) -> Value {
    if (direct && cast<hl::TileType>(operand.getType()).getElementType() == sumType)
      return operand;
    Buffer packed = allocate(cast<hl::TileType>(operand.getType()), sumType);
    evaluateInto(operand, packed);
    buffers[operand] = packed;
    packedOperands.push_back(operand);
    return operand;
  };
  o.lhs = prepare(dot.getLhs(), isDirect(dot.getLhs(), -1));
  o.rhs = prepare(dot.getRhs(), isDirect(dot.getRhs(), rank - 1) && !config.packRhs);
  SmallVector<Value> counts;
  SmallVector<int64_t> constants;
  extents(dot.getResult(), counts, constants);
  o.m = counts[rank - 2];
  o.n = counts[rank - 1];
  o.constantM = constants[rank - 2];
  o.constantN = constants[rank - 1];
  o.constantK = dot.getLhs().getType().getShape()[rank - 1];
  Value span = clipOf(dot.getLhs(), rank - 1);
  if (!span)
    span = clipOf(dot.getRhs(), rank - 2);
  o.k = span ? spanCount(span, o.constantK) : index(o.constantK);
  std::function<void(int64_t)> nest = [&](int64_t dim) {
    if (dim < rank - 2) {
      forLoop(index(0), counts[dim], 1, [&](Value i) {
        o.batch.push_back(i);
        nest(dim + 1);
        o.batch.pop_back();
      });
      return;
    }
    int64_t width = config.vectorWidth, vectors = config.dotTileN;
    while (o.constantN > 0 && width > 1 && width / 2 >= o.constantN)
      width /= 2;
    while (o.constantN > 0 && vectors > 1 && vectors * width > o.constantN)
      --vectors;
    int64_t block = width * vectors;
    Value whole = arith::MulIOp::create(b, arith::DivUIOp::create(b, o.n, index(block)), index(block));
    Lanes full;
    full.width = width;
    forLoop(index(0), whole, block, [&](Value column) { dotRows(o, column, vectors, full); });
    if (o.constantN >= 0 && o.constantN % block == 0)
      return;
    Value single = arith::MulIOp::create(b, arith::DivUIOp::create(b, o.n, index(width)), index(width));
    if (vectors > 1)
      forLoop(whole, single, width, [&](Value column) { dotRows(o, column, 1, full); });
    if (o.constantN >= 0 && o.constantN % width == 0)
      return;
    Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, single, o.n);
    auto branch = scf::IfOp::create(b, more, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    dotRows(o, single, 1, tailLanes(single, o.n, width));
  };
  nest(0);
  // The dense copies hold widened elements: nobody else may read them as the tile.
  for (Value operand : packedOperands)
    buffers.erase(operand);
  packedOperands.clear();
  buffers[dot.getResult()] = o.result;
  return failure(failed);
}
