//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reductions.
//===----------------------------------------------------------------------===//
//
// Along the last dim: several vectors of partial results, to hide the latency of the operation, then one reduction of
// the lanes. Along another dim: a vector of the last dim is carried through the loop. argmax and argmin go one by one.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

Value CpuEmitter::neutral(hl::ReduceKind kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value;
  auto integer = [&](const APInt &bits) { return TypedAttr(b.getIntegerAttr(element, bits)); };
  unsigned width = isa<FloatType>(element) ? 0 : element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  switch (kind) {
  case hl::ReduceKind::Prod:
    value = cast<TypedAttr>(b.getOneAttr(element));
    break;
  case hl::ReduceKind::And:
    value = integer(APInt::getAllOnes(width));
    break;
  case hl::ReduceKind::Max:
  case hl::ReduceKind::ArgMax:
    value = width ? integer(element.isInteger(1) ? APInt(1, 0) : APInt::getSignedMinValue(width))
                  : TypedAttr(b.getFloatAttr(element, -std::numeric_limits<double>::infinity()));
    break;
  case hl::ReduceKind::Min:
  case hl::ReduceKind::ArgMin:
    value = width ? integer(element.isInteger(1) ? APInt(1, 1) : APInt::getSignedMaxValue(width))
                  : TypedAttr(b.getFloatAttr(element, std::numeric_limits<double>::infinity()));
    break;
  default:
    value = cast<TypedAttr>(b.getZeroAttr(element));
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(value)));
  return arith::ConstantOp::create(b, value);
}

Value CpuEmitter::combine(hl::ReduceKind kind, Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lhs.getType()));
  switch (kind) {
  case hl::ReduceKind::Sum:
    return isFloat ? arith::AddFOp::create(b, lhs, rhs).getResult() : arith::AddIOp::create(b, lhs, rhs).getResult();
  case hl::ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, lhs, rhs).getResult() : arith::MulIOp::create(b, lhs, rhs).getResult();
  case hl::ReduceKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, lhs, rhs).getResult() : arith::MaxSIOp::create(b, lhs, rhs).getResult();
  case hl::ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, lhs, rhs).getResult() : arith::MinSIOp::create(b, lhs, rhs).getResult();
  case hl::ReduceKind::And:
    return arith::AndIOp::create(b, lhs, rhs);
  case hl::ReduceKind::Or:
    return arith::OrIOp::create(b, lhs, rhs);
  case hl::ReduceKind::Xor:
    return arith::XOrIOp::create(b, lhs, rhs);
  case hl::ReduceKind::ArgMax:
  case hl::ReduceKind::ArgMin:
    break;
  }
  llvm_unreachable("argmax and argmin are reduced one by one");
}

static vector::CombiningKind combiningKind(hl::ReduceKind kind, bool isFloat) {
  switch (kind) {
  case hl::ReduceKind::Prod:
    return vector::CombiningKind::MUL;
  case hl::ReduceKind::Max:
    return isFloat ? vector::CombiningKind::MAXIMUMF : vector::CombiningKind::MAXSI;
  case hl::ReduceKind::Min:
    return isFloat ? vector::CombiningKind::MINIMUMF : vector::CombiningKind::MINSI;
  case hl::ReduceKind::And:
    return vector::CombiningKind::AND;
  case hl::ReduceKind::Or:
    return vector::CombiningKind::OR;
  case hl::ReduceKind::Xor:
    return vector::CombiningKind::XOR;
  default:
    return vector::CombiningKind::ADD;
  }
}

static CpuEmitter::Indices insertAt(const CpuEmitter::Indices &kept, int64_t dim, Value at) {
  CpuEmitter::Indices all(kept);
  all.insert(all.begin() + dim, at);
  return all;
}

/// Along the last dim.
Value CpuEmitter::reduceLast(hl::ReduceOp reduce, const Indices &kept) {
  hl::TileType type = reduce.getSource().getType();
  int64_t dim = type.getRank() - 1, constant = type.getShape()[dim], width = config.vectorWidth;
  Value span = clipOf(reduce.getSource(), dim);
  Value count = span ? spanCount(span, constant) : index(constant);
  hl::ReduceKind kind = reduce.getKind();
  Type element = type.getElementType();
  while (constant > 0 && width > 1 && width > constant)
    width /= 2;
  constexpr int64_t chains = 4;
  auto valueAt = [&](Value at, const Lanes &lanes) {
    return splat(evaluate(reduce.getSource(), insertAt(kept, dim, at), dim, lanes), lanes.width);
  };
  Lanes full;
  full.width = width;
  Type partial = lanesType(element, width);
  Value start = neutral(kind, partial);
  int64_t block = width * chains;
  Value mainEnd = arith::MulIOp::create(b, arith::DivUIOp::create(b, count, index(block)), index(block));
  auto loop = scf::ForOp::create(b, index(0), mainEnd, index(block), SmallVector<Value>(chains, start));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> next;
    for (int64_t chain = 0; chain < chains; ++chain) {
      Value at = arith::AddIOp::create(b, loop.getInductionVar(), index(chain * width));
      next.push_back(combine(kind, loop.getRegionIterArg(chain), valueAt(at, full)));
    }
    scf::YieldOp::create(b, next);
  }
  SmallVector<Value> partials(loop.getResults());
  for (size_t half = chains / 2; half; half /= 2)
    for (size_t i = 0; i < half; ++i)
      partials[i] = combine(kind, partials[i], partials[i + half]);
  Value wholeEnd = arith::MulIOp::create(b, arith::DivUIOp::create(b, count, index(width)), index(width));
  auto rest = scf::ForOp::create(b, mainEnd, wholeEnd, index(width), partials[0]);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(rest.getBody());
    Value next = combine(kind, rest.getRegionIterArg(0), valueAt(rest.getInductionVar(), full));
    scf::YieldOp::create(b, next);
  }
  Value total = rest.getResult(0);
  if (width > 1)
    total = vector::ReductionOp::create(b, combiningKind(kind, isa<FloatType>(element)), total);
  if (width == 1 || (constant >= 0 && constant % width == 0))
    return total;
  // What is left, one by one: at most a vector.
  auto tail = scf::ForOp::create(b, wholeEnd, count, index(1), total);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(tail.getBody());
  Value next = combine(kind, tail.getRegionIterArg(0), valueAt(tail.getInductionVar(), {}));
  scf::YieldOp::create(b, next);
  return tail.getResult(0);
}

