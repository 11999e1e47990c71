//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Makes values in the layouts that are asked for.
//===----------------------------------------------------------------------===//
#include "HlgBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

Value HlgBuilder::error(Operation *op, StringRef message) {
  op->emitError(message);
  hasFailed = true;
  return {};
}

hlg::RegType HlgBuilder::regType(Value tile, const hlg::Layout &layout) {
  auto type = cast<hl::TileType>(tile.getType());
  return hlg::RegType::get(b.getContext(), type.getShape(), type.getElementType(), toAttribute(b.getContext(), layout));
}

hlg::Layout HlgBuilder::blocked(Value tile) {
  return hlg::Layout::blocked(cast<hl::TileType>(tile.getType()).getShape(), warps, vectorElements);
}

/// The layout of the reduction that `tile` comes from by elementwise operations, if it does.
std::optional<hlg::Layout> HlgBuilder::reduceLayout(Value tile, unsigned depth) {
  Operation *op = tile.getDefiningOp();
  if (!op || depth > 16)
    return std::nullopt;
  if (auto reduce = dyn_cast<hl::ReduceOp>(op))
    return blocked(reduce.getSource()).drop(reduce.getDim());
  if (!isa<hl::MapOp, hl::FillPaddingOp>(op))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (operand.getType() == tile.getType() || (isa<hl::TileType>(operand.getType()) && isa<hl::MapOp>(op)))
      if (auto found = reduceLayout(operand, depth + 1))
        return found;
  return std::nullopt;
}

hlg::Layout HlgBuilder::naturalLayout(Value tile) {
  if (auto found = reduceLayout(tile, 0))
    return *found;
  return blocked(tile);
}

Value HlgBuilder::get(Value tile, const hlg::Layout &layout) {
  if (hasFailed)
    return {};
  void *wanted = const_cast<void *>(toAttribute(b.getContext(), layout).getAsOpaquePointer());
  if (auto it = made.find({tile.getAsOpaquePointer(), wanted}); it != made.end())
    return it->second;
  Value value = make(tile, layout);
  if (value)
    made[{tile.getAsOpaquePointer(), wanted}] = value;
  return value;
}

