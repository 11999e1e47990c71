//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The tables and entries of a library, as an object made through LLVM IR.
//===----------------------------------------------------------------------===//
#include "helionc/Artifact/SharedLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace helionc::artifact;
using llvm::Constant;

namespace {

constexpr size_t maxRank = 8;

/// Writes the structs of lib/Runtime/Baked/baked.h: every field takes eight bytes.
class EntryBuilder {
public:
  explicit EntryBuilder(llvm::ArrayRef<KernelImage> images)
      : images(images), module("entries", context), builder(context), pointer(builder.getPtrTy()),
        i64(builder.getInt64Ty()), i32(builder.getInt32Ty()) {}
  llvm::Expected<std::string> run();

private:
  Constant *integer(int64_t value) { return llvm::ConstantInt::get(i64, uint64_t(value), true); }
  Constant *null() { return llvm::ConstantPointerNull::get(pointer); }
  Constant *text(llvm::StringRef value) { return builder.CreateGlobalString(value, "", 0, &module); }
  Constant *numbers(llvm::ArrayRef<int64_t> values, size_t size) {
    std::vector<Constant *> elements;
    for (size_t i = 0; i < size; ++i)
      elements.push_back(integer(i < values.size() ? values[i] : 0));
    return llvm::ConstantArray::get(llvm::ArrayType::get(i64, size), elements);
  }
  Constant *table(llvm::ArrayRef<Constant *> rows) {
    if (rows.empty())
      return null();
    auto *type = llvm::ArrayType::get(rows.front()->getType(), rows.size());
    auto *global = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                            llvm::ConstantArray::get(type, rows), "table");
    global->setAlignment(llvm::Align(8));
    return global;
  }
  Constant *argument(const Argument &argument);
  Constant *launch(const Launch &launch, bool isGpu);
  Constant *image(const KernelImage &image);
  llvm::Type *scalarType(const std::string &dtype);
  void addEntry(Constant *kernel);
  void addOutputs(Constant *kernel);
  void addInvoke(Constant *kernel);
  void addText(llvm::StringRef suffix, llvm::Value *value);
  llvm::Function *declare(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters);
  llvm::Function *define(llvm::StringRef suffix, llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters);
  /// An array of pointers to the first arguments of `function`; scalars are spilled.
  llvm::Value *pack(llvm::Function *function, size_t count);
  llvm::Expected<std::string> emit();

  llvm::ArrayRef<KernelImage> images;
  llvm::LLVMContext context;
  llvm::Module module;
  llvm::IRBuilder<> builder;
  llvm::PointerType *pointer;
  llvm::Type *i64, *i32;
};

std::pair<int64_t, int64_t> codeAndBits(const std::string &dtype) {
  if (dtype == "bool")
    return {6, 8};
  if (dtype == "bf16")
    return {4, 16};
  return {dtype[0] == 'f' ? 2 : 0, dtypeBytes(dtype) * 8};
}

/// 10 * major + minor of "sm_90a"; 0 for the CPU.
int64_t capability(llvm::StringRef target) {
  int64_t value = 0;
  if (target.consume_front("sm_"))
    target.take_while(llvm::isDigit).getAsInteger(10, value);
  return value;
}

} // namespace

Constant *EntryBuilder::argument(const Argument &argument) {
  auto [code, bits] = codeAndBits(argument.dtype);
  return llvm::ConstantStruct::getAnon({text(argument.name), integer(int64_t(argument.role)), integer(code),
                                        integer(bits), integer(int64_t(argument.shape.size())),
                                        numbers(argument.shape, maxRank), numbers(argument.strides, maxRank)});
}

Constant *EntryBuilder::launch(const Launch &launch, bool isGpu) {
  Constant *function = null();
  if (!isGpu) {
    auto *type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, i64, pointer}, false);
    function = llvm::cast<Constant>(module.getOrInsertFunction(launch.symbol, type).getCallee());
  }
  return llvm::ConstantStruct::getAnon({text(launch.symbol), function, numbers(launch.grid, 3),
                                        integer(launch.blockThreads), integer(launch.smemBytes),
                                        integer(launch.scratchBytes), integer(launch.numThreads)});
}

Constant *EntryBuilder::image(const KernelImage &image) {
  std::vector<Constant *> arguments, launches;
  for (const Argument &each : image.args)
    arguments.push_back(argument(each));
  for (const Launch &each : image.launches)
    launches.push_back(launch(each, image.isGpu()));
  Constant *cubin = null();
  if (image.isGpu()) {
    Constant *bytes = llvm::ConstantDataArray::getString(context, image.code, /*AddNull=*/false);
    auto *global =
        new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "cubin");
    global->setAlignment(llvm::Align(64));
    cubin = global;
  }
  int64_t level = image.cpu == "avx512" ? 3 : image.cpu == "avx2" ? 2 : 0;
  return llvm::ConstantStruct::getAnon(
      {text(image.target), cubin, integer(image.isGpu() ? int64_t(image.code.size()) : 0),
       integer(capability(image.target)), integer(llvm::StringRef(image.target).ends_with("a")), integer(level),
       integer(int64_t(arguments.size())), integer(int64_t(launches.size())), table(arguments), table(launches),
       text(image.configJson)});
}