/// Along a dim that is not the last: the kept indices may be a vector of the last.
Value CpuEmitter::reduceOther(hl::ReduceOp reduce, const Indices &kept, int64_t vectorDim, const Lanes &lanes) {
  hl::TileType type = reduce.getSource().getType();
  int64_t dim = reduce.getDim(), constant = type.getShape()[dim];
  Value span = clipOf(reduce.getSource(), dim);
  Value count = span ? spanCount(span, constant) : index(constant);
  int64_t sourceVectorDim = vectorDim < 0 ? -1 : vectorDim + (vectorDim >= dim);
  Value start = neutral(reduce.getKind(), lanesType(type.getElementType(), lanes.width));
  auto loop = scf::ForOp::create(b, index(0), count, index(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value value = evaluate(reduce.getSource(), insertAt(kept, dim, loop.getInductionVar()), sourceVectorDim, lanes);
  Value next = combine(reduce.getKind(), loop.getRegionIterArg(0), splat(value, lanes.width));
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

/// The first index of the extremum, or of the first NaN.
Value CpuEmitter::reduceArg(hl::ReduceOp reduce, const Indices &kept) {
  hl::TileType type = reduce.getSource().getType();
  int64_t dim = reduce.getDim(), constant = type.getShape()[dim];
  Value span = clipOf(reduce.getSource(), dim);
  Value count = span ? spanCount(span, constant) : index(constant);
  Type element = type.getElementType();
  bool isMax = reduce.getKind() == hl::ReduceKind::ArgMax;
  Value first = evaluate(reduce.getSource(), insertAt(kept, dim, index(0)), -1, {});
  auto loop = scf::ForOp::create(b, index(1), count, index(1), ValueRange{first, index(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value best = loop.getRegionIterArg(0), place = loop.getRegionIterArg(1), at = loop.getInductionVar();
  Value value = evaluate(reduce.getSource(), insertAt(kept, dim, at), -1, {});
  Value better;
  if (isa<FloatType>(element)) {
    auto order = isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    better = arith::CmpFOp::create(b, order, value, best);
    Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
    Value known = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, best, best);
    better = arith::OrIOp::create(b, better, arith::AndIOp::create(b, nan, known));
  } else {
    bool flag = element.isInteger(1);
    auto order = isMax ? (flag ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                       : (flag ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
    better = arith::CmpIOp::create(b, order, value, best);
  }
  Value nextBest = arith::SelectOp::create(b, better, value, best);
  Value nextPlace = arith::SelectOp::create(b, better, at, place);
  scf::YieldOp::create(b, ValueRange{nextBest, nextPlace});
  return loop.getResult(1);
}

LogicalResult CpuEmitter::emitReduce(hl::ReduceOp reduce) {
  hl::TileType type = reduce.getResult().getType();
  int64_t dim = reduce.getDim();
  bool isArg = reduce.getKind() == hl::ReduceKind::ArgMax || reduce.getKind() == hl::ReduceKind::ArgMin;
  bool isLast = dim == reduce.getSource().getType().getRank() - 1;
  auto scalarAt = [&](const Indices &kept) -> Value {
    if (isArg)
      return arith::IndexCastOp::create(b, type.getElementType(), reduceArg(reduce, kept));
    return reduceLast(reduce, kept);
  };
  if (type.getRank() == 0) {
    scalars[reduce.getResult()] = scalarAt({});
    return failure(failed);
  }
  Buffer buffer = allocate(type, type.getElementType());
  SmallVector<Value> counts;
  SmallVector<int64_t> constants;
  extents(reduce.getResult(), counts, constants);
  if (!isArg && !isLast) {
    int64_t vectorDim = type.getRank() - 1;
    forEach(counts, constants, [&](const Indices &kept, const Lanes &lanes) {
      writeBuffer(buffer, kept, reduceOther(reduce, kept, vectorDim, lanes), lanes);
    });
  } else {
    // One element of the result at a time.
    Indices kept;
    std::function<void(size_t)> nest = [&](size_t place) {
      if (place == counts.size()) {
        writeBuffer(buffer, kept, scalarAt(kept), {});
        return;
      }
      forLoop(index(0), counts[place], 1, [&](Value i) {
        kept.push_back(i);
        nest(place + 1);
        kept.pop_back();
      });
    };
    nest(0);
  }
  buffers[reduce.getResult()] = buffer;
  return failure(failed);
}
