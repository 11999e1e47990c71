//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Evaluates tiles element by element, and decides which of them get memory.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool anyVector(const Coords &coords) {
  return llvm::any_of(coords, [](const Coord &coord) { return coord.isVector; });
}

std::optional<SmallVector<int64_t>> helionc::conversion::cpu::unitReshape(ArrayRef<int64_t> from,
                                                                          ArrayRef<int64_t> to) {
  SmallVector<int64_t> source;
  unsigned next = 0;
  for (int64_t extent : to) {
    if (extent == 1) {
      source.push_back(-1);
      continue;
    }
    while (next < from.size() && from[next] == 1)
      ++next;
    if (next == from.size() || from[next] != extent)
      return std::nullopt;
    source.push_back(next++);
  }
  return source;
}

static Coords reshapedCoords(hl::ReshapeOp op, const Coords &coords, Value zero) {
  SmallVector<int64_t> from = op.getSource().getType().getShape(), to = op.getResult().getType().getShape();
  Coords result(from.size());
  for (Coord &coord : result)
    coord.base = zero;
  SmallVector<int64_t> source = *unitReshape(from, to);
  for (auto [dim, sourceDim] : llvm::enumerate(source))
    if (sourceDim >= 0)
      result[sourceDim] = coords[dim];
  return result;
}

TileReader::Children TileReader::children(Value tile, const Coords &coords) {
  Children result;
  Operation *op = tile.getDefiningOp();
  Coord origin;
  origin.base = launch.zero;
  if (auto map = dyn_cast<hl::MapOp>(op)) {
    for (Value input : map.getInputs())
      result.emplace_back(input, coords);
  } else if (auto broadcast = dyn_cast<hl::BroadcastOp>(op)) {
    Coords inner = coords;
    for (auto [coord, extent] : llvm::zip(inner, broadcast.getSource().getType().getShape()))
      if (extent == 1)
        coord = origin;
    result.emplace_back(broadcast.getSource(), inner);
  } else if (auto reshape = dyn_cast<hl::ReshapeOp>(op)) {
    result.emplace_back(reshape.getSource(), reshapedCoords(reshape, coords, launch.zero));
  } else if (auto transpose = dyn_cast<hl::TransposeOp>(op)) {
    Coords inner(coords.size());
    for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
      inner[from] = coords[dim];
    result.emplace_back(transpose.getSource(), inner);
  } else if (auto fill = dyn_cast<hl::FillPaddingOp>(op)) {
    result.emplace_back(fill.getSource(), coords);
  } else if (auto load = dyn_cast<hl::LoadOp>(op)) {
    for (const IndexUse &use : indexUses(load.getKinds(), load.getIndices()))
      if (use.kind == hl::IndexKind::Gather) {
        unsigned rank = cast<hl::TileType>(use.operand.getType()).getRank();
        result.emplace_back(use.operand, Coords(ArrayRef(coords).slice(use.dim, rank)));
      }
    if (load.getMask())
      result.emplace_back(load.getMask(), coords);
  }
  return result;
}

void TileReader::hoist(Value tile, const Coords &coords) {
  if (!anyVector(coords)) {
    read(tile, coords);
    return;
  }
  if (!launch.isLazy(tile))
    return;
  for (auto &[child, inner] : children(tile, coords))
    hoist(child, inner);
}

Value TileReader::read(Value tile, const Coords &coords) {
  if (Value scalar = launch.scalars.lookupOrNull(tile))
    return scalar;
  Key key{tile.getAsOpaquePointer(), {}};
  for (const Coord &coord : coords)
    key.second.emplace_back(coord.base.getAsOpaquePointer(), coord.isVector);
  if (auto it = memo.find(key); it != memo.end())
    return it->second;
  Value result = compute(tile, coords);
  memo[key] = result;
  return result;
}

Value TileReader::compute(Value tile, const Coords &coords) {
  Lanes active = anyVector(coords) ? lanes : Lanes{};
  if (auto it = launch.buffers.find(tile); it != launch.buffers.end())
    return launch.readBuffer(it->second, coords, active);
  SmallVector<Value> values;
  for (auto &[child, inner] : children(tile, coords))
    values.push_back(read(child, inner));
  Operation *op = tile.getDefiningOp();
  if (auto map = dyn_cast<hl::MapOp>(op))
    return readMap(map, values);
  if (isa<hl::BroadcastOp, hl::ReshapeOp, hl::TransposeOp>(op))
    return values[0];
  if (auto fill = dyn_cast<hl::FillPaddingOp>(op))
    return readFill(fill, values[0], coords);
  if (auto full = dyn_cast<hl::FullOp>(op))
    return launch.scalars.lookup(full.getValue());
  Type elementType = cast<hl::TileType>(tile.getType()).getElementType();
  if (auto indices = dyn_cast<hl::IndicesOp>(op))
    return readIndices(launch.spans[indices.getSpan()].begin, coords[0], elementType);
  if (auto arange = dyn_cast<hl::ArangeOp>(op))
    return readIndices(launch.scalars.lookup(arange.getStart()), coords[0], elementType);
  auto load = cast<hl::LoadOp>(op);
  Value mask;
  if (load.getMask())
    mask = values.pop_back_val();
  return launch.readLoad(load, coords, values, mask, active);
}

