//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Buffers and timing in host memory and on a GPU.
//===----------------------------------------------------------------------===//
#include "helionc/Runtime/Bench.h"

#include "helionc/Runtime/CudaDriver.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <cstring>

using namespace helionc;
using namespace helionc::runtime;
using llvm::Error;

namespace {

/// A DLTensor over memory that somebody else owns.
struct TensorView {
  DLTensor tensor{};
  std::vector<int64_t> shape, strides;
  TensorView(const artifact::Argument &argument, void *data, DLDevice device)
      : shape(argument.shape), strides(argument.strides) {
    tensor.data = data;
    tensor.device = device;
    tensor.ndim = int32_t(shape.size());
    int64_t bytes = artifact::dtypeBytes(argument.dtype);
    uint8_t code = argument.dtype == "bool"   ? kDLBool
                   : argument.dtype == "bf16" ? kDLBfloat
                   : argument.dtype[0] == 'f' ? kDLFloat
                                              : kDLInt;
    tensor.dtype = {code, uint8_t(bytes * 8), 1};
    tensor.shape = shape.data();
    tensor.strides = strides.data();
  }
};

/// What every device has: the inputs' bytes and views of one set of buffers.
class BufferedBench : public Bench {
public:
  explicit BufferedBench(const Problem &problem) : problem(problem) {
    for (auto [index, argument] : llvm::enumerate(problem.args))
      inputs.push_back(argument.role == artifact::ArgRole::Out ? std::vector<char>()
                                                               : generateInput(argument, problem.seed, index));
  }

protected:
  struct Set {
    std::vector<std::unique_ptr<TensorView>> views;
    std::vector<void *> pointers;
  };
  Set makeSet(llvm::ArrayRef<void *> memory, DLDevice device) {
    Set set;
    for (auto [argument, data] : llvm::zip(problem.args, memory)) {
      set.views.push_back(std::make_unique<TensorView>(argument, data, device));
      set.pointers.push_back(&set.views.back()->tensor);
    }
    // Scalars go by a pointer to a value of the C interface (double, int64_t, bool) in host memory, on a GPU too.
    for (auto [argument, pointer] : llvm::zip(problem.args, set.pointers))
      if (argument.role == artifact::ArgRole::Scalar)
        pointer = argument.dtype[0] == 'f' ? static_cast<void *>(&realScalar) : static_cast<void *>(&integerScalar);
    return set;
  }
  bool mutatesInputs() const {
    return llvm::any_of(problem.args, [](const auto &argument) { return argument.role == artifact::ArgRole::InOut; });
  }
  const Problem &problem;
  std::vector<std::vector<char>> inputs;
  double realScalar = 0.75;
  int64_t integerScalar = 1;
};

class CpuBench : public BufferedBench {
public:
  explicit CpuBench(const Problem &problem) : BufferedBench(problem) {
    std::vector<void *> memory;
    for (const artifact::Argument &argument : problem.args) {
      size_t bytes = (size_t(spanBytes(argument)) + 127) / 64 * 64;
      buffers.emplace_back(std::aligned_alloc(64, bytes), std::free);
      memory.push_back(buffers.back().get());
    }
    set = makeSet(memory, {kDLCPU, 0});
    restore(0);
  }
  llvm::Expected<std::vector<char>> runOnce(const LibraryHandle &library, unsigned char poison) override {
    restore(poison);
    if (Error error = library.call(set.pointers, nullptr))
      return std::move(error);
    std::vector<char> written;
    for (auto [argument, buffer] : llvm::zip(problem.args, buffers))
      if (isWritten(argument))
        written.insert(written.end(), (char *)buffer.get(), (char *)buffer.get() + spanBytes(argument));
    return written;
  }
  llvm::Expected<double> time(const LibraryHandle &library, int64_t calls) override {
    if (mutatesInputs()) // else they overflow, or get so small that the processor is slow with them
      restore(0);
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls; ++i)
      if (Error error = library.call(set.pointers, nullptr))
        return std::move(error);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / double(calls);
  }

private:
  void restore(unsigned char poison) {
    for (auto [argument, buffer, input] : llvm::zip(problem.args, buffers, inputs)) {
      if (argument.role == artifact::ArgRole::Out)
        std::memset(buffer.get(), poison, size_t(spanBytes(argument)));
      else
        std::memcpy(buffer.get(), input.data(), input.size());
    }
  }
  std::vector<std::unique_ptr<void, void (*)(void *)>> buffers;
  Set set;
};

