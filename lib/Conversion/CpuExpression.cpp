//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Evaluates tiles at an element or a vector of elements.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

Type CpuEmitter::lanesType(Type type, int64_t width) { return width == 1 ? type : VectorType::get(width, type); }

Value CpuEmitter::splat(Value scalar, int64_t width) {
  if (width == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, VectorType::get(width, scalar.getType()), scalar);
}

Value CpuEmitter::cloneScalarOp(Operation &op, IRMapping &mapping, int64_t width) {
  SmallVector<Value> operands;
  bool isVector = false;
  for (Value operand : op.getOperands()) {
    Value value = mapping.contains(operand) ? mapping.lookup(operand) : scalarOf(operand);
    operands.push_back(value);
    isVector |= isa<VectorType>(value.getType());
  }
  if (isVector)
    for (Value &operand : operands)
      operand = splat(operand, width);
  if (Value expanded = expandMath(b, op, operands))
    return expanded;
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(isVector ? lanesType(type, width) : type);
  OperationState state(b.getLoc(), op.getName(), operands, types, op.getAttrs());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

Value CpuEmitter::evaluateMap(hl::MapOp map, const Indices &indices, int64_t vectorDim, const Lanes &lanes) {
  IRMapping mapping;
  int64_t width = vectorDim >= 0 ? lanes.width : 1;
  for (auto [argument, input] : llvm::zip(map.getBody().getArguments(), map.getInputs()))
    mapping.map(argument, evaluate(input, indices, vectorDim, lanes));
  for (Operation &op : map.getBody().front().without_terminator())
    mapping.map(op.getResult(0), cloneScalarOp(op, mapping, width));
  Value result = map.getBody().front().getTerminator()->getOperand(0);
  return mapping.contains(result) ? mapping.lookup(result) : scalarOf(result);
}

Value CpuEmitter::evaluateIndices(Value first, Type type, Value at, bool isVector, const Lanes &lanes) {
  Value start = first ? arith::AddIOp::create(b, first, at).getResult() : at;
  Type element = type.isIndex() ? b.getI64Type() : type;
  Value value = arith::IndexCastOp::create(b, element, start);
  if (isVector && lanes.width > 1) {
    SmallVector<Attribute> numbers;
    for (int64_t i = 0; i < lanes.width; ++i)
      numbers.push_back(b.getIntegerAttr(element, i));
    auto vectorType = VectorType::get(lanes.width, element);
    Value iota = arith::ConstantOp::create(b, DenseElementsAttr::get(vectorType, numbers));
    value = arith::AddIOp::create(b, splat(value, lanes.width), iota);
  }
  if (type.isIndex())
    value = arith::IndexCastOp::create(b, isa<VectorType>(value.getType()) ? lanesType(type, lanes.width) : type, value);
  return value;
}

Value CpuEmitter::evaluateLoad(hl::LoadOp load, const Indices &indices, int64_t vectorDim, const Lanes &given) {
  Lanes lanes = given;
  bool isVector = vectorDim >= 0 && lanes.width > 1;
  Type element = load.getResult().getType().getElementType();
  if (!load.getMask()) {
    auto address = tensorAddress(load.getSource(), load.getIndices(), load.getKinds(), indices, vectorDim);
    return mlir::failed(address) ? Value() : loadLanes(*address, isVector, lanes);
  }
  Value mask = evaluate(load.getMask(), indices, vectorDim, lanes);
  if (!isVector) {
    auto branch = scf::IfOp::create(b, TypeRange(element), mask, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    auto address = tensorAddress(load.getSource(), load.getIndices(), load.getKinds(), indices, vectorDim);
    if (mlir::failed(address))
      return {};
    scf::YieldOp::create(b, loadLanes(*address, false, {}));
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(element)));
    scf::YieldOp::create(b, zero);
    return branch.getResult(0);
  }
  mask = splat(mask, lanes.width);
  lanes.mask = lanes.mask ? arith::AndIOp::create(b, lanes.mask, mask).getResult() : mask;
  if (!lanes.last)
    lanes.last = arith::AddIOp::create(b, indices[vectorDim], index(lanes.width - 1));
  auto address = tensorAddress(load.getSource(), load.getIndices(), load.getKinds(), indices, vectorDim);
  if (mlir::failed(address))
    return {};
  Value value = splat(loadLanes(*address, isVector, lanes), lanes.width);
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::SelectOp::create(b, mask, value, zero);
}

Value CpuEmitter::evaluate(Value tile, const Indices &indices, int64_t vectorDim, const Lanes &lanes) {
  if (auto scalar = scalars.find(tile); scalar != scalars.end())
    return scalar->second;
  if (auto buffer = buffers.find(tile); buffer != buffers.end())
    return readBuffer(buffer->second, indices, vectorDim, lanes);
  Operation *op = tile.getDefiningOp();
  if (auto map = dyn_cast<hl::MapOp>(op))
    return evaluateMap(map, indices, vectorDim, lanes);
  if (auto load = dyn_cast<hl::LoadOp>(op))
    return evaluateLoad(load, indices, vectorDim, lanes);
  if (auto fill = dyn_cast<hl::FillPaddingOp>(op))
    return evaluate(fill.getSource(), indices, vectorDim, lanes);
  if (auto full = dyn_cast<hl::FullOp>(op))
    return scalarOf(full.getValue());
  bool isVector = vectorDim >= 0;
  Type element = cast<hl::TileType>(tile.getType()).getElementType();
  if (auto spanIndices = dyn_cast<hl::IndicesOp>(op))
    return evaluateIndices(spans[spanIndices.getSpan()].begin, element, indices[0], isVector, lanes);
  if (auto arange = dyn_cast<hl::ArangeOp>(op))
    return evaluateIndices(scalarOf(arange.getStart()), element, indices[0], isVector, lanes);
  if (auto broadcast = dyn_cast<hl::BroadcastOp>(op)) {
    Indices source(indices);
    int64_t sourceDim = vectorDim;
    for (auto [dim, from] : llvm::enumerate(broadcast.getSource().getType().getShape()))
      if (from == 1) {
        source[dim] = index(0);
        sourceDim = sourceDim == int64_t(dim) ? -1 : sourceDim;
      }
    return evaluate(broadcast.getSource(), source, sourceDim, lanes);
  }
  if (auto transpose = dyn_cast<hl::TransposeOp>(op)) {
    Indices source(indices.size());
    int64_t sourceDim = -1;
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
      source[from] = indices[to];
      sourceDim = int64_t(to) == vectorDim ? from : sourceDim;
    }
    return evaluate(transpose.getSource(), source, sourceDim, lanes);
  }
  if (auto reshape = dyn_cast<hl::ReshapeOp>(op)) {
    // Only dims of 1 come and go here; a regrouping has a buffer.
    SmallVector<int64_t> from = reshape.getSource().getType().getShape(), to = reshape.getResult().getType().getShape();
    Indices source;
    int64_t sourceDim = -1;
    size_t next = 0;
    for (auto [dim, size] : llvm::enumerate(from)) {
      if (size == 1) {
        source.push_back(index(0));
        continue;
      }
      while (to[next] == 1)
        ++next;
      source.push_back(indices[next]);
      sourceDim = int64_t(next) == vectorDim ? int64_t(dim) : sourceDim;
      ++next;
    }
    return evaluate(reshape.getSource(), source, sourceDim, lanes);
  }
  op->emitError("the CPU target cannot evaluate this operation");
  failed = true;
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(element)));
}
