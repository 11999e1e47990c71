//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Target names.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/TargetSelection.h"

#include "helionc/Runtime/CudaDriver.h"
#include "helionc/Support/EditDistance.h"
#include "helionc/Target/CpuTarget.h"
#include "helionc/Target/TargetInfo.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::driver;

static pipeline::Target cpuTarget() {
  target::CpuInfo host = target::hostCpu();
  pipeline::Target result;
  result.facts.name = "cpu";
  result.facts.device = host.cpu;
  result.facts.cores = host.cores;
  result.facts.vectorBits = host.vectorBits;
  result.facts.vectorRegisters = host.vectorBits >= 512 ? 32 : 16;
  result.facts.l1Bytes = host.l1Bytes;
  result.facts.l2Bytes = host.l2Bytes;
  result.facts.l3Bytes = host.l3Bytes;
  return result;
}

static pipeline::Target gpuTarget(const target::GpuTarget &gpu) {
  pipeline::Target result;
  result.gpu = &gpu;
  result.facts.name = gpu.name;
  result.facts.isGpu = true;
  result.facts.smemBytes = gpu.maxSmemBytes;
  result.facts.registersPerThread = 255;
  result.facts.cores = 1;
  // The card's own facts, when it is one of this architecture.
  auto driver = runtime::CudaDriver::load();
  if (!driver) {
    llvm::consumeError(driver.takeError());
    return result;
  }
  auto device = (*driver)->deviceInfo(0);
  if (!device) {
    llvm::consumeError(device.takeError());
    return result;
  }
  if (device->major * 10 + device->minor != gpu.computeCapability)
    return result;
  result.facts.device = device->name;
  result.facts.cores = device->multiprocessors;
  result.facts.l2Bytes = device->l2Bytes;
  result.facts.memoryBandwidth = device->memoryBandwidth;
  return result;
}

/// The table's entry for the GPU that is present, preferring the architecture-specific one; null without a GPU.
static const target::GpuTarget *presentGpu() {
  auto driver = runtime::CudaDriver::load();
  if (!driver) {
    llvm::consumeError(driver.takeError());
    return nullptr;
  }
  auto device = (*driver)->deviceInfo(0);
  if (!device) {
    llvm::consumeError(device.takeError());
    return nullptr;
  }
  const target::GpuTarget *best = nullptr;
  for (const target::GpuTarget &gpu : target::gpuTargets()) {
    bool specific = llvm::StringRef(gpu.name).ends_with("a");
    if (gpu.computeCapability == device->major * 10 + device->minor && (!best || specific))
      best = &gpu;
  }
  return best;
}

llvm::Expected<pipeline::Target> helionc::driver::selectTarget(llvm::StringRef name) {
  if (name == "cpu")
    return cpuTarget();
  if (name == "auto") {
    const target::GpuTarget *gpu = presentGpu();
    return gpu ? gpuTarget(*gpu) : cpuTarget();
  }
  if (const target::GpuTarget *gpu = target::findGpuTarget(name))
    return gpuTarget(*gpu);
  std::vector<llvm::StringRef> names = {"cpu", "auto"};
  for (const target::GpuTarget &gpu : target::gpuTargets())
    names.push_back(gpu.name);
  std::string nearest = support::didYouMean(name, names);
  return llvm::createStringError("unknown target '" + name +
                                 "'\nhelp: " + (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") +
                                 "the targets are " + llvm::join(names, ", "));
}

std::string helionc::driver::listTargets() {
  std::string text = "cpu       this machine's processor\n";
  llvm::raw_string_ostream os(text);
  for (const target::GpuTarget &gpu : target::gpuTargets())
    os << llvm::formatv("{0,-9} NVIDIA compute capability {1}.{2}, {3} bytes of shared memory a block\n", gpu.name,
                        gpu.computeCapability / 10, gpu.computeCapability % 10, gpu.maxSmemBytes);
  return text;
}
