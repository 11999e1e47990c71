//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reductions along one dim.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

TypedAttr helionc::conversion::cpu::neutralAttribute(Builder &b, hl::ReduceKind kind, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  unsigned width = floatType ? 0 : type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) { return TypedAttr(b.getIntegerAttr(type, value)); };
  auto infinity = [&](bool negative) {
    return TypedAttr(b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(), negative)));
  };
  switch (kind) {
  case hl::ReduceKind::Sum:
  case hl::ReduceKind::Or:
  case hl::ReduceKind::Xor:
    return cast<TypedAttr>(b.getZeroAttr(type));
  case hl::ReduceKind::Prod:
    return cast<TypedAttr>(b.getOneAttr(type));
  case hl::ReduceKind::And:
    return integer(APInt::getAllOnes(width));
  case hl::ReduceKind::Max:
  case hl::ReduceKind::ArgMax:
    return floatType ? infinity(true) : integer(APInt::getSignedMinValue(width));
  case hl::ReduceKind::Min:
  case hl::ReduceKind::ArgMin:
    return floatType ? infinity(false) : integer(APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("unknown reduction");
}

Value helionc::conversion::cpu::neutralElement(CpuBuilder &b, hl::ReduceKind kind, Type type) {
  return arith::ConstantOp::create(b, neutralAttribute(b, kind, type));
}

namespace {

/// The state of a reduction: the value, and for argmax and argmin its index.
using State = SmallVector<Value>;

class Reducer {
public:
  Reducer(LaunchEmitter &launch, hl::ReduceOp op);
  void run();

private:
  bool hasIndex() const { return kind == hl::ReduceKind::ArgMax || kind == hl::ReduceKind::ArgMin; }
  State initial(int64_t width);
  Value combineValues(Value lhs, Value rhs);
  /// `isTieToIndex`: of equal values the one with the lower index wins; else lhs.
  State combine(const State &lhs, const State &rhs, bool isTieToIndex);
  State accumulate(const State &state, const Coords &coords, TileReader &reader);
  State horizontal(State state, int64_t width);
  State alongVector(Coords &coords, TileReader &reader);
  State alongRows(Coords &coords, Lanes lanes);
  void finish(const State &state, const Coords &coords, Lanes lanes);

  LaunchEmitter &launch;
  CpuBuilder &b;
  hl::ReduceOp op;
  hl::ReduceKind kind;
  Value source;
  unsigned dim;
  SmallVector<int64_t> shape;
  SmallVector<Bound> bounds;
  /// f16 and bf16 are combined in f32.
  Type elementType, indexType;
  std::optional<Buffer> result;
};

} // namespace

Reducer::Reducer(LaunchEmitter &launch, hl::ReduceOp op)
    : launch(launch), b(launch.b), op(op), kind(op.getKind()), source(op.getSource()), dim(op.getDim()),
      shape(op.getSource().getType().getShape()) {
  elementType = op.getSource().getType().getElementType();
  indexType = op.getResult().getType().getElementType();
  for (int64_t extent : shape)
    bounds.push_back({extent, {}});
  // Padding that is neutral is skipped.
  std::optional<Padding> padding = launch.paddingOf(source, dim);
  if (padding && padding->span && padding->value == neutralAttribute(b, kind, elementType))
    bounds[dim].span = padding->span;
  if (isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32)
    elementType = b.getF32Type();
}

State Reducer::initial(int64_t width) {
  State state{b.splat(neutralElement(b, kind, elementType), width)};
  if (hasIndex())
    state.push_back(b.splat(arith::ConstantOp::create(b, b.getIntegerAttr(indexType, 0)), width));
  return state;
}

Value Reducer::combineValues(Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(elementType);
  switch (kind) {
  case hl::ReduceKind::Sum:
    return isFloat ? Value(arith::AddFOp::create(b, lhs, rhs)) : Value(arith::AddIOp::create(b, lhs, rhs));
  case hl::ReduceKind::Prod:
    return isFloat ? Value(arith::MulFOp::create(b, lhs, rhs)) : Value(arith::MulIOp::create(b, lhs, rhs));
  case hl::ReduceKind::Max:
    return isFloat ? Value(arith::MaximumFOp::create(b, lhs, rhs)) : Value(arith::MaxSIOp::create(b, lhs, rhs));
  case hl::ReduceKind::Min:
    return isFloat ? Value(arith::MinimumFOp::create(b, lhs, rhs)) : Value(arith::MinSIOp::create(b, lhs, rhs));
  case hl::ReduceKind::And:
    return arith::AndIOp::create(b, lhs, rhs);
  case hl::ReduceKind::Or:
    return arith::OrIOp::create(b, lhs, rhs);
  case hl::ReduceKind::Xor:
    return arith::XOrIOp::create(b, lhs, rhs);
  default:
    llvm_unreachable("a reduction with an index");
  }
}

State Reducer::combine(const State &lhs, const State &rhs, bool isTieToIndex) {
  if (!hasIndex())
    return {combineValues(lhs[0], rhs[0])};
  bool isMax = kind == hl::ReduceKind::ArgMax;
  Value take, tie;
  if (isa<FloatType>(elementType)) {
    auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
      return arith::CmpFOp::create(b, predicate, x, y);
    };
    Value better = compare(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, rhs[0], lhs[0]);
    Value leftNan = compare(arith::CmpFPredicate::UNO, lhs[0], lhs[0]);
    Value rightNan = compare(arith::CmpFPredicate::UNO, rhs[0], rhs[0]);
    Value leftOrdered = compare(arith::CmpFPredicate::ORD, lhs[0], lhs[0]);
    take = arith::OrIOp::create(b, better, arith::AndIOp::create(b, rightNan, leftOrdered));
    if (isTieToIndex)
      tie = arith::OrIOp::create(b, compare(arith::CmpFPredicate::OEQ, lhs[0], rhs[0]),
                                 arith::AndIOp::create(b, leftNan, rightNan));
  } else {
    take = arith::CmpIOp::create(b, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, rhs[0], lhs[0]);
    if (isTieToIndex)
      tie = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs[0], lhs[0]);
  }
  if (isTieToIndex) {
    Value lower = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rhs[1], lhs[1]);
    take = arith::OrIOp::create(b, take, arith::AndIOp::create(b, tie, lower));
  }
  return {arith::SelectOp::create(b, take, rhs[0], lhs[0]), arith::SelectOp::create(b, take, rhs[1], lhs[1])};
}

