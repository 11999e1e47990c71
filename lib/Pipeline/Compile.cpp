//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Orders the passes from a symbolic kernel to code.
//===----------------------------------------------------------------------===//
#include "helionc/Pipeline/Compile.h"

#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Conversion/Passes.h"
#include "helionc/Dialect/HL/HL.h"
#include "helionc/Pipeline/ImageBuilder.h"
#include "helionc/Target/CpuTarget.h"
#include "helionc/Target/NvptxTarget.h"
#include "helionc/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace helionc;
using namespace helionc::pipeline;

namespace {

double millisSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Collects the errors (and their notes) that MLIR reports while it lives.
class DiagnosticText {
public:
  explicit DiagnosticText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return;
          llvm::raw_string_ostream os(text);
          os << (text.empty() ? "" : "\n") << diagnostic.str();
          for (Diagnostic &note : diagnostic.getNotes())
            os << "\n  " << note.str();
        }) {}
  llvm::Error takeError(const Twine &context) {
    return llvm::createStringError(context + (text.empty() ? Twine(": no reason was given") : ": " + Twine(text)));
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  os << '\n';
  return text;
}

llvm::Error run(ModuleOp module, llvm::function_ref<void(PassManager &)> build, const Twine &what) {
  PassManager passes(module.getContext());
  build(passes);
  DiagnosticText diagnostics(module.getContext());
  if (failed(passes.run(module)))
    return diagnostics.takeError(what);
  return llvm::Error::success();
}

/// Every size is an integer; parameters and requirements are gone.
llvm::Error instantiate(ModuleOp module, StringRef config) {
  return run(
      module,
      [&](PassManager &passes) {
        passes.addPass(transforms::createInstantiateConfig({config.str()}));
        passes.addPass(createCanonicalizerPass());
        passes.addPass(createCSEPass());
      },
      "the configuration cannot be used");
}

llvm::Expected<Compiled> lowerForCpu(ModuleOp module, const Target &target, const CompileOptions &options, Stage stage,
                                     Compiled compiled) {
  auto start = std::chrono::steady_clock::now();
  // Loops over vectors, one function a launch.
  if (auto error = run(
          module, [](PassManager &passes) { passes.addPass(conversion::createConvertHLToCPU()); },
          "the kernel cannot be lowered for the CPU"))
    return std::move(error);
  if (stage == Stage::Vector) {
    compiled.text = print(module);
    return compiled;
  }
  // The LLVM dialect only.
  if (auto error = run(module, target::buildCpuLoweringPipeline, "the kernel cannot be lowered to LLVM"))
    return std::move(error);
  compiled.stats.passMillis = millisSince(start);
  if (stage == Stage::LLVM || stage == Stage::Asm) {
    auto text = stage == Stage::LLVM ? target::emitCpuLLVMIR(module, options.optLevel)
                                     : target::emitCpuAssembly(module, options.optLevel);
    if (!text)
      return text.takeError();
    compiled.text = std::move(*text);
    return compiled;
  }
  start = std::chrono::steady_clock::now();
  auto object = target::emitCpuObject(module, options.optLevel);
  if (!object)
    return object.takeError();
  compiled.stats.codegenMillis = millisSince(start);
  compiled.text = *object;
  compiled.image.code = std::move(*object);
  if (auto error = readLaunches(module, compiled.image))
    return std::move(error);
  for (const artifact::Launch &launch : compiled.image.launches)
    compiled.stats.scratchBytes = std::max(compiled.stats.scratchBytes, launch.scratchBytes);
  return compiled;
}