Value HlgBuilder::make(Value tile, const hlg::Layout &layout) {
  hlg::RegType type = regType(tile, layout);
  Operation *op = tile.getDefiningOp();
  // What exists in another layout and cannot be made again is converted.
  auto convert = [&](const hlg::Layout &natural) -> Value {
    Value value = get(tile, natural);
    return value ? hlg::ConvertLayoutOp::create(b, type, value).getResult() : Value();
  };
  auto existing = [&]() -> Value {
    auto it = made.lower_bound({tile.getAsOpaquePointer(), nullptr});
    return it != made.end() && it->first.first == tile.getAsOpaquePointer() ? it->second : Value();
  };
  if (!op || isa<hl::LoopOp>(op)) {
    Value value = existing();
    return value ? hlg::ConvertLayoutOp::create(b, type, value).getResult()
                 : error(op ? op : tile.getParentBlock()->getParentOp(), "a carried value is not there");
  }
  b.setLoc(op->getLoc());
  if (auto full = dyn_cast<hl::FullOp>(op))
    return hlg::FullOp::create(b, type, scalarOf(full.getValue()));
  if (auto map = dyn_cast<hl::MapOp>(op))
    return makeMap(map, layout);
  if (auto load = dyn_cast<hl::LoadOp>(op)) {
    // Not again where the tensor may have changed since.
    Value root = load.getSource();
    while (auto view = root.getDefiningOp<hl::ViewOp>())
      root = view.getSource();
    if (Value before = storedRoots.contains(root) ? existing() : Value())
      return hlg::ConvertLayoutOp::create(b, type, before);
    return makeLoad(load, layout);
  }
  if (auto fill = dyn_cast<hl::FillPaddingOp>(op))
    return makeFill(fill, layout);
  if (auto indices = dyn_cast<hl::IndicesOp>(op))
    return hlg::IotaOp::create(b, type, spans[indices.getSpan()].begin, b.getI64IntegerAttr(0));
  if (auto arange = dyn_cast<hl::ArangeOp>(op))
    return hlg::IotaOp::create(b, type, scalarOf(arange.getStart()), b.getI64IntegerAttr(0));
  if (auto broadcast = dyn_cast<hl::BroadcastOp>(op)) {
    hlg::Layout source = layout;
    for (auto [dim, from, to] : llvm::enumerate(broadcast.getSource().getType().getShape(), type.getShape()))
      if (from != to)
        source = source.flatten(dim);
    Value value = get(broadcast.getSource(), source);
    return value ? hlg::BroadcastOp::create(b, type, value).getResult() : Value();
  }
  if (auto transpose = dyn_cast<hl::TransposeOp>(op)) {
    SmallVector<int64_t> inverse(transpose.getPermutation().size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      inverse[from] = int64_t(to);
    Value value = get(transpose.getSource(), layout.permute(inverse));
    return value ? hlg::ViewOp::create(b, type, value,
                                       b.getDenseI64ArrayAttr(SmallVector<int64_t>(transpose.getPermutation())))
                       .getResult()
                 : Value();
  }
  if (auto reshape = dyn_cast<hl::ReshapeOp>(op))
    return makeReshape(reshape, layout);
  if (auto reduce = dyn_cast<hl::ReduceOp>(op)) {
    hlg::Layout source = blocked(reduce.getSource());
    hlg::Layout natural = source.drop(reduce.getDim());
    if (!(natural == layout))
      return convert(natural);
    Value value = get(reduce.getSource(), source);
    return value ? hlg::ReduceOp::create(b, type, b.getStringAttr(hl::stringifyReduceKind(reduce.getKind())), value,
                                         b.getI64IntegerAttr(reduce.getDim()))
                       .getResult()
                 : Value();
  }
  if (auto dot = dyn_cast<hl::DotOp>(op)) {
    hlg::Layout natural = blocked(tile);
    if (!(natural == layout))
      return convert(natural);
    Value acc = get(dot.getAcc(), natural);
    Value lhs = get(dot.getLhs(), blocked(dot.getLhs())), rhs = get(dot.getRhs(), blocked(dot.getRhs()));
    return hasFailed ? Value() : hlg::DotOp::create(b, lhs, rhs, acc).getResult();
  }
  return error(op, "this operation is not supported on the GPU yet");
}

Value HlgBuilder::makeMap(hl::MapOp map, const hlg::Layout &layout) {
  SmallVector<Value> inputs;
  for (Value input : map.getInputs())
    inputs.push_back(get(input, layout));
  if (hasFailed)
    return {};
  b.setLoc(map.getLoc());
  IRMapping mapping;
  for (Operation &op : map.getBody().front())
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &map.getBody().front() && !mapping.contains(operand))
        mapping.map(operand, scalarOf(operand));
  auto result = hlg::MapOp::create(b, regType(map.getResult(), layout), inputs);
  Block &body = result.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  for (BlockArgument argument : map.getBody().getArguments())
    mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : map.getBody().front().without_terminator())
    b.clone(op, mapping);
  hlg::YieldOp::create(b, mapping.lookupOrDefault(map.getBody().front().getTerminator()->getOperand(0)));
  return result.getResult();
}

/// Elements of the padding become the value: by their index along each dim.
Value HlgBuilder::makeFill(hl::FillPaddingOp fill, const hlg::Layout &layout) {
  Value value = get(fill.getSource(), layout);
  if (!value)
    return {};
  hlg::RegType type = regType(fill.getResult(), layout);
  auto indexType = hlg::RegType::get(b.getContext(), type.getShape(), b.getI32Type(), type.getLayout());
  for (auto [span, dim] : llvm::zip(fill.getSpans(), fill.getDims())) {
    const SpanInfo &info = spans[span];
    if (info.isExact)
      continue;
    // No more than the tile has: what is left of a long dim may not fit 32 bits.
    Value left = arith::MinSIOp::create(b, arith::SubIOp::create(b, info.upper, info.begin), index(info.extent));
    Value count = arith::IndexCastOp::create(b, b.getI32Type(), left);
    Value filler = scalarOf(fill.getValue());
    Value places = hlg::IotaOp::create(b, indexType, index(0), b.getI64IntegerAttr(dim));
    auto map = hlg::MapOp::create(b, type, ValueRange{value, places});
    Block &body = map.getBody().emplaceBlock();
    body.addArguments({type.getElementType(), b.getI32Type()}, {b.getLoc(), b.getLoc()});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&body);
    Value real = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, body.getArgument(1), count);
    hlg::YieldOp::create(b, arith::SelectOp::create(b, real, body.getArgument(0), filler).getResult());
    value = map.getResult();
  }
  return value;
}