State Reducer::accumulate(const State &state, const Coords &coords, TileReader &reader) {
  int64_t width = widthOf(state[0]);
  Value value = b.splat(reader.read(source, coords), width);
  if (getElementTypeOrSelf(value.getType()) != elementType)
    value = arith::ExtFOp::create(b, laneType(elementType, width), value);
  if (reader.lanes.mask && coords[dim].isVector)
    value = arith::SelectOp::create(b, reader.lanes.mask, value, b.splat(neutralElement(b, kind, elementType), width));
  State next{value};
  if (hasIndex()) {
    Value first = b.createOrFold<arith::IndexCastOp>(indexType, coords[dim].base);
    Value index = b.splat(first, width);
    if (coords[dim].isVector && width > 1) {
      SmallVector<Attribute> lanes;
      for (int64_t lane = 0; lane < width; ++lane)
        lanes.push_back(b.getIntegerAttr(indexType, lane));
      Value iota = arith::ConstantOp::create(b, DenseElementsAttr::get(VectorType::get(width, indexType), lanes));
      index = arith::AddIOp::create(b, index, iota);
    }
    next.push_back(index);
  }
  return combine(state, next, /*isTieToIndex=*/false);
}

/// Halves the vector until one element is left.
State Reducer::horizontal(State state, int64_t width) {
  for (int64_t half = width / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    State left, right;
    for (Value value : state) {
      left.push_back(vector::ShuffleOp::create(b, value, value, low));
      right.push_back(vector::ShuffleOp::create(b, value, value, high));
    }
    state = combine(left, right, /*isTieToIndex=*/true);
  }
  if (width > 1)
    for (Value &value : state)
      value = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{0});
  return state;
}

