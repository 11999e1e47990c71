//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Concrete hl kernels to loops over vectors, one function a launch.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

#include "helionc/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace helionc;

namespace helionc::conversion {
#define GEN_PASS_DEF_CONVERTHLTOCPU
#include "helionc/Conversion/Passes.h.inc"
} // namespace helionc::conversion

namespace {
struct ConvertHLToCPU : conversion::impl::ConvertHLToCPUBase<ConvertHLToCPU> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<hl::KernelOp>())) {
      if (failed(convert(kernel, builder)))
        return signalPassFailure();
      kernel.erase();
    }
  }

  static LogicalResult convert(hl::KernelOp kernel, OpBuilder &builder) {
    for (Operation &op : kernel.getBody().front())
      if (isa<hl::ParamOp>(op))
        return op.emitError("the kernel still has tuning parameters: run --hl-instantiate-config first");
    conversion::CpuConfig config = conversion::CpuConfig::from(kernel.getConfigAttr());
    int64_t launch = 0;
    for (auto grid : kernel.getBody().getOps<hl::GridOp>()) {
      builder.setInsertionPoint(kernel);
      if (failed(conversion::CpuEmitter(builder, grid.getLoc(), config).emitLaunch(kernel, grid, launch++)))
        return failure();
    }
    return success();
  }
};
} // namespace