Value HlgBuilder::makeReshape(hl::ReshapeOp reshape, const hlg::Layout &layout) {
  SmallVector<int64_t> from = reshape.getSource().getType().getShape(), to = reshape.getResult().getType().getShape();
  auto notUnit = [](int64_t size) { return size != 1; };
  if (!llvm::equal(llvm::make_filter_range(from, notUnit), llvm::make_filter_range(to, notUnit)))
    return error(reshape, "regrouping dims is not supported on the GPU yet");
  // Take the dims of 1 out of the result's layout, put in the source's.
  hlg::Layout source = layout;
  for (int64_t dim = int64_t(to.size()) - 1; dim >= 0; --dim)
    if (to[dim] == 1)
      source = source.drop(dim);
  for (auto [dim, size] : llvm::enumerate(from))
    if (size == 1)
      source = source.insert(dim);
  Value value = get(reshape.getSource(), source);
  return value ? hlg::ViewOp::create(b, regType(reshape.getResult(), layout), value, DenseI64ArrayAttr()).getResult()
               : Value();
}

FailureOr<HlgBuilder::Access> HlgBuilder::access(Operation *op, Value tensor, ValueRange operands,
                                                 ArrayRef<int32_t> kinds, ArrayRef<int64_t> shape) {
  auto type = cast<hl::TensorType>(tensor.getType());
  Access result;
  result.pointer = pointers[tensor];
  result.base = index(0);
  int64_t bytes = std::max<int64_t>(1, type.getElementType().getIntOrFloatBitWidth() / 8);
  int64_t vector = std::max<int64_t>(1, 16 / bytes);
  int64_t offset = 0;
  for (Value at = tensor; auto view = at.getDefiningOp<hl::ViewOp>(); at = view.getSource())
    offset += view.getOffset();
  auto limitVector = [&](int64_t multiple) {
    while (vector > 1 && multiple % vector)
      vector /= 2;
  };
  limitVector(offset);
  auto next = operands.begin();
  int64_t contiguous = -1;
  for (auto [dim, kind] : llvm::enumerate(kinds)) {
    int64_t stride = type.getStrides()[dim], size = type.getShape()[dim];
    auto add = [&](Value begin) {
      Value term = stride == 1 ? begin : arith::MulIOp::create(b, begin, index(stride)).getResult();
      if (stride != 0)
        result.base = arith::AddIOp::create(b, result.base, term);
    };
    switch (hl::IndexKind(kind)) {
    case hl::IndexKind::Scalar:
      add(scalarOf(*next++));
      limitVector(stride);
      continue;
    case hl::IndexKind::Gather:
      op->emitError("indexing with a tile of integers is not supported on the GPU yet");
      return failure();
    case hl::IndexKind::Full:
      result.limits.push_back(index(size));
      break;
    case hl::IndexKind::Span: {
      const SpanInfo &info = spans[*next++];
      add(info.begin);
      // An index stays inside both the loop and the tensor.
      Value end = arith::MinSIOp::create(b, info.upper, index(size));
      APInt last;
      bool isWhole = info.isExact && matchPattern(info.upper, m_ConstantInt(&last)) && last.sle(size);
      result.limits.push_back(isWhole ? index(info.extent) : arith::SubIOp::create(b, end, info.begin).getResult());
      if (stride == 1) {
        limitVector(info.beginMultiple);
        if (!isWhole)
          limitVector(std::min(info.upperMultiple, size & -size));
      }
      break;
    }
    }
    if (stride == 1 && shape[result.strides.size()] > 1) {
      contiguous = int64_t(result.strides.size());
      if (hl::IndexKind(kind) == hl::IndexKind::Full)
        limitVector(size);
    } else {
      limitVector(stride);
    }
    result.strides.push_back(stride);
  }
  result.vector = contiguous == int64_t(shape.size()) - 1 ? vector : 1;
  return result;
}

Value HlgBuilder::makeLoad(hl::LoadOp load, const hlg::Layout &layout) {
  hl::TileType type = load.getResult().getType();
  Value mask = load.getMask() ? get(load.getMask(), layout) : Value();
  if (hasFailed)
    return {};
  b.setLoc(load.getLoc());
  auto where = access(load, load.getSource(), load.getIndices(), load.getKinds(), type.getShape());
  if (failed(where)) {
    hasFailed = true;
    return {};
  }
  // A tensor without elements is not touched.
  if (load.getSource().getType().getNumElements() == 0) {
    Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
    return hlg::FullOp::create(b, regType(load.getResult(), layout), zero);
  }
  return hlg::LoadOp::create(b, regType(load.getResult(), layout), where->pointer, where->base, where->limits, mask,
                             b.getDenseI64ArrayAttr(where->strides), b.getI64IntegerAttr(where->vector));
}