class CudaBench : public BufferedBench {
public:
  CudaBench(const Problem &problem, CudaDriver &driver, int device)
      : BufferedBench(problem), driver(driver), device(device) {}
  ~CudaBench() override {
    for (auto &memory : allocations)
      for (void *pointer : memory)
        driver.release(uint64_t(pointer));
  }
  Error initialize() {
    if (Error error = driver.use(device))
      return error;
    auto info = driver.deviceInfo(device);
    if (!info)
      return info.takeError();
    int64_t bytes = 0;
    for (const artifact::Argument &argument : problem.args)
      bytes += spanBytes(argument);
    // Enough sets that one has left the cache when its turn comes again, within a quarter of the memory.
    int64_t wanted = bytes > 0 ? std::clamp<int64_t>(3 * info->l2Bytes / bytes + 1, 1, 64) : 1;
    while (wanted > 1 && wanted * bytes > info->memoryBytes / 4)
      --wanted;
    for (int64_t i = 0; i < wanted; ++i)
      if (Error error = addSet())
        return error;
    return driver.synchronize();
  }
  llvm::Expected<std::vector<char>> runOnce(const LibraryHandle &library, unsigned char poison) override {
    if (Error error = restore(0, poison))
      return std::move(error);
    if (Error error = library.call(sets[0].pointers, nullptr))
      return std::move(error);
    if (Error error = driver.synchronize())
      return std::move(error);
    std::vector<char> written;
    for (auto [argument, pointer] : llvm::zip(problem.args, allocations[0])) {
      if (!isWritten(argument))
        continue;
      size_t bytes = size_t(spanBytes(argument));
      written.resize(written.size() + bytes);
      if (Error error = driver.toHost(written.data() + written.size() - bytes, uint64_t(pointer), bytes))
        return std::move(error);
    }
    return written;
  }
  llvm::Expected<double> time(const LibraryHandle &library, int64_t calls) override {
    for (size_t each = 0; mutatesInputs() && each < sets.size(); ++each)
      if (Error error = restore(each, 0))
        return std::move(error);
    auto micros = driver.timeMicros([&]() -> Error {
      for (int64_t i = 0; i < calls; ++i)
        if (Error error = library.call(sets[next++ % sets.size()].pointers, nullptr))
          return error;
      return Error::success();
    });
    if (!micros)
      return micros.takeError();
    return *micros / double(calls);
  }
  double idleMillis() const override { return 20; }
  bool isBroken() override {
    Error error = driver.synchronize();
    bool broken = bool(error);
    llvm::consumeError(std::move(error));
    return broken;
  }

private:
  Error addSet() {
    std::vector<void *> memory;
    for (const artifact::Argument &argument : problem.args) {
      auto pointer = driver.allocate(size_t(spanBytes(argument)));
      if (!pointer)
        return pointer.takeError();
      memory.push_back((void *)*pointer);
    }
    allocations.push_back(memory);
    sets.push_back(makeSet(memory, {kDLCUDA, device}));
    return restore(allocations.size() - 1, 0);
  }
  Error restore(size_t set, unsigned char poison) {
    for (auto [argument, pointer, input] : llvm::zip(problem.args, allocations[set], inputs)) {
      Error error = argument.role == artifact::ArgRole::Out
                        ? driver.fill(uint64_t(pointer), poison, size_t(spanBytes(argument)))
                        : driver.toDevice(uint64_t(pointer), input.data(), input.size());
      if (error)
        return error;
    }
    return Error::success();
  }
  CudaDriver &driver;
  int device;
  std::vector<std::vector<void *>> allocations;
  std::vector<Set> sets;
  size_t next = 0;
};

} // namespace

llvm::Expected<std::unique_ptr<Bench>> Bench::create(const Problem &problem, llvm::StringRef device) {
  if (device == "cpu")
    return std::make_unique<CpuBench>(problem);
  int number = 0;
  llvm::StringRef rest = device;
  if (!rest.consume_front("cuda") ||
      (rest.consume_front(":") ? rest.getAsInteger(10, number) || number < 0 : !rest.empty()))
    return llvm::createStringError("there is no device '" + device + "': it is cpu or cuda:N");
  auto driver = CudaDriver::load();
  if (!driver)
    return driver.takeError();
  auto bench = std::make_unique<CudaBench>(problem, **driver, number);
  if (Error error = bench->initialize())
    return std::move(error);
  return bench;
}
