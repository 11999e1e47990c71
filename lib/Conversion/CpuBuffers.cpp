//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Which tiles get a buffer, and filling them.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

static bool isExpensive(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp,
             math::TanhOp, math::ErfOp, math::PowFOp, math::SinOp, math::CosOp, math::SqrtOp, math::RsqrtOp,
             arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp>(op);
}

/// How many operations evaluating an element of `tile` takes, expensive ones counting ten.
int64_t CpuEmitter::inlineCost(Value tile) {
  if (buffers.count(tile) || scalars.count(tile))
    return 1;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return 1;
  int64_t cost = 0;
  if (auto map = dyn_cast<hl::MapOp>(op))
    for (Operation &inner : map.getBody().front().without_terminator())
      cost += inner.hasTrait<OpTrait::ConstantLike>() ? 0 : isExpensive(inner) ? 10 : 1;
  for (Value operand : op->getOperands())
    if (isa<hl::TileType>(operand.getType()) && cost < 1000)
      cost += inlineCost(operand);
  return cost;
}

/// Follows reshapes to find whether `tile` is repeated along a dim.
static bool isRepeated(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    if (auto reshape = dyn_cast<hl::ReshapeOp>(user))
      return isRepeated(reshape.getResult());
    return isa<hl::BroadcastOp>(user);
  });
}

bool CpuEmitter::needsBuffer(Operation *op) {
  Value result = op->getResult(0);
  if (auto load = dyn_cast<hl::LoadOp>(op))
    return isStoredTo(load.getSource()); // A later store must not change what was loaded.
  if (!isa<hl::MapOp>(op))
    return false;
  int64_t cost = inlineCost(result);
  if (cost > 4 && isRepeated(result))
    return true;
  auto inInnerLoop = [&](Operation *user) { return user->getBlock() != op->getBlock(); };
  bool severalUses = !result.hasOneUse() || llvm::any_of(result.getUsers(), inInnerLoop);
  return severalUses && cost > 6;
}

void CpuEmitter::materialize(Value tile) {
  auto type = cast<hl::TileType>(tile.getType());
  Buffer buffer = allocate(type, type.getElementType());
  evaluateInto(tile, buffer);
  buffers[tile] = buffer;
}

void CpuEmitter::evaluateInto(Value tile, const Buffer &buffer) {
  SmallVector<Value> counts;
  SmallVector<int64_t> constants;
  extents(tile, counts, constants);
  int64_t vectorDim = int64_t(counts.size()) - 1;
  Type element = cast<hl::TileType>(tile.getType()).getElementType();
  forEach(counts, constants, [&](const Indices &indices, const Lanes &lanes) {
    Value value = splat(evaluate(tile, indices, vectorDim, lanes), lanes.width);
    // Operands of a dot are widened as they are copied.
    if (buffer.elementType != element) {
      Type wide = lanesType(buffer.elementType, lanes.width);
      value = isa<FloatType>(element) ? arith::ExtFOp::create(b, wide, value).getResult()
                                      : arith::ExtSIOp::create(b, wide, value).getResult();
    }
    writeBuffer(buffer, indices, value, lanes);
  });
}

void CpuEmitter::copyBuffer(Value like, const Buffer &from, const Buffer &to) {
  SmallVector<Value> counts;
  SmallVector<int64_t> constants;
  extents(like, counts, constants);
  int64_t vectorDim = int64_t(counts.size()) - 1;
  forEach(counts, constants, [&](const Indices &indices, const Lanes &lanes) {
    writeBuffer(to, indices, splat(readBuffer(from, indices, vectorDim, lanes), lanes.width), lanes);
  });
}

/// Whether evaluating `tile` reads the buffer of `carried`.
bool CpuEmitter::reads(Value tile, Value carried) {
  if (tile == carried)
    return true;
  if (buffers.count(tile) || scalars.count(tile) || !tile.getDefiningOp())
    return false;
  return llvm::any_of(tile.getDefiningOp()->getOperands(), [&](Value operand) {
    return isa<hl::TileType>(operand.getType()) && reads(operand, carried);
  });
}

/// Whether evaluating an element of `tile` reads `carried` only at that element.
bool CpuEmitter::readsOnlyInPlace(Value tile, Value carried) {
  if (tile == carried)
    return true;
  if (!reads(tile, carried))
    return true;
  Operation *op = tile.getDefiningOp();
  if (!isa<hl::MapOp, hl::FillPaddingOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<hl::TileType>(operand.getType()) || readsOnlyInPlace(operand, carried);
  });
}
