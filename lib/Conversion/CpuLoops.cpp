//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loops of the program and loops over elements.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

void CpuEmitter::forLoop(Value lower, Value upper, int64_t step, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, lower, upper, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Lanes CpuEmitter::tailLanes(Value first, Value count, int64_t width) {
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < width; ++i)
    numbers.push_back(i);
  auto type = VectorType::get(width, b.getI64Type());
  Value iota = arith::ConstantOp::create(b, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(numbers)));
  Value left = arith::IndexCastOp::create(b, b.getI64Type(), arith::SubIOp::create(b, count, first));
  Lanes lanes;
  lanes.width = width;
  lanes.mask = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iota, splat(left, width));
  lanes.last = arith::SubIOp::create(b, count, index(1));
  return lanes;
}

void CpuEmitter::forEachVector(Value count, int64_t staticCount, int64_t width,
                               llvm::function_ref<void(Value, const Lanes &)> body) {
  if (width == 1 || staticCount == 1) {
    forLoop(index(0), count, 1, [&](Value i) { body(i, {}); });
    return;
  }
  // A short dim takes a short vector.
  while (staticCount > 0 && width / 2 >= staticCount && width > 1)
    width /= 2;
  Value whole = arith::MulIOp::create(b, arith::DivUIOp::create(b, count, index(width)), index(width));
  Lanes full;
  full.width = width;
  if (staticCount < 0 || staticCount >= width)
    forLoop(index(0), whole, width, [&](Value i) { body(i, full); });
  if (staticCount >= 0 && staticCount % width == 0)
    return;
  if (hasIntegerDivision) { // Masked-off lanes would divide by zero.
    forLoop(whole, count, 1, [&](Value i) { body(i, {}); });
    return;
  }
  Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, whole, count);
  auto branch = scf::IfOp::create(b, more, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body(whole, tailLanes(whole, count, width));
}

