//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Concrete hl kernels to hlg: the grid mapped to programs, every value in a layout.
//===----------------------------------------------------------------------===//
#include "HlgBuilder.h"

#include "helionc/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

namespace helionc::conversion {
#define GEN_PASS_DEF_CONVERTHLTOHLG
#include "helionc/Conversion/Passes.h.inc"
} // namespace helionc::conversion

Value HlgBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

static Value rootOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<hl::ViewOp>())
    tensor = view.getSource();
  return tensor;
}

static int64_t configInteger(hl::KernelOp kernel, StringRef name, int64_t otherwise) {
  DictionaryAttr config = kernel.getConfigAttr();
  auto value = config ? config.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : otherwise;
}

void HlgBuilder::bindArguments(hl::KernelOp kernel, Block &entry) {
  for (auto [from, to] : llvm::zip(kernel.getBody().getArguments(), entry.getArguments()))
    (isa<hl::TensorType>(from.getType()) ? pointers : scalars)[from] = to;
}

/// A multiple that every value the loop takes has: of begin, of the upper bound.
static int64_t multipleOf(int64_t value) { return value == 0 ? int64_t(1) << 30 : value & -value; }

LogicalResult HlgBuilder::bindSpans(hl::GridOp grid, int64_t &programs) {
  SmallVector<int64_t> counts, lowers, uppers;
  for (auto [lower, upper, span] : llvm::zip(grid.getLowers(), grid.getUppers(), grid.getBody().getArguments())) {
    APInt begin, end;
    if (!matchPattern(lower, m_ConstantInt(&begin)) || !matchPattern(upper, m_ConstantInt(&end)))
      return grid.emitError("the bounds of a parallel loop must be known when the kernel is compiled");
    int64_t extent = cast<IntegerAttr>(cast<hl::SpanType>(span.getType()).getExtent()).getInt();
    lowers.push_back(begin.getSExtValue());
    uppers.push_back(end.getSExtValue());
    counts.push_back(int64_t(llvm::divideCeil(std::max<int64_t>(uppers.back() - lowers.back(), 0), extent)));
  }
  programs = 1;
  for (int64_t count : counts)
    programs *= count;
  if (programs > 2147483647)
    return grid.emitError("the launch has ") << programs << " programs, more than the 2147483647 of a GPU's grid";
  Value rest = hlg::ProgramIdOp::create(b, b.getIndexType());
  SmallVector<Value> ids(counts.size());
  bool grouped = grouping > 1 && counts.size() >= 2;
  for (size_t i = counts.size(); i > (grouped ? 2u : 0u);) {
    --i;
    Value count = index(std::max<int64_t>(counts[i], 1));
    ids[i] = arith::RemUIOp::create(b, rest, count);
    rest = arith::DivUIOp::create(b, rest, count);
  }
  if (grouped) {
    int64_t rows = std::max<int64_t>(counts[0], 1), columns = std::max<int64_t>(counts[1], 1);
    Value size = index(grouping * columns);
    Value firstRow = arith::MulIOp::create(b, arith::DivUIOp::create(b, rest, size), index(grouping));
    Value inGroup = arith::RemUIOp::create(b, rest, size);
    Value height = arith::MinUIOp::create(b, arith::SubIOp::create(b, index(rows), firstRow), index(grouping));
    ids[0] = arith::AddIOp::create(b, firstRow, arith::RemUIOp::create(b, inGroup, height));
    ids[1] = arith::DivUIOp::create(b, inGroup, height);
  }
  for (auto [i, span] : llvm::enumerate(grid.getBody().getArguments())) {
    SpanInfo info;
    info.extent = cast<IntegerAttr>(cast<hl::SpanType>(span.getType()).getExtent()).getInt();
    info.blockId = ids[i];
    info.begin = arith::AddIOp::create(b, arith::MulIOp::create(b, ids[i], index(info.extent)), index(lowers[i]));
    info.upper = index(uppers[i]);
    info.beginMultiple = std::min(multipleOf(info.extent), multipleOf(lowers[i]));
    info.upperMultiple = multipleOf(uppers[i]);
    info.isExact = (uppers[i] - lowers[i]) % info.extent == 0;
    spans[span] = info;
  }
  return success();
}

