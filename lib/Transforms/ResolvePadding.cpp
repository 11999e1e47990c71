//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Inserts hl.fill_padding where a reduction or a dot could see padding that is not neutral.
//===----------------------------------------------------------------------===//
//
// A span may reach past the end of its loop; a tile has elements there all the same. What they hold is known after some
// operations (a load gives 0) and not after others (x - mean of a padded row is whatever it is). This pass follows, for
// every tile and dim, the constant that the padding along the dim is known to hold, and inserts a fill only where a
// reduction or a dot needs another one. Why not mask at each load with the value its consumer wants: a tile may have
// two consumers (amax wants -inf, a sum 0), and arithmetic in between changes the value anyway.
//
// It runs on symbolic kernels: there a dim is named after its loop's parameter, so that the span of a dim is the span
// of the enclosing loop with that parameter.
//===----------------------------------------------------------------------===//
#include "helionc/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc::hl;

namespace helionc::transforms {
#define GEN_PASS_DEF_RESOLVEPADDING
#include "helionc/Transforms/Passes.h.inc"
} // namespace helionc::transforms

namespace {

/// What a tile holds in the padding of each dim; a null attribute: not known.
using PadValues = SmallVector<TypedAttr>;

class PaddingResolver {
public:
  explicit PaddingResolver(KernelOp kernel) : kernel(kernel) {}
  LogicalResult run() { return visitBlock(kernel.getBody().front(), /*insert=*/true); }

private:
  LogicalResult visitBlock(Block &block, bool insert);
  LogicalResult visitOp(Operation &op, bool insert);
  LogicalResult visitLoop(LoopOp loop, bool insert);
  LogicalResult visitIf(IfOp op, bool insert);
  void visitMap(MapOp map);
  void visitReshape(ReshapeOp op);
  LogicalResult visitReduce(ReduceOp op, bool insert);
  LogicalResult visitDot(DotOp op, bool insert);
  void visitFill(FillPaddingOp op);

  /// The span whose padding dim `dim` of `tile` has at `op`; null where the dim has none.
  FailureOr<Value> spanOf(Operation *op, TileType tile, int64_t dim);
  /// Makes `operand` hold `wanted` in the padding of `dim`, by a fill before its owner unless it is known to.
  LogicalResult require(OpOperand &operand, int64_t dim, TypedAttr wanted, bool insert);
  PadValues unknown(Value tile) { return PadValues(cast<TileType>(tile.getType()).getRank()); }
  PadValues lookup(Value tile) {
    auto it = known.find(tile);
    return it == known.end() ? unknown(tile) : it->second;
  }

  KernelOp kernel;
  DenseMap<Value, PadValues> known;
};

PadValues meet(const PadValues &lhs, const PadValues &rhs) {
  PadValues result;
  for (auto [left, right] : llvm::zip(lhs, rhs))
    result.push_back(left == right ? left : TypedAttr());
  return result;
}

/// Whether a span can reach past its loop's end: not when its extent is 1.
bool mayPad(SpanType span) {
  auto extent = dyn_cast<IntegerAttr>(span.getExtent());
  return !extent || extent.getInt() != 1;
}

/// The element that leaves a reduction as it is; null where there is none in the type.
TypedAttr neutralElement(ReduceKind kind, Type type, OpBuilder &builder) {
  auto floatType = dyn_cast<FloatType>(type);
  auto integer = [&](const APInt &value) { return TypedAttr(builder.getIntegerAttr(type, value)); };
  unsigned width = floatType ? 0 : type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Or:
  case ReduceKind::Xor:
    return cast<TypedAttr>(builder.getZeroAttr(type));
  case ReduceKind::Prod:
    return cast<TypedAttr>(builder.getOneAttr(type));
  case ReduceKind::And:
    return integer(APInt::getAllOnes(width));
  case ReduceKind::Max:
  case ReduceKind::ArgMax:
    if (floatType)
      return builder.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/true));
    return integer(APInt::getSignedMinValue(width));
  case ReduceKind::Min:
  case ReduceKind::ArgMin:
    if (floatType)
      return builder.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics()));
    return integer(APInt::getSignedMaxValue(width));
  }
  llvm_unreachable("unknown reduction");
}

} // namespace