void CpuEmitter::forEach(llvm::ArrayRef<Value> counts, llvm::ArrayRef<int64_t> staticCounts,
                         llvm::function_ref<void(const Indices &, const Lanes &)> body) {
  Indices indices;
  std::function<void(size_t)> nest = [&](size_t dim) {
    if (counts.empty()) {
      body(indices, {});
      return;
    }
    if (dim + 1 == counts.size()) {
      forEachVector(counts[dim], staticCounts[dim], config.vectorWidth, [&](Value i, const Lanes &lanes) {
        indices.push_back(i);
        body(indices, lanes);
        indices.pop_back();
      });
      return;
    }
    forLoop(index(0), counts[dim], 1, [&](Value i) {
      indices.push_back(i);
      nest(dim + 1);
      indices.pop_back();
    });
  };
  nest(0);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

namespace {
/// Finds the span that cuts a dim of a tile by following it to what made the tile.
class ClipFinder {
public:
  Value find(Value tile, int64_t dim) {
    if (!visited.insert({tile, dim}).second)
      return {};
    if (auto argument = dyn_cast<BlockArgument>(tile))
      return ofCarried(argument, dim);
    Operation *op = tile.getDefiningOp();
    if (auto load = dyn_cast<hl::LoadOp>(op))
      return ofLoad(load, dim);
    if (auto indices = dyn_cast<hl::IndicesOp>(op))
      return indices.getSpan();
    if (auto map = dyn_cast<hl::MapOp>(op)) {
      for (Value input : map.getInputs())
        if (Value span = find(input, dim))
          return span;
      return {};
    }
    if (auto broadcast = dyn_cast<hl::BroadcastOp>(op)) {
      bool repeated = broadcast.getSource().getType().getDims()[dim] != broadcast.getResult().getType().getDims()[dim];
      return repeated ? Value() : find(broadcast.getSource(), dim);
    }
    if (auto reshape = dyn_cast<hl::ReshapeOp>(op))
      return ofReshape(reshape, dim);
    if (auto transpose = dyn_cast<hl::TransposeOp>(op))
      return find(transpose.getSource(), transpose.getPermutation()[dim]);
    if (auto reduce = dyn_cast<hl::ReduceOp>(op))
      return find(reduce.getSource(), dim + (dim >= int64_t(reduce.getDim())));
    if (auto fill = dyn_cast<hl::FillPaddingOp>(op)) {
      for (auto [span, place] : llvm::zip(fill.getSpans(), fill.getDims()))
        if (place == dim)
          return span;
      return find(fill.getSource(), dim);
    }
    if (auto dot = dyn_cast<hl::DotOp>(op)) {
      int64_t rank = dot.getAcc().getType().getRank();
      if (Value span = find(dim == rank - 1 ? dot.getRhs() : dot.getLhs(), dim))
        return span;
      return find(dot.getAcc(), dim);
    }
    if (auto loop = dyn_cast<hl::LoopOp>(op))
      return find(loop.getBody().getArgument(loop.getSteps().size() + cast<OpResult>(tile).getResultNumber()), dim);
    if (auto branch = dyn_cast<hl::IfOp>(op)) {
      unsigned number = cast<OpResult>(tile).getResultNumber();
      if (Value span = find(branch.getThenRegion().front().getTerminator()->getOperand(number), dim))
        return span;
      return find(branch.getElseRegion().front().getTerminator()->getOperand(number), dim);
    }
    return {};
  }

private:
  Value ofCarried(BlockArgument argument, int64_t dim) {
    auto loop = dyn_cast<hl::LoopOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return {};
    unsigned place = argument.getArgNumber() - loop.getSteps().size();
    if (Value span = find(loop.getInits()[place], dim))
      return span;
    return find(loop.getBody().front().getTerminator()->getOperand(place), dim);
  }
  Value ofLoad(hl::LoadOp load, int64_t dim) {
    auto next = load.getIndices().begin();
    int64_t place = 0;
    for (int32_t kind : load.getKinds()) {
      Value operand = hl::IndexKind(kind) == hl::IndexKind::Full ? Value() : *next++;
      int64_t rank = hl::IndexKind(kind) == hl::IndexKind::Scalar ? 0
                     : hl::IndexKind(kind) == hl::IndexKind::Gather ? cast<hl::TileType>(operand.getType()).getRank()
                                                                    : 1;
      if (dim >= place && dim < place + rank)
        return hl::IndexKind(kind) == hl::IndexKind::Span     ? operand
               : hl::IndexKind(kind) == hl::IndexKind::Gather ? find(operand, dim - place)
                                                              : Value();
      place += rank;
    }
    return {};
  }
  Value ofReshape(hl::ReshapeOp reshape, int64_t dim) {
    SmallVector<int64_t> from = reshape.getSource().getType().getShape(), to = reshape.getResult().getType().getShape();
    if (to[dim] == 1)
      return {};
    int64_t ordinal = llvm::count_if(llvm::ArrayRef(to).take_front(dim), [](int64_t size) { return size != 1; });
    for (auto [place, size] : llvm::enumerate(from))
      if (size != 1 && ordinal-- == 0)
        return size == to[dim] ? find(reshape.getSource(), place) : Value();
    return {};
  }
  llvm::DenseSet<std::pair<Value, int64_t>> visited;
};
} // namespace

Value CpuEmitter::clipOf(Value tile, int64_t dim) {
  Value span = ClipFinder().find(tile, dim);
  // The span of a loop that has ended says nothing here.
  return span && spans.count(span) ? span : Value();
}

Value CpuEmitter::spanCount(Value span, int64_t &constant) {
  const SpanInfo &info = spans[span];
  constant = info.constantCount;
  if (constant >= 0)
    return index(constant);
  if (info.extent == 1) {
    constant = 1;
    return index(1);
  }
  return arith::MinSIOp::create(b, arith::SubIOp::create(b, info.upper, info.begin), index(info.extent));
}

void CpuEmitter::extents(Value tile, SmallVectorImpl<Value> &counts, SmallVectorImpl<int64_t> &constants) {
  for (auto [dim, size] : llvm::enumerate(cast<hl::TileType>(tile.getType()).getShape())) {
    int64_t constant = size;
    Value span = clipOf(tile, dim);
    Value count = span ? spanCount(span, constant) : index(size);
    counts.push_back(count);
    constants.push_back(constant);
  }
}

//===----------------------------------------------------------------------===//
// hl.loop and hl.if
//===----------------------------------------------------------------------===//

/// A dot that becomes the next value of a carried accumulator is summed in the accumulator's own buffer.
void CpuEmitter::chooseTargets(hl::LoopOp loop) {
  unsigned dims = loop.getSteps().size();
  Operation *yield = loop.getBody().front().getTerminator();
  for (auto [i, argument] : llvm::enumerate(loop.getBody().getArguments().drop_front(dims))) {
    auto dot = yield->getOperand(i).getDefiningOp<hl::DotOp>();
    if (!dot || !dot.getResult().hasOneUse() || dot->getBlock() != argument.getOwner() || !argument.hasOneUse())
      continue;
    Value acc = dot.getAcc();
    bool direct = acc == argument;
    auto map = acc.getDefiningOp<hl::MapOp>();
    bool throughMap = map && acc.hasOneUse() && *argument.user_begin() == map.getOperation() &&
                      map->getBlock() == argument.getOwner();
    if (direct || throughMap)
      targets[dot.getResult()] = buffers[argument];
  }
}

LogicalResult CpuEmitter::emitLoop(hl::LoopOp loop) {
  unsigned dims = loop.getSteps().size();
  auto carried = loop.getBody().getArguments().drop_front(dims);
  SmallVector<Value> slots(carried.size());
  for (auto [i, argument, init] : llvm::enumerate(carried, loop.getInits())) {
    if (auto type = dyn_cast<hl::TileType>(init.getType()); type && type.getRank() > 0) {
      Buffer buffer = allocate(type, type.getElementType());
      evaluateInto(init, buffer);
      buffers[argument] = buffer;
      continue;
    }
    // A scalar travels through a slot of scratch memory.
    auto tile = dyn_cast<hl::TileType>(init.getType());
    Type element = tile ? tile.getElementType() : init.getType();
    Buffer slot = allocate(hl::TileType::get(b.getContext(), llvm::ArrayRef<int64_t>{}, element), element);
    Value value = tile ? evaluate(init, {}, -1, {}) : scalarOf(init);
    writeBuffer(slot, {}, value, {});
    slots[i] = slot.pointer;
  }
  chooseTargets(loop);
  if (mlir::failed(emitLoopNest(loop, 0, slots)))
    return failure();
  for (auto [i, argument, result] : llvm::enumerate(carried, loop.getResults())) {
    if (slots[i]) {
      auto tile = dyn_cast<hl::TileType>(result.getType());
      Type element = tile ? tile.getElementType() : result.getType();
      scalars[result] = readBuffer({slots[i], element, {}}, {}, -1, {});
    } else {
      buffers[result] = buffers[argument];
    }
  }
  for (BlockArgument span : loop.getBody().getArguments().take_front(dims))
    spans.erase(span);
  return failure(failed);
}

LogicalResult CpuEmitter::emitLoopNest(hl::LoopOp loop, unsigned dim, llvm::ArrayRef<Value> slots) {
  unsigned dims = loop.getSteps().size();
  if (dim == dims) {
    for (auto [slot, argument] : llvm::zip(slots, loop.getBody().getArguments().drop_front(dims))) {
      if (!slot)
        continue;
      auto tile = dyn_cast<hl::TileType>(argument.getType());
      Type element = tile ? tile.getElementType() : argument.getType();
      scalars[argument] = readBuffer({slot, element, {}}, {}, -1, {});
    }
    if (mlir::failed(emitBlock(loop.getBody().front())))
      return failure();
    return emitYield(loop, slots);
  }
  Value span = loop.getBody().getArgument(dim);
  SpanInfo info;
  info.extent = cast<IntegerAttr>(loop.getSteps()[dim]).getInt();
  Value lower = scalarOf(loop.getLowers()[dim]);
  info.upper = scalarOf(loop.getUppers()[dim]);
  APInt begin, end;
  if (matchPattern(loop.getLowers()[dim], m_ConstantInt(&begin)) &&
      matchPattern(loop.getUppers()[dim], m_ConstantInt(&end)) &&
      (end.getSExtValue() - begin.getSExtValue()) % info.extent == 0)
    info.constantCount = info.extent;
  LogicalResult result = success();
  forLoop(lower, info.upper, info.extent, [&](Value first) {
    info.begin = first;
    info.blockId = arith::DivUIOp::create(b, arith::SubIOp::create(b, first, lower), index(info.extent));
    spans[span] = info;
    result = emitLoopNest(loop, dim + 1, slots);
  });
  return result;
}

/// The next values of the carried tiles. One that is computed in place goes straight to its buffer; the rest are computed
/// first and copied after, so that every value is read before it is replaced.
LogicalResult CpuEmitter::emitYield(hl::LoopOp loop, llvm::ArrayRef<Value> slots) {
  auto arguments = loop.getBody().getArguments().drop_front(loop.getSteps().size());
  auto values = loop.getBody().front().getTerminator()->getOperands();
  SmallVector<std::pair<Buffer, unsigned>> copies;
  SmallVector<std::pair<unsigned, Value>> scalarStores;
  SmallVector<unsigned> direct;
  auto isPending = [&](unsigned i) { return !slots[i] && !targets.count(values[i]) && values[i] != arguments[i]; };
  for (unsigned i = 0; i < values.size(); ++i) {
    if (slots[i]) {
      bool isTile = isa<hl::TileType>(values[i].getType());
      scalarStores.emplace_back(i, isTile ? evaluate(values[i], {}, -1, {}) : scalarOf(values[i]));
      continue;
    }
    if (!isPending(i))
      continue;
    if (auto made = buffers.find(values[i]); made != buffers.end()) {
      copies.emplace_back(made->second, i);
      continue;
    }
    bool inPlace = readsOnlyInPlace(values[i], arguments[i]);
    for (unsigned j = 0; j < values.size() && inPlace; ++j)
      inPlace = j == i || !isPending(j) || !reads(values[j], arguments[i]);
    if (inPlace) {
      direct.push_back(i);
      continue;
    }
    auto type = cast<hl::TileType>(values[i].getType());
    Buffer temporary = allocate(type, type.getElementType());
    evaluateInto(values[i], temporary);
    copies.emplace_back(temporary, i);
  }
  for (unsigned i : direct)
    evaluateInto(values[i], buffers[arguments[i]]);
  // A buffer that is itself a carried value (a swap) is copied out before it is overwritten.
  for (auto &[from, i] : copies) {
    bool isCarried = llvm::any_of(arguments, [&](Value argument) {
      auto it = buffers.find(argument);
      return it != buffers.end() && it->second.pointer == from.pointer;
    });
    if (!isCarried || copies.size() == 1)
      continue;
    Buffer temporary = allocate(cast<hl::TileType>(values[i].getType()), from.elementType);
    copyBuffer(values[i], from, temporary);
    from = temporary;
  }
  for (auto &[from, i] : copies)
    copyBuffer(values[i], from, buffers[arguments[i]]);
  for (auto [i, value] : scalarStores)
    writeBuffer({slots[i], value.getType(), {}}, {}, value, {});
  return failure(failed);
}

LogicalResult CpuEmitter::emitIf(hl::IfOp op) {
  SmallVector<Buffer> results;
  for (Value result : op.getResults()) {
    auto tile = dyn_cast<hl::TileType>(result.getType());
    hl::TileType type = tile ? tile : hl::TileType::get(b.getContext(), llvm::ArrayRef<int64_t>{}, result.getType());
    results.push_back(allocate(type, type.getElementType()));
  }
  auto branch = scf::IfOp::create(b, scalarOf(op.getCondition()), /*withElseRegion=*/true);
  for (auto [region, block] : {std::pair<Region *, Block *>{&op.getThenRegion(), branch.thenBlock()},
                               {&op.getElseRegion(), branch.elseBlock()}}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    if (mlir::failed(emitBlock(region->front())))
      return failure();
    for (auto [value, buffer] : llvm::zip(region->front().getTerminator()->getOperands(), results)) {
      auto tile = dyn_cast<hl::TileType>(value.getType());
      if (tile && tile.getRank() > 0)
        evaluateInto(value, buffer);
      else
        writeBuffer(buffer, {}, tile ? evaluate(value, {}, -1, {}) : scalarOf(value), {});
    }
  }
  for (auto [result, buffer] : llvm::zip(op.getResults(), results)) {
    auto tile = dyn_cast<hl::TileType>(result.getType());
    if (tile && tile.getRank() > 0)
      buffers[result] = buffer;
    else
      scalars[result] = readBuffer(buffer, {}, -1, {});
  }
  return failure(failed);
}
