//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Writes PTX with LLVM's NVPTX backend.
//===----------------------------------------------------------------------===//
#include "helionc/Target/NvptxTarget.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace helionc::target;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace {

std::unique_ptr<llvm::TargetMachine> createMachine(const GpuTarget &target, int optLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      backend->createTargetMachine(triple, target.name, target.features, {}, {}, {}, llvm::CodeGenOptLevel(optLevel)));
}

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                        llvm::TargetMachine &machine, int optLevel) {
  auto result = mlir::translateModuleToLLVMIR(module, context);
  if (!result)
    return llvm::createStringError("the kernel cannot be translated to LLVM IR");
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  auto optimize = mlir::makeOptimizingTransformer(unsigned(optLevel), 0, &machine);
  if (auto error = optimize(result.get()))
    return std::move(error);
  return result;
}

} // namespace

llvm::Expected<std::string> helionc::target::emitGpuLLVMIR(mlir::ModuleOp module, const GpuTarget &target,
                                                           int optLevel) {
  auto machine = createMachine(target, optLevel);
  if (!machine)
    return llvm::createStringError("this build of LLVM has no NVPTX backend");
  llvm::LLVMContext context;
  auto translated = translate(module, context, *machine, optLevel);
  if (!translated)
    return translated.takeError();
  std::string text;
  llvm::raw_string_ostream os(text);
  (*translated)->print(os, nullptr);
  return text;
}

llvm::Expected<std::string> helionc::target::emitPtx(mlir::ModuleOp module, const GpuTarget &target, int optLevel) {
  auto machine = createMachine(target, optLevel);
  if (!machine)
    return llvm::createStringError("this build of LLVM has no NVPTX backend");
  llvm::LLVMContext context;
  auto translated = translate(module, context, *machine, optLevel);
  if (!translated)
    return translated.takeError();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("this build of LLVM cannot write PTX");
  passes.run(**translated);
  return text.str().str();
}