FailureOr<Value> PaddingResolver::spanOf(Operation *op, TileType tile, int64_t dim) {
  Attribute extent = tile.getDims()[dim];
  Value found;
  if (isa<IntegerAttr>(extent))
    return found;
  for (Operation *parent = op->getParentOp(); parent && parent != kernel; parent = parent->getParentOp()) {
    if (!isa<GridOp, LoopOp>(parent))
      continue;
    for (BlockArgument argument : parent->getRegion(0).front().getArguments()) {
      auto span = dyn_cast<SpanType>(argument.getType());
      if (!span || span.getExtent() != extent)
        continue;
      if (found)
        return op->emitError() << "two enclosing loops share the block size " << extent
                               << ", so the padding of a tile of " << tile << " is ambiguous";
      found = argument;
    }
  }
  return found;
}

LogicalResult PaddingResolver::require(OpOperand &operand, int64_t dim, TypedAttr wanted, bool insert) {
  Operation *op = operand.getOwner();
  auto type = cast<TileType>(operand.get().getType());
  FailureOr<Value> span = spanOf(op, type, dim);
  if (failed(span))
    return failure();
  if (!*span || !mayPad(cast<SpanType>((*span).getType())) || lookup(operand.get())[dim] == wanted || !insert)
    return success();
  OpBuilder builder(op);
  Value value = arith::ConstantOp::create(builder, op->getLoc(), wanted);
  auto fill = FillPaddingOp::create(builder, op->getLoc(), type, operand.get(), value, ValueRange(*span), dim);
  visitFill(fill);
  operand.set(fill);
  return success();
}

void PaddingResolver::visitFill(FillPaddingOp op) {
  PadValues pads = lookup(op.getSource());
  TypedAttr value;
  matchPattern(op.getValue(), m_Constant(&value));
  for (TypedAttr &pad : pads)
    if (pad != value)
      pad = {};
  for (int64_t dim : op.getDims())
    pads[dim] = value;
  known[op.getResult()] = pads;
}

/// The constant that the body yields when its arguments are `inputs` (null: not constant); null if it is none.
static TypedAttr foldBody(MapOp map, ArrayRef<TypedAttr> inputs) {
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
    if (auto attribute = dyn_cast<Attribute>(results[0]))
      constants[op.getResult(0)] = attribute;
    else
      constants[op.getResult(0)] = lookup(cast<Value>(results[0]));
  }
  return dyn_cast_or_null<TypedAttr>(lookup(body.getTerminator()->getOperand(0)));
}

void PaddingResolver::visitMap(MapOp map) {
  PadValues result = unknown(map.getResult());
  for (auto [dim, pad] : llvm::enumerate(result)) {
    SmallVector<TypedAttr> inputs;
    for (Value input : map.getInputs())
      inputs.push_back(lookup(input)[dim]);
    pad = foldBody(map, inputs);
  }
  known[map.getResult()] = result;
}

void PaddingResolver::visitReshape(ReshapeOp op) {
  TileType from = op.getSource().getType(), to = op.getResult().getType();
  PadValues source = lookup(op.getSource()), result = unknown(op.getResult());
  auto isUnit = [](Attribute dim) { return isa<IntegerAttr>(dim) && cast<IntegerAttr>(dim).getInt() == 1; };
  int64_t next = 0;
  for (auto [dim, pad] : llvm::enumerate(result)) {
    if (isUnit(to.getDims()[dim]))
      continue;
    while (next < from.getRank() && isUnit(from.getDims()[next]))
      ++next;
    if (next == from.getRank() || from.getDims()[next] != to.getDims()[dim])
      return; // Dims were regrouped: nothing is known.
    pad = source[next++];
  }
  known[op.getResult()] = result;
}

LogicalResult PaddingResolver::visitReduce(ReduceOp op, bool insert) {
  OpBuilder builder(op);
  Type type = op.getSource().getType().getElementType();
  TypedAttr neutral = neutralElement(op.getKind(), type, builder);
  PadValues source = lookup(op.getSource());
  if (failed(require(op.getSourceMutable(), op.getDim(), neutral, insert)))
    return failure();
  // A sum of zeros is zero; a maximum of equal values is that value only if the reduced dim's padding holds it too.
  PadValues result;
  for (auto [dim, pad] : llvm::enumerate(source))
    if (int64_t(dim) != op.getDim())
      result.push_back(op.getKind() == ReduceKind::Sum && pad == neutral ? pad : TypedAttr());
  known[op.getResult()] = result;
  return success();
}