/// The reduced dim lies in the vector: several vectors at a time, then one at a time, then the rest masked.
State Reducer::alongVector(Coords &coords, TileReader &reader) {
  int64_t width = launch.vectorWidthFor(shape[dim]);
  Value count = launch.countOf(bounds[dim]);
  std::optional<int64_t> fixed = constantOf(count);
  auto at = [&](Value base) {
    coords[dim].base = base;
    coords[dim].isVector = width > 1;
    coords[dim].realOf.clear();
    if (bounds[dim].span)
      coords[dim].realOf.push_back(bounds[dim].span);
  };
  at({});
  reader.lanes = {width, {}};
  if (width > 1)
    reader.hoist(source, coords);
  auto step = [&](Value base, const State &state) {
    at(base);
    return accumulate(state, coords, reader);
  };
  State state = initial(width);
  Value done = b.index(0);
  int64_t parallel = hasIndex() || shape[dim] < 8 * width ? 1 : 4;
  if (parallel > 1) {
    done = b.sub(count, b.rem(count, parallel * width));
    SmallVector<Value> inits(parallel, state[0]);
    SmallVector<Value> sums = b.loop(b.index(0), done, parallel * width, inits, [&](Value iv, ValueRange carried) {
      SmallVector<Value> next;
      for (int64_t i = 0; i < parallel; ++i)
        next.push_back(step(b.add(iv, b.index(i * width)), {carried[i]})[0]);
      return next;
    });
    state = {combineValues(combineValues(sums[0], sums[1]), combineValues(sums[2], sums[3]))};
  }
  Value whole = b.sub(count, b.rem(count, width));
  SmallVector<Value> last = b.loop(done, whole, width, state, [&](Value iv, ValueRange carried) {
    return SmallVector<Value>(step(iv, State(carried)));
  });
  state = last;
  if (width > 1 && (!fixed || *fixed % width != 0)) {
    reader.lanes.mask = b.lanesBelow(whole, count, width);
    state = step(whole, state);
    reader.lanes.mask = {};
  }
  return horizontal(state, width);
}

/// The reduced dim is not the vector's: one accumulator a lane.
State Reducer::alongRows(Coords &coords, Lanes lanes) {
  State state = initial(lanes.width);
  SmallVector<Value> last =
      b.loop(b.index(0), launch.countOf(bounds[dim]), 1, state, [&](Value iv, ValueRange carried) {
        coords[dim] = Coord{iv, false, {}};
        if (bounds[dim].span)
          coords[dim].realOf.push_back(bounds[dim].span);
        TileReader reader(launch, lanes);
        return SmallVector<Value>(accumulate(State(carried), coords, reader));
      });
  return last;
}

void Reducer::finish(const State &state, const Coords &coords, Lanes lanes) {
  Type resultType = op.getResult().getType().getElementType();
  Value value = state.back();
  if (value.getType() != laneType(resultType, lanes.width))
    value = arith::TruncFOp::create(b, laneType(resultType, lanes.width), value);
  if (!result) {
    launch.scalars.map(op.getResult(), value);
    return;
  }
  Coords kept = coords;
  kept.erase(kept.begin() + dim);
  int64_t laneStride;
  Value offset = launch.bufferAddress(*result, kept, laneStride);
  b.store(value, b.address(result->base, offset, resultType), lanes.mask);
}

void Reducer::run() {
  hl::TileType type = op.getResult().getType();
  if (!isSingle(type))
    result = launch.allocate(type.getShape(), type.getElementType());
  unsigned wide = lastWideDim(shape);
  if (wide == dim || shape[wide] == 1) {
    launch.forEachRow(bounds, dim, [&](Coords &coords) {
      TileReader reader(launch, {});
      State state = alongVector(coords, reader);
      finish(state, coords, {});
    });
  } else {
    SmallVector<Bound> kept = bounds;
    kept[dim] = {1, {}};
    launch.forEachRow(kept, wide, [&](Coords &coords) {
      launch.forEachChunk(kept[wide], [&](Coord coord, Lanes lanes) {
        coords[wide] = coord;
        finish(alongRows(coords, lanes), coords, lanes);
      });
    });
  }
  if (result)
    launch.buffers[op.getResult()] = *result;
}

void LaunchEmitter::emitReduce(hl::ReduceOp reduce) { Reducer(*this, reduce).run(); }
