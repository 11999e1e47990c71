//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The pass that turns concrete hl kernels into one CPU function a launch.
//===----------------------------------------------------------------------===//
//
// A tile is not a value of the generated code: it is an expression that is evaluated, vector by vector, where it is
// consumed. x = load; y = exp(x) * 2; store y becomes one loop with a load, the arithmetic and a store in it. A tile
// gets memory (a buffer in the thread's scratch space) only where evaluating it again costs more, or would be wrong:
// results of reductions and dots, values that a loop carries, expensive values with several consumers, loads from a
// tensor that the launch also writes. Why not vectors as SSA values: a tile has thousands of elements, and a program of
// one instruction per vector neither compiles quickly nor fits the instruction cache.
//
// Loops stop at the real extent of a span where padding does not matter (stores; reductions and dots over neutral
// padding), so that most code has no masks; where the last vector is not full one masked vector follows the loop.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"
#include "helionc/Conversion/CpuTunables.h"
#include "helionc/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

namespace helionc::conversion {
#define GEN_PASS_DEF_CONVERTHLTOCPU
#include "helionc/Conversion/Passes.h.inc"
} // namespace helionc::conversion

/// An integer of the configuration, or the documented default.
static int64_t option(hl::KernelOp kernel, StringRef key) {
  const conversion::CpuTunable *tunable = conversion::findCpuTunable(key);
  DictionaryAttr config = kernel.getConfigAttr();
  auto value = config ? dyn_cast_or_null<IntegerAttr>(config.get(key)) : IntegerAttr();
  return value ? std::clamp(value.getInt(), tunable->minimum, tunable->maximum) : tunable->defaultValue;
}

static CpuOptions readOptions(hl::KernelOp kernel) {
  CpuOptions options;
  options.vectorWidth = int64_t(llvm::bit_floor(uint64_t(option(kernel, "vector_width"))));
  options.dotTileM = option(kernel, "dot_tile_m");
  options.dotTileN = option(kernel, "dot_tile_n");
  options.unroll = option(kernel, "unroll");
  options.numThreads = option(kernel, "num_threads");
  options.l2Grouping = option(kernel, "l2_groupings");
  return options;
}

/// The order in which the configuration walks the grid's dims: "loop_orders.<launch>", outermost first.
static SmallVector<int64_t> readOrder(hl::KernelOp kernel, unsigned launch, unsigned dims) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, dims));
  DictionaryAttr config = kernel.getConfigAttr();
  auto value = config ? config.getAs<DenseI64ArrayAttr>("loop_orders." + std::to_string(launch)) : DenseI64ArrayAttr();
  if (!value)
    return order;
  SmallVector<int64_t> sorted(value.asArrayRef());
  llvm::sort(sorted);
  return sorted == order ? SmallVector<int64_t>(value.asArrayRef()) : order;
}

static LogicalResult checkGrid(hl::GridOp grid) {
  for (auto [lower, upper] : llvm::zip(grid.getLowers(), grid.getUppers()))
    if (!constantOf(lower) || !constantOf(upper))
      return grid.emitError("the bounds of a grid must be known when the kernel is compiled");
  if (!grid->getParentOfType<hl::KernelOp>().getBody().getOps<hl::ParamOp>().empty())
    return grid.emitError("the kernel still has tuning parameters; run --hl-instantiate-config first");
  return success();
}

static int64_t programsOf(hl::GridOp grid) {
  int64_t programs = 1;
  for (auto [lower, upper, step] : llvm::zip(grid.getLowers(), grid.getUppers(), grid.getSteps())) {
    int64_t extent = std::max<int64_t>(0, *constantOf(upper) - *constantOf(lower));
    programs *= llvm::divideCeil(extent, cast<IntegerAttr>(step).getInt());
  }
  return programs;
}

namespace {

class KernelConverter {
public:
  KernelConverter(hl::KernelOp kernel) : kernel(kernel), options(readOptions(kernel)) {}
  LogicalResult run();

private:
  LogicalResult convertLaunch(hl::GridOp grid, unsigned index);
  func::FuncOp createBody(StringRef name);
  func::FuncOp createEntry(StringRef name, func::FuncOp body);

