//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads arguments and launches off the modules.
//===----------------------------------------------------------------------===//
#include "helionc/Pipeline/ImageBuilder.h"

#include "helionc/Dialect/HL/HL.h"
#include "helionc/Pipeline/ConfigText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace helionc;
using namespace helionc::pipeline;

static std::string dtypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1 ? "bool" : "i" + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static artifact::ArgRole roleOf(StringRef role) {
  return llvm::StringSwitch<artifact::ArgRole>(role)
      .Case("out", artifact::ArgRole::Out)
      .Case("inout", artifact::ArgRole::InOut)
      .Case("temp", artifact::ArgRole::Temp)
      .Case("scalar", artifact::ArgRole::Scalar)
      .Default(artifact::ArgRole::In);
}

llvm::Error helionc::pipeline::readArguments(ModuleOp module, const Target &target, artifact::KernelImage &image) {
  auto kernels = module.getOps<hl::KernelOp>();
  if (std::distance(kernels.begin(), kernels.end()) != 1)
    return llvm::createStringError("a module to compile holds exactly one kernel");
  hl::KernelOp kernel = *kernels.begin();
  image.kernel = kernel.getSymName();
  image.target = target.facts.name;
  if (DictionaryAttr config = kernel.getConfigAttr())
    image.configJson = configToJson(config);
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    artifact::Argument argument;
    argument.name = kernel.getArgName(i);
    argument.role = roleOf(kernel.getArgRole(i));
    Type type = kernel.getArgumentTypes()[i];
    if (auto tensor = dyn_cast<hl::TensorType>(type)) {
      argument.dtype = dtypeName(tensor.getElementType());
      argument.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
      argument.strides.assign(tensor.getStrides().begin(), tensor.getStrides().end());
    } else {
      argument.dtype = dtypeName(type);
    }
    image.args.push_back(std::move(argument));
  }
  return llvm::Error::success();
}

static int64_t integerAttr(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 0;
}

llvm::Error helionc::pipeline::readLaunches(ModuleOp module, artifact::KernelImage &image) {
  std::vector<std::pair<int64_t, artifact::Launch>> launches;
  module.walk([&](FunctionOpInterface function) {
    auto grid = function->getAttrOfType<DenseI64ArrayAttr>("helionc.grid");
    if (!grid || grid.size() != 3)
      return;
    artifact::Launch launch;
    launch.symbol = function.getName();
    std::copy(grid.asArrayRef().begin(), grid.asArrayRef().end(), launch.grid.begin());
    launch.blockThreads = integerAttr(function, "helionc.block_threads");
    launch.smemBytes = integerAttr(function, "helionc.smem_bytes");
    launch.scratchBytes = integerAttr(function, "helionc.scratch_bytes");
    launch.numThreads = integerAttr(function, "helionc.num_threads");
    int64_t index = 0;
    StringRef(launch.symbol).rsplit('_').second.getAsInteger(10, index);
    launches.emplace_back(index, std::move(launch));
  });
  llvm::sort(launches, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto &[index, launch] : launches)
    image.launches.push_back(std::move(launch));
  return llvm::Error::success();
}
