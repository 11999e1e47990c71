//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Emits code for the host processor with LLVM.
//===----------------------------------------------------------------------===//
#include "helionc/Target/CpuTarget.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace helionc::target;

namespace {

/// A module of LLVM IR, optimized, with the machine it is for.
struct OptimizedModule {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

static llvm::CodeGenOptLevel codeGenLevel(int level) {
  return level <= 0   ? llvm::CodeGenOptLevel::None
         : level == 1 ? llvm::CodeGenOptLevel::Less
         : level == 2 ? llvm::CodeGenOptLevel::Default
                      : llvm::CodeGenOptLevel::Aggressive;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(int level) {
  [[maybe_unused]] static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return llvm::createStringError("LLVM cannot emit code for this machine: " + message);
  llvm::TargetOptions options;
  // a * b + c is one rounding, as on the GPU.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  options.FunctionSections = true;
  const CpuInfo &host = hostCpu();
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, host.cpu, host.features, options, llvm::Reloc::PIC_, std::nullopt, codeGenLevel(level)));
}

static void setFunctionAttributes(llvm::Module &module) {
  const CpuInfo &host = hostCpu();
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", host.cpu);
    function.addFnAttr("target-features", host.features);
    function.addFnAttr("prefer-vector-width", std::to_string(host.vectorBits));
    function.addFnAttr("no-trapping-math", "true");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Loops are vectors already, and unrolled where the configuration says so.
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  if (level <= 0)
    return builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0).run(module, modules), void();
  auto optimization = level == 1   ? llvm::OptimizationLevel::O1
                      : level == 2 ? llvm::OptimizationLevel::O2
                                   : llvm::OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(optimization).run(module, modules);
}

static llvm::Expected<OptimizedModule> translate(mlir::ModuleOp module, int level) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  OptimizedModule result;
  auto machine = createMachine(level);
  if (!machine)
    return machine.takeError();
  result.machine = std::move(*machine);
  result.module = mlir::translateModuleToLLVMIR(module, *result.context, "helionc");
  if (!result.module)
    return llvm::createStringError("the module cannot be translated to LLVM IR");
  result.module->setDataLayout(result.machine->createDataLayout());
  result.module->setTargetTriple(result.machine->getTargetTriple());
  setFunctionAttributes(*result.module);
  optimize(*result.module, *result.machine, level);
  return result;
}

static llvm::Expected<std::string> emitFile(mlir::ModuleOp module, int level, llvm::CodeGenFileType type) {
  auto optimized = translate(module, level);
  if (!optimized)
    return optimized.takeError();
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream os(buffer);
  llvm::legacy::PassManager passes;
  if (optimized->machine->addPassesToEmitFile(passes, os, nullptr, type))
    return llvm::createStringError("LLVM cannot emit a file of this kind for this machine");
  passes.run(*optimized->module);
  return std::string(buffer.begin(), buffer.end());
}

llvm::Expected<std::string> helionc::target::emitCpuObject(mlir::ModuleOp module, int optLevel) {
  return emitFile(module, optLevel, llvm::CodeGenFileType::ObjectFile);
}

llvm::Expected<std::string> helionc::target::emitCpuAssembly(mlir::ModuleOp module, int optLevel) {
  return emitFile(module, optLevel, llvm::CodeGenFileType::AssemblyFile);
}

llvm::Expected<std::string> helionc::target::emitCpuLLVMIR(mlir::ModuleOp module, int optLevel) {
  auto optimized = translate(module, optLevel);
  if (!optimized)
    return optimized.takeError();
  std::string text;
  llvm::raw_string_ostream os(text);
  optimized->module->print(os, nullptr);
  return text;
}