  hl::KernelOp kernel;
  CpuOptions options;
};

struct ConvertHLToCPU : conversion::impl::ConvertHLToCPUBase<ConvertHLToCPU> {
  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<hl::KernelOp>())) {
      if (failed(KernelConverter(kernel).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace

/// The launch's code: a pointer or value for each argument, the program, the scratch space. Arguments do not overlap.
func::FuncOp KernelConverter::createBody(StringRef name) {
  CpuBuilder b(kernel.getLoc(), kernel.getContext());
  b.setInsertionPoint(kernel);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> inputs;
  for (Type type : kernel.getArgumentTypes())
    inputs.push_back(isa<hl::TensorType>(type) ? pointer : type);
  inputs.push_back(b.getIndexType());
  inputs.push_back(pointer);
  auto function = func::FuncOp::create(b, name, b.getFunctionType(inputs, {}));
  function.setPrivate();
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  for (auto [i, type] : llvm::enumerate(inputs))
    if (type == pointer)
      function.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  function.addEntryBlock();
  return function;
}

/// void name(void **arguments, int64_t program, void *scratch): unpacks the arguments.
func::FuncOp KernelConverter::createEntry(StringRef name, func::FuncOp body) {
  CpuBuilder b(kernel.getLoc(), kernel.getContext());
  b.setInsertionPoint(kernel);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = func::FuncOp::create(b, name, b.getFunctionType({pointer, b.getI64Type(), pointer}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Value> operands;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Value slot = b.address(function.getArgument(0), b.index(i), b.getI64Type());
    Value address = LLVM::LoadOp::create(b, pointer, slot);
    operands.push_back(isa<hl::TensorType>(type) ? address : b.load(address, type, 1));
  }
  operands.push_back(arith::IndexCastOp::create(b, b.getIndexType(), function.getArgument(1)));
  operands.push_back(function.getArgument(2));
  func::CallOp::create(b, body, operands);
  func::ReturnOp::create(b);
  return function;
}

LogicalResult KernelConverter::convertLaunch(hl::GridOp grid, unsigned index) {
  if (failed(checkGrid(grid)))
    return failure();
  std::string name = kernel.getSymName().str() + "_" + std::to_string(index);
  func::FuncOp body = createBody(name + "_body");
  unsigned arguments = kernel.getNumArguments();
  CpuBuilder b(grid.getLoc(), kernel.getContext());
  b.setInsertionPointToStart(&body.getBody().front());
  LaunchEmitter emitter(b, options, body.getArgument(arguments + 1));
  emitter.zero = b.index(0);
  for (auto [from, to] : llvm::zip(kernel.getBody().getArguments(), body.getArguments())) {
    if (isa<hl::TensorType>(from.getType()))
      emitter.addTensor(from, to);
    else
      emitter.addScalar(from, to);
  }
  for (Operation &op : kernel.getBody().front()) {
    if (isa<hl::GridOp, hl::ReturnOp>(op) || isa<hl::ParamOp, hl::RequireOp>(op))
      continue;
    if (failed(emitter.emitOp(op)))
      return failure();
  }
  if (failed(emitter.emitGrid(grid, body.getArgument(arguments), readOrder(kernel, index, grid.getSteps().size()))))
    return failure();
  func::ReturnOp::create(b);
  func::FuncOp entry = createEntry(name, body);
  entry->setAttr("helionc.grid", b.getDenseI64ArrayAttr({programsOf(grid), 1, 1}));
  entry->setAttr("helionc.scratch_bytes", b.getI64IntegerAttr(emitter.scratchBytes()));
  entry->setAttr("helionc.num_threads", b.getI64IntegerAttr(options.numThreads));
  return success();
}

LogicalResult KernelConverter::run() {
  unsigned index = 0;
  for (auto grid : kernel.getBody().getOps<hl::GridOp>())
    if (failed(convertLaunch(grid, index++)))
      return failure();
  return success();
}
