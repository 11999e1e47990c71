//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Compiles one candidate for the tuner.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/CompileOperation.h"

#include "helionc/Artifact/SharedLibrary.h"
#include "helionc/Driver/TargetSelection.h"
#include "helionc/Pipeline/Registration.h"
#include "helionc/Support/Digest.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <chrono>

using namespace helionc;
using namespace helionc::driver;
namespace json = llvm::json;

namespace {

/// The module and the target of the last request: a worker compiles many configurations of one kernel.
struct CompileCache {
  std::string modulePath, targetName;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  pipeline::Target target;
};

json::Object failure(llvm::StringRef status, llvm::Error error) {
  return json::Object{{"status", status}, {"error", json::fixUTF8(llvm::toString(std::move(error)))}};
}

llvm::Error refresh(CompileCache &cache, llvm::StringRef modulePath, llvm::StringRef targetName) {
  if (cache.modulePath == modulePath && cache.targetName == targetName && cache.module)
    return llvm::Error::success();
  auto target = selectTarget(targetName);
  if (!target)
    return target.takeError();
  cache.module = {};
  mlir::DialectRegistry registry;
  pipeline::registerDialects(registry);
  cache.context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  cache.context->loadAllAvailableDialects();
  cache.module = mlir::parseSourceFile<mlir::ModuleOp>(modulePath, cache.context.get());
  if (!cache.module)
    return llvm::createStringError("the worker cannot read the kernel at " + modulePath);
  cache.target = std::move(*target);
  cache.modulePath = modulePath;
  cache.targetName = targetName;
  return llvm::Error::success();
}

} // namespace

json::Object helionc::driver::compileOperation(const json::Object &request) {
  static CompileCache cache;
  auto start = std::chrono::steady_clock::now();
  if (auto error =
          refresh(cache, request.getString("module").value_or(""), request.getString("target").value_or("cpu")))
    return failure("compile_error", std::move(error));
  pipeline::CompileOptions options;
  options.optLevel = int(request.getInteger("opt_level").value_or(3));
  options.assembleTimeout = request.getNumber("assemble_timeout").value_or(60);
  mlir::OwningOpRef<mlir::ModuleOp> copy(cache.module->clone());
  auto compiled = pipeline::compileKernel(std::move(copy), request.getString("config").value_or("{}"), cache.target,
                                          options, pipeline::Stage::Image);
  if (!compiled)
    return failure("compile_error", compiled.takeError());
  std::string digest = support::digest(compiled->image.code);
  if (auto error = artifact::writeSharedLibrary({std::move(compiled->image)}, request.getString("out").value_or("")))
    return failure("compile_error", std::move(error));
  double millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const pipeline::CompileStats &stats = compiled->stats;
  return json::Object{{"status", "ok"},
                      {"digest", digest},
                      {"compile_millis", millis},
                      {"registers", std::max<int64_t>(stats.registers, 0)},
                      {"spill_bytes", std::max<int64_t>(stats.spillBytes, 0)},
                      {"smem_bytes", std::max<int64_t>(stats.smemBytes, 0)},
                      {"scratch_bytes", std::max<int64_t>(stats.scratchBytes, 0)}};
}