Value TileReader::readIndices(Value first, const Coord &coord, Type elementType) {
  CpuBuilder &b = launch.b;
  Value start = b.add(first, coord.base);
  if (!elementType.isIndex())
    start = b.createOrFold<arith::IndexCastOp>(elementType, start);
  if (!coord.isVector || lanes.width == 1)
    return start;
  SmallVector<Attribute> values;
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    values.push_back(b.getIntegerAttr(elementType, lane));
  auto type = VectorType::get(lanes.width, elementType);
  Value iota = arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
  return arith::AddIOp::create(b, b.splat(start, lanes.width), iota);
}

Value TileReader::readFill(hl::FillPaddingOp fill, Value source, const Coords &coords) {
  CpuBuilder &b = launch.b;
  Value isReal;
  for (auto [span, dim] : llvm::zip(fill.getSpans(), fill.getDims()))
    isReal = b.both(isReal, launch.isReal(span, coords[dim], lanes));
  if (!isReal)
    return source;
  int64_t width = std::max(widthOf(isReal), widthOf(source));
  Value value = launch.scalars.lookup(fill.getValue());
  return arith::SelectOp::create(b, b.splat(isReal, width), b.splat(source, width), b.splat(value, width));
}

//===----------------------------------------------------------------------===//
// Elementwise bodies
//===----------------------------------------------------------------------===//

/// A divisor that cannot trap: padding may hold anything, and the processor stops on n / 0 and on the lowest n / -1.
static Value safeDivisor(CpuBuilder &b, Operation &op, Value dividend, Value divisor) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
           arith::CeilDivUIOp>(op))
    return divisor;
  if (auto constant = constantOf(divisor); constant && *constant != 0 && *constant != -1)
    return divisor;
  Type type = divisor.getType(), element = getElementTypeOrSelf(type);
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  int64_t width = widthOf(divisor);
  auto constant = [&](const APInt &value) {
    return b.splat(arith::ConstantOp::create(b, b.getIntegerAttr(element, value)), width);
  };
  auto equal = [&](Value value, const APInt &other) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, constant(other));
  };
  Value bad = equal(divisor, APInt::getZero(bits));
  Value overflow = arith::AndIOp::create(b, equal(divisor, APInt::getAllOnes(bits)),
                                         equal(dividend, APInt::getSignedMinValue(bits)));
  bad = arith::OrIOp::create(b, bad, overflow);
  return arith::SelectOp::create(b, bad, constant(APInt(bits, 1)), divisor);
}

/// x / s for a vector by the same scalar: one division a row instead of one a vector. The product with the reciprocal
/// is corrected by its remainder (Markstein), which rounds as a division does; where the correction is no number (an
/// infinity or zero is involved) the product is the quotient. Divisors below 2^-128 overflow.
static Value divideByScalar(CpuBuilder &b, Value dividend, Value divisor) {
  int64_t width = widthOf(dividend);
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(divisor.getType(), 1.0));
  Value reciprocal = b.splat(arith::DivFOp::create(b, one, divisor), width);
  Value quotient = arith::MulFOp::create(b, dividend, reciprocal);
  Value negative = arith::NegFOp::create(b, quotient);
  Value remainder = math::FmaOp::create(b, negative, b.splat(divisor, width), dividend);
  Value better = math::FmaOp::create(b, remainder, reciprocal, quotient);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, better, better);
  return arith::SelectOp::create(b, isNan, quotient, better);
}

