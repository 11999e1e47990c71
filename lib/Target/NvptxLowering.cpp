//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The passes from one thread's program to the LLVM dialect.
//===----------------------------------------------------------------------===//
#include "helionc/Target/MathExpansion.h"
#include "helionc/Target/NvptxTarget.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {

struct ExpandGpuMath : PassWrapper<ExpandGpuMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandGpuMath)
  StringRef getArgument() const override { return "gpu-expand-math"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, vector::VectorDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    helionc::target::populateMathExpansionPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

/// Everything to the LLVM dialect; functions with a launch become kernels of exactly their number of threads.
struct ConvertGpuToLLVM : PassWrapper<ConvertGpuToLLVM, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertGpuToLLVM)
  StringRef getArgument() const override { return "gpu-convert-to-llvm"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }
  void runOnOperation() override {
    LLVMTypeConverter converter(&getContext());
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    RewritePatternSet patterns(&getContext());
    populateFuncToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    Builder builder(&getContext());
    getOperation().walk([&](LLVM::LLVMFuncOp function) {
      auto threads = function->getAttrOfType<IntegerAttr>("helionc.block_threads");
      if (!threads)
        return;
      function->setAttr("nvvm.kernel", builder.getUnitAttr());
      function->setAttr("nvvm.maxntid", builder.getDenseI32ArrayAttr({int32_t(threads.getInt()), 1, 1}));
      // Without it ptxas guesses an occupancy, and spills for it.
      function->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1));
    });
  }
};

} // namespace

void helionc::target::buildGpuLoweringPipeline(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(std::make_unique<ExpandGpuMath>());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(std::make_unique<ConvertGpuToLLVM>());
  passes.addPass(createReconcileUnrealizedCastsPass());
}
