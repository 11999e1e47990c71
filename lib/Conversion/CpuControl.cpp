//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Spans, loops with carried tiles, branches.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

SpanInfo LaunchEmitter::makeSpan(Value begin, Value upper, Value blockId, int64_t extent, bool isExact) {
  SpanInfo info;
  info.begin = begin;
  info.upper = upper;
  info.blockId = blockId;
  info.extent = extent;
  info.isExact = isExact || extent == 1;
  info.real = info.isExact ? b.index(extent) : b.min(b.index(extent), b.sub(upper, begin));
  return info;
}

/// Whether blocks of `step` fill the way from `lower` to `upper`, both constant.
static bool fills(Value lower, Value upper, int64_t step) {
  std::optional<int64_t> from = constantOf(lower), to = constantOf(upper);
  return from && to && (*to - *from) % step == 0;
}

static int64_t stepOf(ArrayAttr steps, unsigned dim) { return cast<IntegerAttr>(steps[dim]).getInt(); }

void LaunchEmitter::addTensor(Value argument, Value base) {
  tensors[argument] = {base, cast<hl::TensorType>(argument.getType()), argument};
}

LogicalResult LaunchEmitter::emitBlock(Block &block) {
  for (Operation &op : block) {
    if (isa<hl::YieldOp>(op))
      continue;
    if (failed(emitOp(op)))
      return failure();
  }
  return success();
}

/// Splits `program` into block numbers, the last dim of `order` fastest. With grouping, `group` blocks of the first dim
/// run before the second moves on.
static SmallVector<Value> blockNumbers(CpuBuilder &b, Value program, ArrayRef<int64_t> counts, ArrayRef<int64_t> order,
                                       int64_t group) {
  SmallVector<Value> ids(counts.size());
  if (group > 1 && counts.size() >= 2) {
    int64_t inner = 1;
    for (int64_t count : counts.drop_front(2))
      inner *= count;
    Value rest = b.div(program, inner);
    Value left = b.rem(program, inner);
    Value groupIndex = b.div(rest, group * counts[1]), inGroup = b.rem(rest, group * counts[1]);
    Value first = b.mul(groupIndex, group);
    Value rows = b.min(b.index(group), b.sub(b.index(counts[0]), first));
    ids[0] = b.add(first, arith::RemUIOp::create(b, inGroup, rows));
    ids[1] = arith::DivUIOp::create(b, inGroup, rows);
    for (unsigned dim = counts.size(); dim-- > 2;) {
      ids[dim] = b.rem(left, counts[dim]);
      left = b.div(left, counts[dim]);
    }
    return ids;
  }
  Value left = program;
  for (unsigned i = order.size(); i-- > 0;) {
    int64_t dim = order[i];
    ids[dim] = i == 0 ? left : b.rem(left, counts[dim]);
    left = b.div(left, counts[dim]);
  }
  return ids;
}

