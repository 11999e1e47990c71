//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// One launch: arguments, the program's place in the grid, operations in order.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

CpuConfig CpuConfig::from(DictionaryAttr values) {
  CpuConfig config;
  auto read = [&](StringRef name, int64_t &field) {
    if (auto integer = values ? values.getAs<IntegerAttr>(name) : IntegerAttr())
      field = integer.getInt();
  };
  read("vector_width", config.vectorWidth);
  read("dot_tile_m", config.dotTileM);
  read("dot_tile_n", config.dotTileN);
  read("unroll", config.unroll);
  read("num_threads", config.numThreads);
  read("l2_groupings", config.grouping);
  if (auto pack = values ? values.getAs<BoolAttr>("dot_pack") : BoolAttr())
    config.packRhs = pack.getValue();
  return config;
}

Value CpuEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

static Value rootOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<hl::ViewOp>())
    tensor = view.getSource();
  return tensor;
}

bool CpuEmitter::isStoredTo(Value tensor) { return storedRoots.contains(rootOf(tensor)); }

void CpuEmitter::bindArguments(hl::KernelOp kernel, Value arguments) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Value slot = LLVM::GEPOp::create(b, pointer, pointer, arguments,
                                     llvm::ArrayRef<LLVM::GEPArg>{int32_t(argument.getArgNumber())});
    Value data = LLVM::LoadOp::create(b, pointer, slot);
    if (isa<hl::TensorType>(argument.getType()))
      pointers[argument] = data;
    else
      scalars[argument] = LLVM::LoadOp::create(b, argument.getType(), data);
  }
}

/// Views and scalar operations outside the loops.
LogicalResult CpuEmitter::emitHostOps(hl::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    if (isa<hl::GridOp, hl::ReturnOp>(op))
      continue;
    if (mlir::failed(emitOp(op)))
      return failure();
  }
  return success();
}

LogicalResult CpuEmitter::bindSpans(hl::GridOp grid, Value program, int64_t &programs) {
  SmallVector<int64_t> counts, lowers;
  for (auto [lower, upper, span] : llvm::zip(grid.getLowers(), grid.getUppers(), grid.getBody().getArguments())) {
    APInt begin, end;
    if (!matchPattern(lower, m_ConstantInt(&begin)) || !matchPattern(upper, m_ConstantInt(&end)))
      return grid.emitError("the bounds of a parallel loop must be known when the kernel is compiled");
    int64_t extent = cast<IntegerAttr>(cast<hl::SpanType>(span.getType()).getExtent()).getInt();
    int64_t length = std::max<int64_t>(end.getSExtValue() - begin.getSExtValue(), 0);
    counts.push_back(int64_t(llvm::divideCeil(length, extent)));
    lowers.push_back(begin.getSExtValue());
  }
  programs = 1;
  for (int64_t count : counts)
    programs *= count;
  SmallVector<Value> ids(counts.size());
  Value rest = program;
  bool grouped = config.grouping > 1 && counts.size() >= 2;
  for (size_t i = counts.size(); i > (grouped ? 2u : 0u);) {
    --i;
    Value count = index(std::max<int64_t>(counts[i], 1));
    ids[i] = arith::RemUIOp::create(b, rest, count);
    rest = arith::DivUIOp::create(b, rest, count);
  }
  if (grouped) {
    // Groups of blocks of the first dim run through the second together.
    int64_t rows = std::max<int64_t>(counts[0], 1), columns = std::max<int64_t>(counts[1], 1);
    Value groupSize = index(config.grouping * columns);
    Value group = arith::DivUIOp::create(b, rest, groupSize);
    Value inGroup = arith::RemUIOp::create(b, rest, groupSize);
    Value firstRow = arith::MulIOp::create(b, group, index(config.grouping));
    Value height = arith::MinUIOp::create(b, arith::SubIOp::create(b, index(rows), firstRow), index(config.grouping));
    ids[0] = arith::AddIOp::create(b, firstRow, arith::RemUIOp::create(b, inGroup, height));
    ids[1] = arith::DivUIOp::create(b, inGroup, height);
  }
  for (auto [i, span] : llvm::enumerate(grid.getBody().getArguments())) {
    SpanInfo info;
    info.extent = cast<IntegerAttr>(cast<hl::SpanType>(span.getType()).getExtent()).getInt();
    info.blockId = ids[i];
    info.begin = arith::AddIOp::create(b, arith::MulIOp::create(b, ids[i], index(info.extent)), index(lowers[i]));
    info.upper = scalarOf(grid.getUppers()[i]);
    APInt end;
    matchPattern(grid.getUppers()[i], m_ConstantInt(&end));
    if ((end.getSExtValue() - lowers[i]) % info.extent == 0)
      info.constantCount = info.extent;
    spans[span] = info;
  }
  return success();
}