llvm::Type *EntryBuilder::scalarType(const std::string &dtype) {
  return dtype == "bool" ? builder.getInt1Ty() : dtype[0] == 'f' ? builder.getDoubleTy() : i64;
}

llvm::Function *EntryBuilder::declare(llvm::StringRef name, llvm::Type *result,
                                      llvm::ArrayRef<llvm::Type *> parameters) {
  auto *type = llvm::FunctionType::get(result, parameters, false);
  auto *function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return function;
}

llvm::Function *EntryBuilder::define(llvm::StringRef suffix, llvm::Type *result,
                                     llvm::ArrayRef<llvm::Type *> parameters) {
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(result, parameters, false), llvm::GlobalValue::ExternalLinkage,
                             "helion_" + images.front().kernel + suffix, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  return function;
}

llvm::Value *EntryBuilder::pack(llvm::Function *function, size_t count) {
  llvm::Value *array = builder.CreateAlloca(llvm::ArrayType::get(pointer, std::max<size_t>(count, 1)));
  for (size_t i = 0; i < count; ++i) {
    llvm::Value *value = function->getArg(i);
    if (!value->getType()->isPointerTy()) {
      llvm::Value *slot = builder.CreateAlloca(value->getType());
      builder.CreateStore(value, slot);
      value = slot;
    }
    builder.CreateStore(value, builder.CreateConstGEP1_64(pointer, array, i));
  }
  return array;
}

void EntryBuilder::addEntry(Constant *kernel) {
  std::vector<llvm::Type *> parameters;
  for (const Argument &each : images.front().args)
    if (each.role != ArgRole::Temp)
      parameters.push_back(each.role == ArgRole::Scalar ? scalarType(each.dtype) : pointer);
  size_t count = parameters.size();
  parameters.push_back(pointer);
  llvm::Function *function = define("", i32, parameters);
  auto *call = declare("helion_rt_call", i32, {pointer, pointer, i64, pointer});
  llvm::Value *array = pack(function, count);
  builder.CreateRet(builder.CreateCall(call, {kernel, array, integer(int64_t(count)), function->getArg(count)}));
}

void EntryBuilder::addOutputs(Constant *kernel) {
  std::vector<llvm::Type *> parameters;
  for (const Argument &each : images.front().args)
    if (each.role != ArgRole::Temp && each.role != ArgRole::Out)
      parameters.push_back(each.role == ArgRole::Scalar ? scalarType(each.dtype) : pointer);
  size_t count = parameters.size();
  parameters.push_back(pointer);
  parameters.push_back(i64);
  llvm::Function *function = define("_outputs", i32, parameters);
  auto *call = declare("helion_rt_outputs", i32, {pointer, pointer, i64, pointer, i64});
  llvm::Value *array = pack(function, count);
  builder.CreateRet(builder.CreateCall(
      call, {kernel, array, integer(int64_t(count)), function->getArg(count), function->getArg(count + 1)}));
}

void EntryBuilder::addInvoke(Constant *kernel) {
  llvm::Function *function = define("_invoke", i32, {pointer, i64, pointer});
  auto *call = declare("helion_rt_call", i32, {pointer, pointer, i64, pointer});
  builder.CreateRet(builder.CreateCall(call, {kernel, function->getArg(0), function->getArg(1), function->getArg(2)}));
}

void EntryBuilder::addText(llvm::StringRef suffix, llvm::Value *value) {
  define(suffix, pointer, {});
  if (!value)
    value = builder.CreateCall(declare("helion_rt_last_error", pointer, {}), {});
  builder.CreateRet(value);
}

llvm::Expected<std::string> EntryBuilder::run() {
  std::vector<Constant *> rows;
  for (const KernelImage &each : images) {
    for (const Argument &arg : each.args)
      if (arg.shape.size() > maxRank)
        return llvm::createStringError("'" + arg.name + "' has more than 8 dims");
    rows.push_back(image(each));
  }
  Constant *kernelRow =
      llvm::ConstantStruct::getAnon({text(images.front().kernel), integer(int64_t(rows.size())), table(rows)});
  Constant *kernel = table({kernelRow});
  addEntry(kernel);
  addOutputs(kernel);
  addInvoke(kernel);
  addText("_last_error", nullptr);
  addText("_config", text(images.front().configJson));
  addText("_describe", text(describe(images)));
  return emit();
}

llvm::Expected<std::string> EntryBuilder::emit() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64", "", {}, llvm::Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("this build of LLVM cannot write objects");
  passes.run(module);
  return bytes.str().str();
}

llvm::Expected<std::string> helionc::artifact::entryObject(llvm::ArrayRef<KernelImage> images) {
  if (images.empty())
    return llvm::createStringError("a library needs at least one image");
  return EntryBuilder(images).run();
}