LogicalResult HlgBuilder::emitLaunch(hl::KernelOp kernel, hl::GridOp grid, int64_t launch) {
  warps = configInteger(kernel, "num_warps", 4);
  grouping = configInteger(kernel, "l2_groupings", 1);
  // Sixteen bytes of the narrowest elements that are loaded.
  int64_t narrowest = 4;
  grid.walk([&](hl::LoadOp load) {
    narrowest = std::min<int64_t>(
        narrowest, std::max<int64_t>(1, load.getResult().getType().getElementType().getIntOrFloatBitWidth() / 8));
  });
  vectorElements = std::min<int64_t>(16 / narrowest, 8);
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(isa<hl::TensorType>(type) ? Type(LLVM::LLVMPointerType::get(b.getContext(), 1)) : type);
  std::string name = (kernel.getSymName() + "_" + Twine(launch)).str();
  auto function = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  kernel.walk([&](hl::StoreOp store) { storedRoots.insert(rootOf(store.getDest())); });
  grid.walk([&](hl::LoadOp load) { loadedRoots.insert(rootOf(load.getSource())); });
  bindArguments(kernel, *entry);
  for (Operation &op : kernel.getBody().front())
    if (!isa<hl::GridOp, hl::ReturnOp>(op) && failed(emitOp(op)))
      return failure();
  int64_t programs = 0;
  if (failed(bindSpans(grid, programs)) || failed(emitBlock(grid.getBody().front())) || hasFailed)
    return failure();
  func::ReturnOp::create(b);
  function->setAttr("helionc.grid", b.getDenseI64ArrayAttr({programs, 1, 1}));
  function->setAttr("helionc.block_threads", b.getI64IntegerAttr(32 * warps));
  return success();
}

LogicalResult HlgBuilder::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<hl::YieldOp>(op) && failed(emitOp(op)))
      return failure();
  return success();
}

Value HlgBuilder::scalarOf(Value original) {
  if (auto it = scalars.find(original); it != scalars.end())
    return it->second;
  if (Operation *op = original.getDefiningOp(); op && op->hasTrait<OpTrait::ConstantLike>())
    return b.clone(*op)->getResult(0);
  return original;
}

void HlgBuilder::emitScalarOp(Operation &op) {
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, scalarOf(operand));
  Operation *copy = b.clone(op, mapping);
  for (auto [from, to] : llvm::zip(op.getResults(), copy->getResults()))
    scalars[from] = to;
}

/// Whether a loop below uses the result, which would make it again in every step.
bool HlgBuilder::isUsedInside(Operation &op) {
  return llvm::any_of(op.getResults(), [&](Value result) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) { return user->getBlock() != op.getBlock(); });
  });
}

LogicalResult HlgBuilder::emitOp(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto view = dyn_cast<hl::ViewOp>(op)) {
    Value offset = arith::ConstantIntOp::create(b, b.getI64Type(), view.getOffset());
    Type element = view.getSource().getType().getElementType();
    Value pointer = pointers[view.getSource()];
    pointers[view.getResult()] =
        view.getOffset() == 0
            ? pointer
            : LLVM::GEPOp::create(b, pointer.getType(), element.isInteger(1) ? b.getI8Type() : element, pointer,
                                  ValueRange(offset))
                  .getResult();
    return success();
  }
  if (auto loop = dyn_cast<hl::LoopOp>(op))
    return emitLoop(loop);
  if (auto store = dyn_cast<hl::StoreOp>(op))
    return emitStore(store);
  if (isa<hl::IfOp>(op))
    return op.emitError("a branch on a device value is not supported on the GPU yet");
  if (auto begin = dyn_cast<hl::BeginOp>(op)) {
    scalars[begin.getResult()] = spans[begin.getSpan()].begin;
    return success();
  }
  if (auto end = dyn_cast<hl::EndOp>(op)) {
    const SpanInfo &info = spans[end.getSpan()];
    scalars[end.getResult()] =
        arith::MinSIOp::create(b, arith::AddIOp::create(b, info.begin, index(info.extent)), info.upper);
    return success();
  }
  if (auto id = dyn_cast<hl::BlockIdOp>(op)) {
    scalars[id.getResult()] = spans[id.getSpan()].blockId;
    return success();
  }
  if (auto extent = dyn_cast<hl::ExtentOp>(op)) {
    scalars[extent.getResult()] = index(cast<IntegerAttr>(extent.getValue()).getInt());
    return success();
  }
  if (!isa<hl::HLDialect>(op.getDialect())) {
    emitScalarOp(op);
    return success();
  }
  // A load must come before a later store to the same tensor; work used in a loop below is done once, here. The rest is
  // made where it is asked for.
  auto load = dyn_cast<hl::LoadOp>(op);
  bool early = (load && storedRoots.contains(rootOf(load.getSource()))) || (isUsedInside(op) && !isa<hl::FullOp>(op)) ||
               isa<hl::ReduceOp, hl::DotOp>(op);
  if (early) {
    Value result = op.getResult(0);
    get(result, naturalLayout(result));
  }
  return failure(hasFailed);
}