LogicalResult PaddingResolver::visitDot(DotOp op, bool insert) {
  OpBuilder builder(op);
  auto zero = cast<TypedAttr>(builder.getZeroAttr(op.getLhs().getType().getElementType()));
  int64_t rank = op.getAcc().getType().getRank();
  // Both sides: 0 times an unknown value may be NaN.
  if (failed(require(op.getLhsMutable(), rank - 1, zero, insert)) ||
      failed(require(op.getRhsMutable(), rank - 2, zero, insert)))
    return failure();
  known[op.getResult()] = unknown(op.getResult());
  return success();
}

LogicalResult PaddingResolver::visitLoop(LoopOp loop, bool insert) {
  unsigned dims = loop.getSteps().size();
  auto carried = loop.getBody().getArguments().drop_front(dims);
  for (auto [argument, init] : llvm::zip(carried, loop.getInits()))
    if (isa<TileType>(init.getType()))
      known[argument] = lookup(init);
  auto yield = cast<YieldOp>(loop.getBody().front().getTerminator());
  for (bool changed = true; changed;) {
    changed = false;
    if (failed(visitBlock(loop.getBody().front(), /*insert=*/false)))
      return failure();
    for (auto [argument, next] : llvm::zip(carried, yield.getValues())) {
      if (!isa<TileType>(next.getType()))
        continue;
      PadValues merged = meet(known[argument], lookup(next));
      changed |= merged != known[argument];
      known[argument] = merged;
    }
  }
  if (insert && failed(visitBlock(loop.getBody().front(), /*insert=*/true)))
    return failure();
  for (auto [argument, result] : llvm::zip(carried, loop.getResults()))
    if (isa<TileType>(result.getType()))
      known[result] = known[argument];
  return success();
}

LogicalResult PaddingResolver::visitIf(IfOp op, bool insert) {
  if (failed(visitBlock(op.getThenRegion().front(), insert)) || failed(visitBlock(op.getElseRegion().front(), insert)))
    return failure();
  auto thenYield = cast<YieldOp>(op.getThenRegion().front().getTerminator());
  auto elseYield = cast<YieldOp>(op.getElseRegion().front().getTerminator());
  for (auto [result, left, right] : llvm::zip(op.getResults(), thenYield.getValues(), elseYield.getValues()))
    if (isa<TileType>(result.getType()))
      known[result] = meet(lookup(left), lookup(right));
  return success();
}

LogicalResult PaddingResolver::visitBlock(Block &block, bool insert) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visitOp(op, insert)))
      return failure();
  return success();
}

LogicalResult PaddingResolver::visitOp(Operation &op, bool insert) {
  if (auto grid = dyn_cast<GridOp>(op))
    return visitBlock(grid.getBody().front(), insert);
  if (auto loop = dyn_cast<LoopOp>(op))
    return visitLoop(loop, insert);
  if (auto branch = dyn_cast<IfOp>(op))
    return visitIf(branch, insert);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return visitReduce(reduce, insert);
  if (auto dot = dyn_cast<DotOp>(op))
    return visitDot(dot, insert);
  if (auto map = dyn_cast<MapOp>(op))
    visitMap(map);
  else if (auto fill = dyn_cast<FillPaddingOp>(op))
    visitFill(fill);
  else if (auto reshape = dyn_cast<ReshapeOp>(op))
    visitReshape(reshape);
  else if (auto load = dyn_cast<LoadOp>(op)) {
    OpBuilder builder(load);
    auto zero = cast<TypedAttr>(builder.getZeroAttr(load.getResult().getType().getElementType()));
    known[load.getResult()] = PadValues(load.getResult().getType().getRank(), zero);
  } else if (auto full = dyn_cast<FullOp>(op)) {
    TypedAttr value;
    matchPattern(full.getValue(), m_Constant(&value));
    known[full.getResult()] = PadValues(full.getResult().getType().getRank(), value);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    // Along a repeated dim the padding repeats real elements.
    PadValues pads = lookup(broadcast.getSource());
    for (auto [dim, pad] : llvm::enumerate(pads))
      if (broadcast.getSource().getType().getDims()[dim] != broadcast.getResult().getType().getDims()[dim])
        pad = {};
    known[broadcast.getResult()] = pads;
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    PadValues source = lookup(transpose.getSource()), pads;
    for (int64_t from : transpose.getPermutation())
      pads.push_back(source[from]);
    known[transpose.getResult()] = pads;
  }
  return success();
}

namespace {
struct ResolvePadding : helionc::transforms::impl::ResolvePaddingBase<ResolvePadding> {
  void runOnOperation() override {
    if (failed(PaddingResolver(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