llvm::Expected<Compiled> lowerForGpu(ModuleOp module, const Target &target, const CompileOptions &options, Stage stage,
                                     Compiled compiled) {
  auto start = std::chrono::steady_clock::now();
  // Grid mapped, every value has a layout.
  if (auto error = run(
          module, [](PassManager &passes) { passes.addPass(conversion::createConvertHLToHLG()); },
          "the kernel cannot be mapped to the GPU"))
    return std::move(error);
  if (stage == Stage::HLG) {
    compiled.text = print(module);
    return compiled;
  }
  // One thread's program, in the NVVM and LLVM dialects only.
  if (auto error = run(
          module,
          [](PassManager &passes) {
            passes.addPass(createCanonicalizerPass());
            passes.addPass(createCSEPass());
            passes.addPass(conversion::createConvertHLGToNVVM());
            target::buildGpuLoweringPipeline(passes);
          },
          "the kernel cannot be lowered for the GPU"))
    return std::move(error);
  compiled.stats.passMillis = millisSince(start);
  if (stage == Stage::NVVM) {
    compiled.text = print(module);
    return compiled;
  }
  if (auto error = readLaunches(module, compiled.image))
    return std::move(error);
  start = std::chrono::steady_clock::now();
  auto text = stage == Stage::LLVM ? target::emitGpuLLVMIR(module, *target.gpu, options.optLevel)
                                   : target::emitPtx(module, *target.gpu, options.optLevel);
  if (!text)
    return text.takeError();
  compiled.stats.codegenMillis = millisSince(start);
  compiled.text = std::move(*text);
  if (stage == Stage::LLVM || stage == Stage::PTX)
    return compiled;
  start = std::chrono::steady_clock::now();
  auto cubin = target::assemblePtx(compiled.text, *target.gpu, options.optLevel, options.assembleTimeout);
  if (!cubin)
    return cubin.takeError();
  compiled.stats.assembleMillis = millisSince(start);
  compiled.stats.registers = cubin->registers;
  compiled.stats.spillBytes = cubin->spillStoreBytes + cubin->spillLoadBytes;
  for (const artifact::Launch &launch : compiled.image.launches)
    compiled.stats.smemBytes = std::max(compiled.stats.smemBytes, launch.smemBytes);
  compiled.text = cubin->cubin;
  compiled.image.code = std::move(cubin->cubin);
  return compiled;
}

} // namespace

llvm::Error helionc::pipeline::prepareSymbolic(ModuleOp module, const analysis::TargetFacts &facts) {
  if (auto error = run(
          module,
          [](PassManager &passes) {
            passes.addPass(createCanonicalizerPass());
            passes.addPass(createCSEPass());
            passes.addNestedPass<hl::KernelOp>(transforms::createResolvePadding());
          },
          "the kernel is not valid"))
    return error;
  for (auto kernel : module.getOps<hl::KernelOp>())
    analysis::collectTunables(kernel, facts);
  return llvm::Error::success();
}

llvm::Expected<Compiled> helionc::pipeline::compileKernel(OwningOpRef<ModuleOp> module, StringRef config,
                                                          const Target &target, const CompileOptions &options,
                                                          Stage stage) {
  if (auto error = instantiate(*module, config))
    return std::move(error);
  Compiled compiled;
  if (stage == Stage::HLInstantiated) {
    compiled.text = print(*module);
    return compiled;
  }
  if (auto error = readArguments(*module, target, compiled.image))
    return std::move(error);
  return target.gpu ? lowerForGpu(*module, target, options, stage, std::move(compiled))
                    : lowerForCpu(*module, target, options, stage, std::move(compiled));
}

llvm::Error helionc::pipeline::checkStage(Stage stage, StringRef stageName, const Target &target) {
  bool gpuOnly = stage == Stage::HLG || stage == Stage::NVVM || stage == Stage::PTX || stage == Stage::Cubin;
  bool cpuOnly = stage == Stage::Vector || stage == Stage::Asm || stage == Stage::Obj;
  if (target.gpu ? !cpuOnly : !gpuOnly)
    return llvm::Error::success();
  return llvm::createStringError("the target " + target.facts.name + " has no stage '" + stageName +
                                 "'\nhelp: its stages are ast, hl, space, summary, prompt, hl-instantiated, " +
                                 (target.gpu ? "hlg, nvvm, llvm, ptx, cubin and so" : "vector, llvm, asm, obj and so"));
}
