//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Facts about tiles: where their padding comes from, what it holds, what they cost.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

SmallVector<Value> LaunchEmitter::spansOf(Value tile, int64_t dim) {
  Operation *op = tile.getDefiningOp();
  if (!op || cast<hl::TileType>(tile.getType()).getShape()[dim] == 1)
    return {};
  if (auto load = dyn_cast<hl::LoadOp>(op)) {
    for (const IndexUse &use : indexUses(load.getKinds(), load.getIndices())) {
      if (use.kind == hl::IndexKind::Span && use.dim == dim)
        return {use.operand};
      if (use.kind != hl::IndexKind::Gather)
        continue;
      int64_t rank = cast<hl::TileType>(use.operand.getType()).getRank();
      if (dim >= use.dim && dim < use.dim + rank)
        return spansOf(use.operand, dim - use.dim);
    }
    return {};
  }
  if (auto indices = dyn_cast<hl::IndicesOp>(op))
    return {indices.getSpan()};
  if (auto map = dyn_cast<hl::MapOp>(op)) {
    for (Value input : map.getInputs())
      if (SmallVector<Value> found = spansOf(input, dim); !found.empty())
        return found;
    return {};
  }
  if (auto fill = dyn_cast<hl::FillPaddingOp>(op)) {
    for (auto [span, filled] : llvm::zip(fill.getSpans(), fill.getDims()))
      if (filled == dim)
        return {span};
    return spansOf(fill.getSource(), dim);
  }
  if (auto broadcast = dyn_cast<hl::BroadcastOp>(op))
    return spansOf(broadcast.getSource(), dim);
  if (auto transpose = dyn_cast<hl::TransposeOp>(op))
    return spansOf(transpose.getSource(), transpose.getPermutation()[dim]);
  if (auto reduce = dyn_cast<hl::ReduceOp>(op))
    return spansOf(reduce.getSource(), dim < int64_t(reduce.getDim()) ? dim : dim + 1);
  if (auto reshape = dyn_cast<hl::ReshapeOp>(op)) {
    auto source = unitReshape(reshape.getSource().getType().getShape(), reshape.getResult().getType().getShape());
    if (source && (*source)[dim] >= 0)
      return spansOf(reshape.getSource(), (*source)[dim]);
  }
  return {};
}

/// The constant that the body of `map` gives when its arguments are `inputs`; null if it is none.
static TypedAttr foldBody(hl::MapOp map, ArrayRef<TypedAttr> inputs) {
  DenseMap<Value, Attribute> constants;
  Block &body = map.getBody().front();
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs))
    constants[argument] = input;
  auto lookup = [&](Value value) {
    if (auto it = constants.find(value); it != constants.end())
      return it->second;
    Attribute constant;
    matchPattern(value, m_Constant(&constant));
    return constant;
  };
  for (Operation &op : body.without_terminator()) {
    SmallVector<Attribute> operands = llvm::map_to_vector(op.getOperands(), lookup);
    SmallVector<OpFoldResult> results;
    if (op.getNumResults() != 1 || llvm::is_contained(operands, Attribute()) || failed(op.fold(operands, results)) ||
        results.size() != 1)
      continue;
    auto attribute = dyn_cast<Attribute>(results[0]);
    constants[op.getResult(0)] = attribute ? attribute : lookup(cast<Value>(results[0]));
  }
  return dyn_cast_or_null<TypedAttr>(lookup(body.getTerminator()->getOperand(0)));
}

static std::optional<Padding> paddingOfMap(LaunchEmitter &launch, hl::MapOp map, int64_t dim) {
  Padding result;
  SmallVector<TypedAttr> inputs;
  for (Value input : map.getInputs()) {
    std::optional<Padding> padding = launch.paddingOf(input, dim);
    if (!padding || (padding->span && result.span && padding->span != result.span))
      return std::nullopt;
    if (padding->span)
      result.span = padding->span;
    inputs.push_back(padding->value);
  }
  result.value = foldBody(map, inputs);
  return result.value ? std::optional(result) : std::nullopt;
}

static std::optional<Padding> paddingOfLoad(hl::LoadOp load, int64_t dim) {
  Builder builder(load.getContext());
  for (const IndexUse &use : indexUses(load.getKinds(), load.getIndices()))
    if (use.kind == hl::IndexKind::Span && use.dim == dim)
      return Padding{use.operand, cast<TypedAttr>(builder.getZeroAttr(load.getResult().getType().getElementType()))};
  return std::nullopt;
}

std::optional<Padding> LaunchEmitter::paddingOf(Value tile, int64_t dim) {
  Operation *op = tile.getDefiningOp();
  if (!op || cast<hl::TileType>(tile.getType()).getShape()[dim] == 1)
    return std::nullopt;
  if (auto load = dyn_cast<hl::LoadOp>(op))
    return paddingOfLoad(load, dim);
  if (auto map = dyn_cast<hl::MapOp>(op))
    return paddingOfMap(*this, map, dim);
  if (auto full = dyn_cast<hl::FullOp>(op)) {
    TypedAttr value;
    if (matchPattern(full.getValue(), m_Constant(&value)))
      return Padding{{}, value};
    return std::nullopt;
  }
  if (auto fill = dyn_cast<hl::FillPaddingOp>(op)) {
    TypedAttr value;
    for (auto [span, filled] : llvm::zip(fill.getSpans(), fill.getDims()))
      if (filled == dim && matchPattern(fill.getValue(), m_Constant(&value)))
        return Padding{span, value};
    return std::nullopt;
  }
  if (auto broadcast = dyn_cast<hl::BroadcastOp>(op))
    return paddingOf(broadcast.getSource(), dim);
  if (auto transpose = dyn_cast<hl::TransposeOp>(op))
    return paddingOf(transpose.getSource(), transpose.getPermutation()[dim]);
  if (auto reshape = dyn_cast<hl::ReshapeOp>(op)) {
    auto source = unitReshape(reshape.getSource().getType().getShape(), reshape.getResult().getType().getShape());
    if (source && (*source)[dim] >= 0)
      return paddingOf(reshape.getSource(), (*source)[dim]);
  }
  return std::nullopt;
}

static int64_t bodyCost(hl::MapOp map) {
  int64_t cost = 0;
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    if (isa<math::MathDialect>(op.getDialect()))
      cost += isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp>(op) ? 1 : 10;
    else
      cost += isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) ? 5 : 1;
  }
  return cost;
}

int64_t LaunchEmitter::costOf(Value tile) {
  if (!isLazy(tile))
    return 1;
  Operation *op = tile.getDefiningOp();
  if (auto map = dyn_cast<hl::MapOp>(op)) {
    int64_t cost = bodyCost(map);
    for (Value input : map.getInputs())
      cost += costOf(input);
    return cost;
  }
  if (auto load = dyn_cast<hl::LoadOp>(op)) {
    int64_t cost = load.getMask() ? 1 + costOf(load.getMask()) : 1;
    for (Value operand : load.getIndices())
      if (isa<hl::TileType>(operand.getType()))
        cost += 4 + costOf(operand);
    return cost;
  }
  if (isa<hl::FullOp, hl::IndicesOp, hl::ArangeOp>(op))
    return 0;
  return costOf(op->getOperand(0)) + (isa<hl::FillPaddingOp>(op) ? 1 : 0);
}
