//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tunes each symbolic kernel through a service and instantiates the winner.
//===----------------------------------------------------------------------===//
#include "helionc/Pipeline/AutotunePass.h"

#include "helionc/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace helionc;

namespace helionc::pipeline {
#define GEN_PASS_DEF_AUTOTUNE
#include "helionc/Pipeline/Passes.h.inc"
} // namespace helionc::pipeline

namespace {
struct Autotune : pipeline::impl::AutotuneBase<Autotune> {
  using AutotuneBase::AutotuneBase;
  Autotune() = default;
  Autotune(const Autotune &other) : AutotuneBase(other), service(other.service), failure(other.failure) {}
  Autotune(std::shared_ptr<pipeline::TuneService> service, llvm::Error *failure)
      : service(std::move(service)), failure(failure) {}

  void runOnOperation() override {
    if (!service)
      service = pipeline::createRecordedTuneService(strategy, measurements, candidates, seed);
    // Holds after it: every kernel is concrete, with the record of how its configuration was chosen.
    auto kernels = getOperation().getOps<hl::KernelOp>();
    if (std::distance(kernels.begin(), kernels.end()) > 1) {
      getOperation().emitError("a module to tune holds one kernel");
      return signalPassFailure();
    }
    for (auto kernel : kernels)
      if (failed(tune(kernel)))
        return signalPassFailure();
  }

  LogicalResult tune(hl::KernelOp kernel) {
    llvm::Expected<pipeline::TuningOutcome> outcome = service->tune(kernel);
    if (!outcome) {
      if (!failure)
        return kernel.emitError() << llvm::toString(outcome.takeError());
      *failure = llvm::joinErrors(std::move(*failure), outcome.takeError());
      return mlir::failure();
    }
    OpPassManager instantiate(ModuleOp::getOperationName());
    instantiate.addPass(transforms::createInstantiateConfig({outcome->config}));
    if (failed(runPipeline(instantiate, getOperation())))
      return mlir::failure();
    Builder builder(kernel.getContext());
    kernel->setAttr("hl.tuned", builder.getStringAttr(outcome->config));
    kernel->setAttr("hl.tuning", builder.getStringAttr(outcome->record));
    return success();
  }

  std::shared_ptr<pipeline::TuneService> service;
  llvm::Error *failure = nullptr;
};
} // namespace

std::unique_ptr<Pass> helionc::pipeline::createAutotunePass(std::shared_ptr<TuneService> service,
                                                            llvm::Error *failure) {
  return std::make_unique<Autotune>(std::move(service), failure);
}
