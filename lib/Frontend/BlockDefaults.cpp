//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Defaults of block sizes, from what the loops are for.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace helionc;
using namespace helionc::frontend;

namespace {
/// What the blocks of a kernel are used for.
struct BlockUses {
  llvm::DenseMap<mlir::Attribute, int64_t> dot;
  llvm::DenseSet<mlir::Attribute> besideRow, reduced;
};
} // namespace

static BlockUses findUses(hl::KernelOp kernel) {
  BlockUses uses;
  kernel.walk([&](hl::DotOp op) {
    llvm::ArrayRef<mlir::Attribute> acc = op.getAcc().getType().getDims();
    for (auto [index, dim] : llvm::enumerate(acc))
      uses.dot.try_emplace(dim, index + 2 >= acc.size() ? 64 : 1);
    uses.dot.try_emplace(op.getLhs().getType().getDims().back(), 32);
  });
  kernel.walk([&](hl::ReduceOp op) {
    llvm::ArrayRef<mlir::Attribute> dims = op.getSource().getType().getDims();
    mlir::Attribute reduced = dims[op.getDim()];
    uses.reduced.insert(reduced);
    for (mlir::Attribute dim : dims)
      if (dim != reduced)
        uses.besideRow.insert(dim);
  });
  return uses;
}

/// Dots get 64 × 64 × 32, rows of a reduction go one at a time, the rest shares about 4096 elements, most of them in the
/// last dim.
void Evaluator::chooseBlockDefaults() {
  BlockUses uses = findUses(kernelOp);
  for (auto param : kernelOp.getBody().getOps<hl::ParamOp>()) {
    auto oldDefault = mlir::dyn_cast<mlir::IntegerAttr>(param.getDefaultValue());
    int64_t min = param.getMin().value_or(1), max = param.getMax().value_or(1);
    if (!oldDefault || min == max)
      continue;
    mlir::Attribute name = mlir::FlatSymbolRefAttr::get(&context, param.getSymName());
    int64_t wanted = 1024;
    bool single = true, last = true;
    kernelOp.walk([&](hl::GridOp grid) {
      auto steps = grid.getSteps().getValue();
      if (!llvm::is_contained(steps, name))
        return;
      single = steps.size() == 1;
      last = steps.back() == name;
    });
    if (auto dot = uses.dot.find(name); dot != uses.dot.end())
      wanted = dot->second;
    else if (uses.besideRow.contains(name))
      wanted = 1;
    else if (uses.reduced.contains(name))
      wanted = 512;
    else if (!single)
      wanted = last ? 128 : 8;
    param.setDefaultValueAttr(builder.getI64IntegerAttr(std::clamp(wanted, min, max)));
  }
}