Value TileReader::readMap(hl::MapOp map, ArrayRef<Value> inputs) {
  CpuBuilder &b = launch.b;
  IRMapping values;
  Block &body = map.getBody().front();
  values.map(body.getArguments(), inputs);
  auto lookup = [&](Value value) {
    Value local = values.lookupOrNull(value);
    return local ? local : launch.scalars.lookup(value);
  };
  for (Operation &op : body.without_terminator()) {
    int64_t width = 1;
    for (Value operand : op.getOperands())
      width = std::max(width, widthOf(lookup(operand)));
    if (isa<arith::DivFOp>(op) && width > 1 && widthOf(lookup(op.getOperand(1))) == 1) {
      values.map(op.getResult(0), divideByScalar(b, lookup(op.getOperand(0)), lookup(op.getOperand(1))));
      continue;
    }
    IRMapping operands;
    for (Value operand : op.getOperands())
      operands.map(operand, b.splat(lookup(operand), width));
    if (op.getNumOperands() == 2) {
      Value divisor = operands.lookup(op.getOperand(1));
      Value safe = safeDivisor(b, op, operands.lookup(op.getOperand(0)), divisor);
      Operation *copy = b.clone(op, operands);
      if (safe != divisor)
        copy->setOperand(1, safe);
      copy->getResult(0).setType(laneType(op.getResult(0).getType(), width));
      values.map(op.getResult(0), copy->getResult(0));
      continue;
    }
    Operation *copy = b.clone(op, operands);
    for (auto [from, to] : llvm::zip(op.getResults(), copy->getResults())) {
      to.setType(laneType(from.getType(), width));
      values.map(from, to);
    }
  }
  return lookup(body.getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// What gets memory
//===----------------------------------------------------------------------===//

bool LaunchEmitter::isWorthKeeping(Value tile) {
  Block *home = tile.getParentBlock();
  bool repeated = llvm::range_size(tile.getUses()) > 1 ||
                  llvm::any_of(tile.getUsers(), [&](Operation *user) { return user->getBlock() != home; });
  return repeated && costOf(tile) >= 8;
}

bool LaunchEmitter::mayBeOverwritten(hl::LoadOp load) { return writtenRoots.contains(tensors[load.getSource()].root); }

static Buffer regrouped(const Buffer &buffer, ArrayRef<int64_t> shape) {
  Buffer result = buffer;
  result.strides = hl::TensorType::contiguousStrides(shape);
  return result;
}

LogicalResult LaunchEmitter::emitTileOp(Operation &op) {
  Value result = op.getResult(0);
  if (result.use_empty())
    return success();
  if (auto dot = dyn_cast<hl::DotOp>(op))
    return emitDot(dot);
  if (auto reduce = dyn_cast<hl::ReduceOp>(op))
    return emitReduce(reduce), success();
  auto type = cast<hl::TileType>(result.getType());
  if (isSingle(type)) {
    Coord origin;
    origin.base = zero;
    TileReader reader(*this, {});
    if (auto reshape = dyn_cast<hl::ReshapeOp>(op); reshape || isa<hl::TransposeOp>(op))
      scalars.map(result, scalars.lookup(op.getOperand(0)));
    else
      scalars.map(result, reader.read(result, Coords(type.getRank(), origin)));
    return success();
  }
  if (auto broadcast = dyn_cast<hl::BroadcastOp>(op)) {
    if (isLazy(broadcast.getSource()) && costOf(broadcast.getSource()) > 4)
      materialize(broadcast.getSource());
  } else if (auto transpose = dyn_cast<hl::TransposeOp>(op)) {
    if (isLazy(transpose.getSource()) && costOf(transpose.getSource()) > 4)
      materialize(transpose.getSource());
  } else if (auto reshape = dyn_cast<hl::ReshapeOp>(op)) {
    Value source = reshape.getSource();
    SmallVector<int64_t> from = cast<hl::TileType>(source.getType()).getShape();
    if (unitReshape(from, type.getShape()))
      return success();
    Buffer buffer = allocate(from, type.getElementType(), /*isContiguous=*/true);
    writeTile(source, buffer);
    buffers[result] = regrouped(buffer, type.getShape());
  } else if (auto load = dyn_cast<hl::LoadOp>(op); load && mayBeOverwritten(load)) {
    materialize(result);
  } else if (isWorthKeeping(result)) {
    materialize(result);
  }
  return success();
}

static bool isTileOp(Operation &op) {
  return op.getNumResults() == 1 && isa<hl::TileType>(op.getResult(0).getType()) && !isa<hl::LoopOp, hl::IfOp>(op);
}

void LaunchEmitter::emitScalarOp(Operation &op) {
  if (auto begin = dyn_cast<hl::BeginOp>(op))
    return scalars.map(begin.getResult(), spans[begin.getSpan()].begin);
  if (auto id = dyn_cast<hl::BlockIdOp>(op))
    return scalars.map(id.getResult(), spans[id.getSpan()].blockId);
  if (auto end = dyn_cast<hl::EndOp>(op)) {
    const SpanInfo &span = spans[end.getSpan()];
    return scalars.map(end.getResult(), b.add(span.begin, span.real));
  }
  if (auto extent = dyn_cast<hl::ExtentOp>(op))
    return scalars.map(extent.getResult(), b.index(cast<IntegerAttr>(extent.getValue()).getInt()));
  Operation *copy = b.clone(op, scalars);
  if (op.getNumOperands() == 2)
    copy->setOperand(1, [&] {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(copy);
      return safeDivisor(b, op, copy->getOperand(0), copy->getOperand(1));
    }());
}

LogicalResult LaunchEmitter::emitOp(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto view = dyn_cast<hl::ViewOp>(op)) {
    const TensorInfo source = tensors[view.getSource()];
    Value base = b.address(source.base, b.index(view.getOffset()), source.type.getElementType());
    tensors[view.getResult()] = {base, view.getResult().getType(), source.root};
    return success();
  }
  if (auto loop = dyn_cast<hl::LoopOp>(op))
    return emitLoop(loop);
  if (auto branch = dyn_cast<hl::IfOp>(op))
    return emitIf(branch);
  if (auto store = dyn_cast<hl::StoreOp>(op))
    return emitStore(store);
  if (isTileOp(op))
    return emitTileOp(op);
  if (op.getDialect()->getNamespace() == "hl" && !isa<hl::BeginOp, hl::EndOp, hl::BlockIdOp, hl::ExtentOp>(op))
    return op.emitError("the CPU target cannot lower this operation here");
  emitScalarOp(op);
  return success();
}
