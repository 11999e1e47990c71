//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The GPU tile dialect to one thread's program.
//===----------------------------------------------------------------------===//
#include "NvvmEmitter.h"

#include "helionc/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <cmath>

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

namespace helionc::conversion {
#define GEN_PASS_DEF_CONVERTHLGTONVVM
#include "helionc/Conversion/Passes.h.inc"
} // namespace helionc::conversion

Value NvvmEmitter::i32(int64_t value) { return arith::ConstantIntOp::create(b, b.getI32Type(), value); }
Value NvvmEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

static constexpr StringRef sharedName = "helion_shared";

LogicalResult NvvmEmitter::run(func::FuncOp func) {
  function = func;
  threads = func->getAttrOfType<IntegerAttr>("helionc.block_threads").getInt();
  Block *old = &func.getBody().front();
  OpBuilder::InsertionGuard guard(b);
  // The new body is built beside the old one, which then goes.
  auto *fresh = new Block();
  func.getBody().push_front(fresh);
  for (BlockArgument argument : old->getArguments())
    scalars[argument] = fresh->addArgument(argument.getType(), argument.getLoc());
  b.setInsertionPointToStart(fresh);
  Value tid = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  lane = arith::AndIOp::create(b, tid, i32(31));
  warp = arith::ShRUIOp::create(b, tid, i32(5));
  shared = LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 3), sharedName);
  if (failed(emitBlock(*old)) || hasFailed)
    return failure();
  old->dropAllDefinedValueUses();
  old->erase();
  func->setAttr("helionc.smem_bytes", b.getI64IntegerAttr(smemBytes));
  return success();
}

Value NvvmEmitter::scalarOf(Value original) {
  auto it = scalars.find(original);
  return it == scalars.end() ? original : it->second;
}

LogicalResult NvvmEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<scf::YieldOp>(op) && failed(emitOp(op)))
      return failure();
  return failure(hasFailed);
}

void NvvmEmitter::emitScalarOp(Operation &op) {
  IRMapping mapping;
  for (Value operand : op.getOperands())
    mapping.map(operand, scalarOf(operand));
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(scalarOf(operand));
  if (Value expanded = expandGpuMath(b, op, operands)) {
    scalars[op.getResult(0)] = expanded;
    return;
  }
  Operation *copy = b.clone(op, mapping);
  for (auto [from, to] : llvm::zip(op.getResults(), copy->getResults()))
    scalars[from] = to;
}

Value NvvmEmitter::cloneScalar(Operation &op, IRMapping &mapping) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  if (Value expanded = expandGpuMath(b, op, operands))
    return expanded;
  return b.clone(op, mapping)->getResult(0);
}

LogicalResult NvvmEmitter::emitFor(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs()) {
    if (isa<hlg::RegType>(init.getType()))
      inits.append(registers[init]);
    else
      inits.push_back(scalarOf(init));
  }
  auto fresh = scf::ForOp::create(b, scalarOf(loop.getLowerBound()), scalarOf(loop.getUpperBound()),
                                  scalarOf(loop.getStep()), inits);
  auto spread = [&](ValueRange flat, ValueRange originals) {
    size_t next = 0;
    for (Value original : originals) {
      if (!isa<hlg::RegType>(original.getType())) {
        scalars[original] = flat[next++];
        continue;
      }
      size_t count = size_t(toLayout(cast<hlg::RegType>(original.getType()).getLayout()).registerCount());
      registers[original] = Registers(flat.slice(next, count));
      next += count;
    }
  };
  scalars[loop.getInductionVar()] = fresh.getInductionVar();
  spread(ValueRange(fresh.getRegionIterArgs()), ValueRange(loop.getRegionIterArgs()));
  {
    OpBuilder::InsertionGuard guard(b);
    // A loop that carries nothing comes with its end.
    if (!fresh.getBody()->empty())
      fresh.getBody()->back().erase();
    b.setInsertionPointToEnd(fresh.getBody());
    auto outer = offsets;
    if (failed(emitBlock(*loop.getBody())))
      return failure();
    offsets = std::move(outer);
    SmallVector<Value> next;
    for (Value value : loop.getBody()->getTerminator()->getOperands()) {
      if (isa<hlg::RegType>(value.getType()))
        next.append(registers[value]);
      else
        next.push_back(scalarOf(value));
    }
    scf::YieldOp::create(b, next);
  }
  spread(fresh.getResults(), loop.getResults());
  return success();
}