LogicalResult LaunchEmitter::emitGrid(hl::GridOp grid, Value program, ArrayRef<int64_t> order) {
  grid.walk([&](hl::StoreOp store) {
    Value dest = store.getDest();
    while (auto view = dest.getDefiningOp<hl::ViewOp>())
      dest = view.getSource();
    writtenRoots.insert(dest);
  });
  SmallVector<int64_t> counts;
  for (auto [dim, bounds] : llvm::enumerate(llvm::zip(grid.getLowers(), grid.getUppers()))) {
    auto [lower, upper] = bounds;
    int64_t extent = *constantOf(upper) - *constantOf(lower);
    counts.push_back(
        std::max<int64_t>(1, llvm::divideCeil(std::max<int64_t>(extent, 0), stepOf(grid.getSteps(), dim))));
  }
  SmallVector<Value> ids = blockNumbers(b, program, counts, order, options.l2Grouping);
  for (auto [dim, argument] : llvm::enumerate(grid.getBody().getArguments())) {
    int64_t step = stepOf(grid.getSteps(), dim);
    Value lower = grid.getLowers()[dim], upper = grid.getUppers()[dim];
    Value begin = b.add(b.index(*constantOf(lower)), b.mul(ids[dim], step));
    spans[argument] = makeSpan(begin, b.index(*constantOf(upper)), ids[dim], step, fills(lower, upper, step));
  }
  return emitBlock(grid.getBody().front());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool hasBuffer(Type type) { return isa<hl::TileType>(type) && !isSingle(type); }

LogicalResult LaunchEmitter::emitLoop(hl::LoopOp loop) {
  unsigned dims = loop.getSteps().size();
  auto carried = loop.getBody().getArguments().drop_front(dims);
  SmallVector<Value> inits;
  SmallVector<Buffer> targets;
  for (auto [argument, init] : llvm::zip(carried, loop.getInits())) {
    if (!hasBuffer(init.getType())) {
      inits.push_back(scalars.lookup(init));
      continue;
    }
    auto found = buffers.find(init);
    bool mayTake = found != buffers.end() && init.hasOneUse() && init.getParentBlock() == loop->getBlock() &&
                   isa_and_nonnull<hl::DotOp, hl::ReduceOp>(init.getDefiningOp());
    Buffer buffer = mayTake ? found->second
                            : allocate(cast<hl::TileType>(init.getType()).getShape(),
                                       cast<hl::TileType>(init.getType()).getElementType());
    if (!mayTake)
      writeTile(init, buffer);
    buffers[argument] = buffer;
    targets.push_back(buffer);
  }
  LogicalResult status = success();
  std::function<SmallVector<Value>(unsigned, ArrayRef<Value>)> nest = [&](unsigned dim, ArrayRef<Value> values) {
    if (dim == dims) {
      SmallVector<Value> next;
      if (failed(emitLoopBody(loop, values, next))) {
        status = failure();
        next.assign(values.begin(), values.end());
      }
      return next;
    }
    Value lower = scalars.lookup(loop.getLowers()[dim]), upper = scalars.lookup(loop.getUppers()[dim]);
    int64_t step = stepOf(loop.getSteps(), dim);
    return b.loop(lower, upper, step, values, [&](Value iv, ValueRange inner) {
      Value id = b.div(b.sub(iv, lower), step);
      spans[loop.getBody().getArgument(dim)] = makeSpan(iv, upper, id, step, fills(lower, upper, step));
      return nest(dim + 1, SmallVector<Value>(inner));
    });
  };
  SmallVector<Value> results = nest(0, inits);
  unsigned nextScalar = 0, nextBuffer = 0;
  for (Value result : loop.getResults()) {
    if (hasBuffer(result.getType()))
      buffers[result] = targets[nextBuffer++];
    else
      scalars.map(result, results[nextScalar++]);
  }
  return status;
}

LogicalResult LaunchEmitter::emitLoopBody(hl::LoopOp loop, ArrayRef<Value> carried, SmallVector<Value> &next) {
  int64_t mark = scratchTop;
  unsigned index = 0;
  for (Value argument : loop.getBody().getArguments().drop_front(loop.getSteps().size()))
    if (!hasBuffer(argument.getType()))
      scalars.map(argument, carried[index++]);
  if (failed(emitBlock(loop.getBody().front())))
    return failure();
  writeCarried(loop);
  auto *terminator = loop.getBody().front().empty() ? nullptr : &loop.getBody().front().back();
  if (auto yield = dyn_cast_or_null<hl::YieldOp>(terminator))
    for (Value value : yield.getValues())
      if (!hasBuffer(value.getType()))
        next.push_back(scalars.lookup(value));
  scratchTop = mark;
  return success();
}

namespace {
/// The buffers that evaluating a tile reads; true when only at the coordinates that are evaluated.
using BufferReads = DenseMap<Value, bool>;
} // namespace

static void collectReads(LaunchEmitter &launch, Value tile, bool inPlace, BufferReads &reads) {
  if (auto it = launch.buffers.find(tile); it != launch.buffers.end()) {
    auto [entry, isNew] = reads.try_emplace(it->second.base, inPlace);
    entry->second &= inPlace;
    return;
  }
  if (!launch.isLazy(tile))
    return;
  Operation *op = tile.getDefiningOp();
  bool keeps = inPlace && isa<hl::MapOp, hl::FillPaddingOp>(op);
  for (Value operand : op->getOperands())
    if (isa<hl::TileType>(operand.getType()))
      collectReads(launch, operand, keeps, reads);
}

/// Writes the yielded tiles into the carried buffers, each after the tiles that read what it replaces. Where that is a
/// circle (two values swapped) one of them gets memory of its own first.
void LaunchEmitter::writeCarried(hl::LoopOp loop) {
  auto yield = loop.getBody().front().empty() ? hl::YieldOp() : dyn_cast<hl::YieldOp>(loop.getBody().front().back());
  if (!yield)
    return;
  SmallVector<std::pair<Value, Buffer>> pending;
  auto carried = loop.getBody().getArguments().drop_front(loop.getSteps().size());
  for (auto [value, argument] : llvm::zip(yield.getValues(), carried)) {
    if (!hasBuffer(value.getType()))
      continue;
    auto own = buffers.find(value);
    if (own == buffers.end() || own->second.base != buffers[argument].base)
      pending.emplace_back(value, buffers[argument]);
  }
  auto mayWrite = [&](unsigned index) {
    for (auto [i, entry] : llvm::enumerate(pending)) {
      BufferReads reads;
      collectReads(*this, entry.first, true, reads);
      auto it = reads.find(pending[index].second.base);
      if (it != reads.end() && (i != index || !it->second))
        return false;
    }
    return true;
  };
  while (!pending.empty()) {
    unsigned index = 0;
    while (index < pending.size() && !mayWrite(index))
      ++index;
    if (index < pending.size()) {
      writeTile(pending[index].first, pending[index].second);
      pending.erase(pending.begin() + index);
      continue;
    }
    auto type = cast<hl::TileType>(pending[0].first.getType());
    Buffer copy = allocate(type.getShape(), type.getElementType());
    writeTile(pending[0].first, copy);
    // From here on the value is its copy (a carried argument keeps its buffer as a target through `pending`).
    buffers[pending[0].first] = copy;
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

LogicalResult LaunchEmitter::emitBranch(Region &region, hl::IfOp op, SmallVector<Value> &results) {
  int64_t mark = scratchTop;
  if (failed(emitBlock(region.front())))
    return failure();
  auto yield = region.front().empty() ? hl::YieldOp() : dyn_cast<hl::YieldOp>(region.front().back());
  if (yield)
    for (auto [value, result] : llvm::zip(yield.getValues(), op.getResults())) {
      if (hasBuffer(value.getType()))
        writeTile(value, buffers[result]);
      else
        results.push_back(scalars.lookup(value));
    }
  scratchTop = mark;
  return success();
}

static Type scalarOf(Type type) {
  auto tile = dyn_cast<hl::TileType>(type);
  return tile ? tile.getElementType() : type;
}

LogicalResult LaunchEmitter::emitIf(hl::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    if (hasBuffer(result.getType())) {
      auto type = cast<hl::TileType>(result.getType());
      buffers[result] = allocate(type.getShape(), type.getElementType());
    } else {
      types.push_back(scalarOf(result.getType()));
    }
  }
  LogicalResult status = success();
  Value condition = scalars.lookup(op.getCondition());
  auto branch = scf::IfOp::create(b, types, condition, /*withElseRegion=*/true);
  auto fill = [&](Region &from, Block *to) {
    OpBuilder::InsertionGuard guard(b);
    if (!to->empty())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    SmallVector<Value> results;
    if (failed(emitBranch(from, op, results)))
      status = failure();
    else
      scf::YieldOp::create(b, results);
  };
  fill(op.getThenRegion(), branch.thenBlock());
  fill(op.getElseRegion(), branch.elseBlock());
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!hasBuffer(result.getType()))
      scalars.map(result, branch.getResult(next++));
  return status;
}