LogicalResult CpuEmitter::emitLaunch(hl::KernelOp kernel, hl::GridOp grid, int64_t launch) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = b.getFunctionType({pointer, b.getI64Type(), pointer}, {});
  std::string name = (kernel.getSymName() + "_" + Twine(launch)).str();
  auto function = func::FuncOp::create(b, name, type);
  Block *body = function.addEntryBlock();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  scratch = body->getArgument(2);
  kernel.walk([&](hl::StoreOp store) { storedRoots.insert(rootOf(store.getDest())); });
  kernel.walk([&](Operation *op) {
    hasIntegerDivision |= isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::DivUIOp, arith::RemUIOp>(op);
  });
  bindArguments(kernel, body->getArgument(0));
  Value program = arith::IndexCastOp::create(b, b.getIndexType(), body->getArgument(1));
  int64_t programs = 0;
  if (mlir::failed(emitHostOps(kernel)) || mlir::failed(bindSpans(grid, program, programs)) ||
      mlir::failed(emitBlock(grid.getBody().front())) || failed)
    return failure();
  func::ReturnOp::create(b);
  function->setAttr("helionc.grid", b.getDenseI64ArrayAttr({programs, 1, 1}));
  function->setAttr("helionc.scratch_bytes", b.getI64IntegerAttr(scratchBytes));
  function->setAttr("helionc.num_threads", b.getI64IntegerAttr(config.numThreads));
  return success();
}

LogicalResult CpuEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<hl::YieldOp>(op) && mlir::failed(emitOp(op)))
      return failure();
  return success();
}

Value CpuEmitter::scalarOf(Value original) {
  auto it = scalars.find(original);
  if (it != scalars.end())
    return it->second;
  // Constants are made where they are needed.
  if (Operation *op = original.getDefiningOp(); op && op->hasTrait<OpTrait::ConstantLike>())
    return b.clone(*op)->getResult(0);
  return original;
}

void CpuEmitter::emitScalarOp(Operation &op) {
  IRMapping mapping;
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    Value value = scalarOf(operand);
    mapping.map(operand, value);
    operands.push_back(value);
  }
  if (Value expanded = expandMath(b, op, operands)) {
    scalars[op.getResult(0)] = expanded;
    return;
  }
  Operation *copy = b.clone(op, mapping);
  for (auto [from, to] : llvm::zip(op.getResults(), copy->getResults()))
    scalars[from] = to;
}

