//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Compiles, loads and runs kernels in this process.
//===----------------------------------------------------------------------===//
#include "CpuKernel.h"

#include "helionc/Conversion/Passes.h"
#include "helionc/Dialect/HL/HL.h"
#include "helionc/Target/CpuTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <sys/mman.h>

using namespace helionc::test;

//===----------------------------------------------------------------------===//
// Array
//===----------------------------------------------------------------------===//

static int64_t bytesOf(const std::string &dtype) {
  if (dtype == "f64" || dtype == "i64")
    return 8;
  if (dtype == "f32" || dtype == "i32")
    return 4;
  return dtype == "i8" || dtype == "i1" ? 1 : 2;
}

Array::Array(const std::string &dtype, int64_t size) : dtype(dtype), count(size), bytes(bytesOf(dtype)) {
  int64_t total = (size * bytes + 4095) / 4096 * 4096;
  mapped = total + 4096;
  base = static_cast<char *>(mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(base + total, 4096, PROT_NONE);
  start = base + total - size * bytes;
}

Array::~Array() { munmap(base, mapped); }

template <typename T> static T loadAs(const char *address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

static float bf16ToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  return loadAs<float>(reinterpret_cast<const char *>(&wide));
}

static uint16_t floatToBf16(float value) {
  uint32_t bits = loadAs<uint32_t>(reinterpret_cast<const char *>(&value));
  if (std::isnan(value))
    return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

double Array::get(int64_t i) const {
  const char *address = start + i * bytes;
  if (dtype == "f64")
    return loadAs<double>(address);
  if (dtype == "f32")
    return loadAs<float>(address);
  if (dtype == "f16")
    return double(loadAs<_Float16>(address));
  if (dtype == "bf16")
    return bf16ToFloat(loadAs<uint16_t>(address));
  if (dtype == "i64")
    return double(loadAs<int64_t>(address));
  if (dtype == "i32")
    return loadAs<int32_t>(address);
  if (dtype == "i16")
    return loadAs<int16_t>(address);
  return loadAs<int8_t>(address);
}

template <typename T> static void storeAs(char *address, T value) { std::memcpy(address, &value, sizeof(T)); }

double Array::set(int64_t i, double value) {
  char *address = start + i * bytes;
  if (dtype == "f64")
    storeAs(address, value);
  else if (dtype == "f32")
    storeAs(address, float(value));
  else if (dtype == "f16")
    storeAs(address, _Float16(value));
  else if (dtype == "bf16")
    storeAs(address, floatToBf16(float(value)));
  else if (dtype == "i64")
    storeAs(address, int64_t(value));
  else if (dtype == "i32")
    storeAs(address, int32_t(value));
  else if (dtype == "i16")
    storeAs(address, int16_t(value));
  else
    storeAs(address, int8_t(value));
  return get(i);
}

void Array::fill(double value) {
  for (int64_t i = 0; i < count; ++i)
    set(i, value);
}

void Array::randomize(unsigned seed, double scale) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  bool isInteger = dtype[0] == 'i';
  for (int64_t i = 0; i < count; ++i)
    set(i, dtype == "i1" ? double(generator() & 1)
           : isInteger   ? std::floor(uniform(generator) * 8)
                         : uniform(generator));
}

//===----------------------------------------------------------------------===//
// CpuKernel
//===----------------------------------------------------------------------===//

namespace {
struct Launch {
  int64_t index, programs, scratchBytes;
  std::string symbol;
  void (*function)(void **, int64_t, void *) = nullptr;
};
} // namespace

struct CpuKernel::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<Launch> launches;
};

static std::vector<Launch> readLaunches(mlir::ModuleOp module) {
  std::vector<Launch> launches;
  module.walk([&](mlir::FunctionOpInterface function) {
    auto grid = function->getAttrOfType<mlir::DenseI64ArrayAttr>("helionc.grid");
    if (!grid)
      return;
    Launch launch;
    launch.symbol = function.getName();
    launch.index = std::stoll(launch.symbol.substr(launch.symbol.rfind('_') + 1));
    launch.programs = grid[0];
    launch.scratchBytes = function->getAttrOfType<mlir::IntegerAttr>("helionc.scratch_bytes").getInt();
    launches.push_back(launch);
  });
  llvm::sort(launches, [](const Launch &a, const Launch &b) { return a.index < b.index; });
  return launches;
}

static llvm::Error compile(const std::string &text, std::unique_ptr<llvm::orc::LLJIT> &jit,
                           std::vector<Launch> &launches) {
  mlir::DialectRegistry registry;
  registry.insert<helionc::hl::HLDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("the text does not parse");
  mlir::PassManager passes(&context);
  passes.addPass(helionc::conversion::createConvertHLToCPU());
  helionc::target::buildCpuLoweringPipeline(passes);
  if (mlir::failed(passes.run(*module)))
    return llvm::createStringError("the kernel cannot be lowered");
  launches = readLaunches(*module);
  auto object = helionc::target::emitCpuObject(*module, 3);
  if (!object)
    return object.takeError();
  auto created = llvm::orc::LLJITBuilder().create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  if (auto error = jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*object, "kernel")))
    return error;
  for (Launch &launch : launches) {
    auto symbol = jit->lookup(launch.symbol);
    if (!symbol)
      return symbol.takeError();
    launch.function = symbol->toPtr<void (*)(void **, int64_t, void *)>();
  }
  return llvm::Error::success();
}

CpuKernel::CpuKernel(const std::string &text) : state(std::make_unique<State>()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  if (auto error = compile(text, state->jit, state->launches)) {
    ADD_FAILURE() << llvm::toString(std::move(error)) << "\n" << text;
    state->launches.clear();
  }
}

CpuKernel::~CpuKernel() = default;
bool CpuKernel::ok() const { return !state->launches.empty(); }
int64_t CpuKernel::scratchBytes() const { return ok() ? state->launches[0].scratchBytes : 0; }
int64_t CpuKernel::programs() const { return ok() ? state->launches[0].programs : 0; }

void CpuKernel::run(std::vector<void *> arguments) {
  for (const Launch &launch : state->launches) {
    // Garbage in the scratch space, and right after it a page that may not be touched.
    int64_t rounded = (launch.scratchBytes + 4095) / 4096 * 4096;
    auto *mapped =
        static_cast<char *>(mmap(nullptr, rounded + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(mapped, 0xff, rounded);
    mprotect(mapped + rounded, 4096, PROT_NONE);
    char *scratch = mapped + rounded - (launch.scratchBytes + 63) / 64 * 64;
    for (int64_t program = 0; program < launch.programs; ++program)
      launch.function(arguments.data(), program, scratch);
    munmap(mapped, rounded + 4096);
  }
}

void CpuKernel::run(std::initializer_list<Array *> arrays) {
  std::vector<void *> arguments;
  for (Array *array : arrays)
    arguments.push_back(array->data());
  run(arguments);
}

std::string helionc::test::substitute(std::string text,
                                      const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[key, value] : values) {
    std::string name = "${" + key + "}";
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  }
  return text;
}