/// Dims of 1 that come and go leave the order of registers as it is. A reordering of dims leaves the bits as they are
/// and reorders the repetition.
NvvmEmitter::Registers NvvmEmitter::viewRegisters(hlg::ViewOp view) {
  const Registers &values = registers[view.getSource()];
  if (!view.getOrder())
    return values;
  hlg::Layout source = toLayout(view.getSource().getType().getLayout());
  hlg::Layout result = toLayout(view.getResult().getType().getLayout());
  ArrayRef<int64_t> dims = *view.getOrder();
  Registers reordered;
  int64_t bits = int64_t(1) << source.reg.size();
  for (int64_t reg = 0, count = result.registerCount(); reg < count; ++reg) {
    int64_t rest = reg / bits;
    SmallVector<int64_t> places(source.rank);
    for (int64_t dim = result.rank - 1; dim >= 0; --dim) {
      places[dims[dim]] = rest % result.repeat[dim];
      rest /= result.repeat[dim];
    }
    int64_t number = 0;
    for (int64_t dim = 0; dim < source.rank; ++dim)
      number = number * source.repeat[dim] + places[dim];
    reordered.push_back(values[number * bits + reg % bits]);
  }
  return reordered;
}

LogicalResult NvvmEmitter::emitOp(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (isa<func::ReturnOp>(op)) {
    func::ReturnOp::create(b);
    return success();
  }
  if (auto id = dyn_cast<hlg::ProgramIdOp>(op)) {
    Value block = NVVM::BlockIdXOp::create(b, b.getI32Type());
    scalars[id.getResult()] = arith::IndexCastUIOp::create(b, b.getIndexType(), block);
    return success();
  }
  if (auto store = dyn_cast<hlg::StoreOp>(op)) {
    emitStore(store);
    return failure(hasFailed);
  }
  if (isa<hlg::BarrierOp>(op)) {
    barrier();
    return success();
  }
  if (!isa<hlg::HLGDialect>(op.getDialect())) {
    emitScalarOp(op);
    return success();
  }
  Value result = op.getResult(0);
  auto type = cast<hlg::RegType>(result.getType());
  hlg::Layout layout = toLayout(type.getLayout());
  int64_t count = layout.registerCount();
  Registers values;
  if (auto full = dyn_cast<hlg::FullOp>(op)) {
    values.assign(size_t(count), scalarOf(full.getValue()));
  } else if (auto iota = dyn_cast<hlg::IotaOp>(op)) {
    // The sum is as wide as the elements: an index may need more than 32 bits.
    Type element = type.getElementType();
    Value start = scalarOf(iota.getStart());
    if (!element.isIndex())
      start = arith::IndexCastOp::create(b, element, start);
    for (int64_t reg = 0; reg < count; ++reg) {
      Value at = elementIndex(layout, reg, iota.getDim());
      if (element.isIndex())
        at = arith::IndexCastOp::create(b, element, at);
      else if (element.getIntOrFloatBitWidth() > 32)
        at = arith::ExtSIOp::create(b, element, at);
      else if (element.getIntOrFloatBitWidth() < 32)
        at = arith::TruncIOp::create(b, element, at);
      values.push_back(arith::AddIOp::create(b, start, at));
    }
  } else if (auto load = dyn_cast<hlg::LoadOp>(op)) {
    values = emitLoad(load);
  } else if (auto map = dyn_cast<hlg::MapOp>(op)) {
    Block &body = map.getBody().front();
    for (int64_t reg = 0; reg < count; ++reg) {
      IRMapping mapping;
      for (Operation &inner : body)
        for (Value operand : inner.getOperands())
          if (operand.getParentBlock() != &body)
            mapping.map(operand, scalarOf(operand));
      for (auto [argument, input] : llvm::zip(body.getArguments(), map.getInputs()))
        mapping.map(argument, registers[input][reg]);
      for (Operation &inner : body.without_terminator())
        mapping.map(inner.getResult(0), cloneScalar(inner, mapping));
      values.push_back(mapping.lookupOrDefault(cast<hlg::YieldOp>(body.getTerminator()).getValue()));
    }
  } else if (auto broadcast = dyn_cast<hlg::BroadcastOp>(op)) {
    hlg::Layout source = toLayout(broadcast.getSource().getType().getLayout());
    for (int64_t reg = 0; reg < count; ++reg) {
      hlg::Index offset = layout.registerOffset(reg);
      for (auto [dim, from, to] : llvm::enumerate(broadcast.getSource().getType().getShape(), type.getShape()))
        if (from != to)
          offset[dim] = 0;
      values.push_back(registers[broadcast.getSource()][source.findRegister(offset)]);
    }
  } else if (auto view = dyn_cast<hlg::ViewOp>(op)) {
    values = viewRegisters(view);
  } else if (auto convert = dyn_cast<hlg::ConvertLayoutOp>(op)) {
    values = emitConvert(convert);
  } else if (auto reduce = dyn_cast<hlg::ReduceOp>(op)) {
    values = emitReduce(reduce);
  } else if (auto dot = dyn_cast<hlg::DotOp>(op)) {
    values = emitDot(dot);
  } else {
    return op.emitError("cannot be lowered to NVVM");
  }
  registers[result] = std::move(values);
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// Mathematical functions
//===----------------------------------------------------------------------===//

Value helionc::conversion::expandGpuMath(ImplicitLocOpBuilder &b, Operation &op, ValueRange operands) {
  auto type = operands.empty() ? FloatType() : dyn_cast<FloatType>(operands[0].getType());
  if (!type || !type.isF32())
    return {};
  auto approximate = [&](StringRef intrinsic, Value x) -> Value {
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(intrinsic), ValueRange(x)).getResult(0);
  };
  auto scaled = [&](Value x, double factor) -> Value {
    return arith::MulFOp::create(b, x, arith::ConstantOp::create(b, b.getF32FloatAttr(float(factor))));
  };
  Value x = operands[0];
  if (isa<math::Exp2Op>(op))
    return approximate("llvm.nvvm.ex2.approx", x);
  if (isa<math::ExpOp>(op))
    return approximate("llvm.nvvm.ex2.approx", scaled(x, M_LOG2E));
  if (isa<math::Log2Op>(op))
    return approximate("llvm.nvvm.lg2.approx.f", x);
  if (isa<math::LogOp>(op))
    return scaled(approximate("llvm.nvvm.lg2.approx.f", x), M_LN2);
  if (isa<math::RsqrtOp>(op))
    return approximate("llvm.nvvm.rsqrt.approx.f", x);
  return {};
}

namespace {
struct ConvertHLGToNVVM : conversion::impl::ConvertHLGToNVVMBase<ConvertHLGToNVVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module.getBodyRegion());
    // External and without a size: LLVM must not reason about who writes it.
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External, sharedName,
                           Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function->hasAttr("helionc.block_threads"))
        continue;
      if (!function.getBody().hasOneBlock())
        return (void)function.emitError("a launch must have one block"), signalPassFailure();
      for (Type type : function.getArgumentTypes())
        if (isa<hlg::RegType>(type))
          return (void)function.emitError("a launch takes pointers and scalars, not tiles"), signalPassFailure();
      builder.setInsertionPoint(function);
      if (failed(conversion::NvvmEmitter(builder, function.getLoc()).run(function)))
        return signalPassFailure();
    }
  }
};
} // namespace