LogicalResult HlgBuilder::emitStore(hl::StoreOp store) {
  hl::TileType type = store.getValue().getType();
  hlg::Layout layout = blocked(store.getValue());
  Value value = get(store.getValue(), layout);
  Value mask = store.getMask() ? get(store.getMask(), layout) : Value();
  auto where = access(store, store.getDest(), store.getIndices(), store.getKinds(), type.getShape());
  if (failed(where) || hasFailed)
    return failure();
  // Other threads may have read these elements before, or may read them next.
  bool isShared = loadedRoots.contains(rootOf(store.getDest()));
  if (isShared)
    hlg::BarrierOp::create(b);
  hlg::StoreOp::create(b, value, where->pointer, where->base, where->limits, mask,
                       b.getDenseI64ArrayAttr(where->strides), b.getI64IntegerAttr(where->vector));
  if (isShared)
    hlg::BarrierOp::create(b);
  return success();
}

LogicalResult HlgBuilder::emitLoop(hl::LoopOp loop) {
  unsigned dims = loop.getSteps().size();
  if (dims != 1)
    return loop.emitError("a sequential loop over several dims is not supported on the GPU yet");
  auto carried = loop.getBody().getArguments().drop_front(dims);
  Operation *yield = loop.getBody().front().getTerminator();
  SmallVector<Value> inits;
  SmallVector<hlg::Layout> layouts;
  for (auto [i, init] : llvm::enumerate(loop.getInits())) {
    if (!isa<hl::TileType>(init.getType())) {
      layouts.emplace_back();
      inits.push_back(scalarOf(init));
      continue;
    }
    layouts.push_back(naturalLayout(yield->getOperand(i)));
    inits.push_back(get(init, layouts.back()));
  }
  Value span = loop.getBody().getArgument(0);
  SpanInfo info;
  info.extent = cast<IntegerAttr>(loop.getSteps()[0]).getInt();
  Value lower = scalarOf(loop.getLowers()[0]);
  info.upper = scalarOf(loop.getUppers()[0]);
  APInt begin, end;
  bool constantLower = matchPattern(loop.getLowers()[0], m_ConstantInt(&begin));
  bool constantUpper = matchPattern(loop.getUppers()[0], m_ConstantInt(&end));
  info.beginMultiple = constantLower ? std::min(multipleOf(info.extent), multipleOf(begin.getSExtValue())) : 1;
  info.upperMultiple = constantUpper ? multipleOf(end.getSExtValue()) : 1;
  info.isExact = constantLower && constantUpper && (end.getSExtValue() - begin.getSExtValue()) % info.extent == 0;
  auto outer = made;
  auto nest = scf::ForOp::create(b, lower, info.upper, index(info.extent), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    // A loop that carries nothing comes with its end.
    if (!nest.getBody()->empty())
      nest.getBody()->back().erase();
    b.setInsertionPointToEnd(nest.getBody());
    info.begin = nest.getInductionVar();
    info.blockId = arith::DivUIOp::create(b, arith::SubIOp::create(b, info.begin, lower), index(info.extent));
    spans[span] = info;
    for (auto [i, argument] : llvm::enumerate(carried)) {
      Value value = nest.getRegionIterArg(i);
      if (isa<hl::TileType>(argument.getType()))
        made[{argument.getAsOpaquePointer(),
              const_cast<void *>(toAttribute(b.getContext(), layouts[i]).getAsOpaquePointer())}] = value;
      else
        scalars[argument] = value;
    }
    if (failed(emitBlock(loop.getBody().front())))
      return failure();
    SmallVector<Value> next;
    for (auto [i, value] : llvm::enumerate(yield->getOperands()))
      next.push_back(isa<hl::TileType>(value.getType()) ? get(value, layouts[i]) : scalarOf(value));
    if (hasFailed)
      return failure();
    scf::YieldOp::create(b, next);
  }
  made = std::move(outer);
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    Value value = nest.getResult(i);
    if (isa<hl::TileType>(result.getType()))
      made[{Value(result).getAsOpaquePointer(),
            const_cast<void *>(toAttribute(b.getContext(), layouts[i]).getAsOpaquePointer())}] = value;
    else
      scalars[result] = value;
  }
  return success();
}

namespace {
struct ConvertHLToHLG : conversion::impl::ConvertHLToHLGBase<ConvertHLToHLG> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<hl::KernelOp>())) {
      for (Operation &op : kernel.getBody().front())
        if (isa<hl::ParamOp>(op)) {
          op.emitError("the kernel still has tuning parameters: run --hl-instantiate-config first");
          return signalPassFailure();
        }
      int64_t launch = 0;
      for (auto grid : kernel.getBody().getOps<hl::GridOp>()) {
        builder.setInsertionPoint(kernel);
        if (failed(HlgBuilder(builder, grid.getLoc()).emitLaunch(kernel, grid, launch++)))
          return signalPassFailure();
      }
      kernel.erase();
    }
  }
};
} // namespace