LogicalResult CpuEmitter::emitOp(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto view = dyn_cast<hl::ViewOp>(op)) {
    Address address{pointers.lookup(view.getSource()), {}, view.getSource().getType().getElementType(), 0};
    pointers[view.getResult()] = pointerAt(address, index(view.getOffset()));
    return success();
  }
  if (auto loop = dyn_cast<hl::LoopOp>(op))
    return emitLoop(loop);
  if (auto branch = dyn_cast<hl::IfOp>(op))
    return emitIf(branch);
  if (auto store = dyn_cast<hl::StoreOp>(op))
    return emitStore(store);
  if (auto reduce = dyn_cast<hl::ReduceOp>(op))
    return emitReduce(reduce);
  if (auto dot = dyn_cast<hl::DotOp>(op))
    return emitDot(dot);
  if (auto begin = dyn_cast<hl::BeginOp>(op)) {
    scalars[begin.getResult()] = spans[begin.getSpan()].begin;
    return success();
  }
  if (auto end = dyn_cast<hl::EndOp>(op)) {
    const SpanInfo &info = spans[end.getSpan()];
    Value last = arith::AddIOp::create(b, info.begin, index(info.extent));
    scalars[end.getResult()] = arith::MinSIOp::create(b, last, info.upper);
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
  // A tile of rank 0 is one scalar; other tiles are evaluated where they are used, unless a buffer pays.
  Value result = op.getResult(0);
  if (cast<hl::TileType>(result.getType()).getRank() == 0) {
    scalars[result] = evaluate(result, {}, -1, {});
    return success();
  }
  if (auto reshape = dyn_cast<hl::ReshapeOp>(op)) {
    auto notUnit = [](int64_t size) { return size != 1; };
    SmallVector<int64_t> from = reshape.getSource().getType().getShape(), to = reshape.getResult().getType().getShape();
    bool regroups = !llvm::equal(llvm::make_filter_range(from, notUnit), llvm::make_filter_range(to, notUnit));
    if (regroups) {
      if (!buffers.count(reshape.getSource()))
        materialize(reshape.getSource());
      Buffer buffer = buffers[reshape.getSource()];
      buffer.strides = hl::TensorType::contiguousStrides(to);
      buffers[result] = buffer;
    }
    return success();
  }
  if (needsBuffer(&op))
    materialize(result);
  return success();
}

LogicalResult CpuEmitter::emitStore(hl::StoreOp store) {
  SmallVector<Value> counts;
  SmallVector<int64_t> constants;
  hl::TileType type = store.getValue().getType();
  extents(store.getValue(), counts, constants);
  // The spans that index the tensor bound what is written.
  unsigned dim = 0;
  auto next = store.getIndices().begin();
  for (int32_t kind : store.getKinds()) {
    if (hl::IndexKind(kind) == hl::IndexKind::Full) {
      ++dim;
      continue;
    }
    Value operand = *next++;
    if (hl::IndexKind(kind) == hl::IndexKind::Span) {
      counts[dim] = spanCount(operand, constants[dim]);
      ++dim;
    } else if (hl::IndexKind(kind) == hl::IndexKind::Gather) {
      dim += cast<hl::TileType>(operand.getType()).getRank();
    }
  }
  int64_t vectorDim = type.getRank() - 1;
  forEach(counts, constants, [&](const Indices &indices, const Lanes &given) {
    Lanes lanes = given;
    Value value = evaluate(store.getValue(), indices, vectorDim, lanes);
    if (store.getMask()) {
      Value mask = evaluate(store.getMask(), indices, vectorDim, lanes);
      if (lanes.width == 1) {
        auto branch = scf::IfOp::create(b, mask, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        auto address = tensorAddress(store.getDest(), store.getIndices(), store.getKinds(), indices, vectorDim);
        if (mlir::succeeded(address))
          storeLanes(*address, value, lanes);
        return;
      }
      mask = splat(mask, lanes.width);
      lanes.mask = lanes.mask ? arith::AndIOp::create(b, lanes.mask, mask).getResult() : mask;
      if (!lanes.last)
        lanes.last = arith::AddIOp::create(b, indices.back(), index(lanes.width - 1));
    }
    auto address = tensorAddress(store.getDest(), store.getIndices(), store.getKinds(), indices, vectorDim);
    if (mlir::succeeded(address))
      storeLanes(*address, splat(value, lanes.width), lanes);
  });
  return failure(failed);
}
