//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Replaces the tuning parameters of each kernel by the values of one configuration.
//===----------------------------------------------------------------------===//
#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Transforms/Passes.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::hl;

namespace helionc::transforms {
#define GEN_PASS_DEF_INSTANTIATECONFIG
#include "helionc/Transforms/Passes.h.inc"
} // namespace helionc::transforms

static Attribute toAttribute(const tuning::Value &value, Builder &builder) {
  if (auto *integer = std::get_if<int64_t>(&value))
    return builder.getI64IntegerAttr(*integer);
  if (auto *flag = std::get_if<bool>(&value))
    return builder.getBoolAttr(*flag);
  if (auto *text = std::get_if<std::string>(&value))
    return builder.getStringAttr(*text);
  return builder.getDenseI64ArrayAttr(std::get<std::vector<int64_t>>(value));
}

/// Whether no block of the loop that makes `span` reaches past the loop's end.
static bool isExact(Value span) {
  auto argument = cast<BlockArgument>(span);
  Operation *loop = argument.getOwner()->getParentOp();
  unsigned dim = argument.getArgNumber();
  auto bounds = [&](auto op) { return std::pair<Value, Value>(op.getLowers()[dim], op.getUppers()[dim]); };
  auto [lower, upper] = isa<GridOp>(loop) ? bounds(cast<GridOp>(loop)) : bounds(cast<LoopOp>(loop));
  APInt begin, end;
  int64_t step = cast<IntegerAttr>(cast<SpanType>(span.getType()).getExtent()).getInt();
  return matchPattern(lower, m_ConstantInt(&begin)) && matchPattern(upper, m_ConstantInt(&end)) &&
         (end.getSExtValue() - begin.getSExtValue()) % step == 0;
}

/// Fills of padding that the configuration's blocks do not have.
static void dropFillsOfExactSpans(KernelOp kernel) {
  kernel.walk([](FillPaddingOp fill) {
    if (!llvm::all_of(fill.getSpans(), isExact))
      return;
    fill.getResult().replaceAllUsesWith(fill.getSource());
    fill.erase();
  });
}

static void instantiate(KernelOp kernel, const tuning::Config &config) {
  Builder builder(kernel.getContext());
  NamedAttrList values;
  DenseMap<StringAttr, Attribute> bySymbol;
  for (auto param : llvm::make_early_inc_range(kernel.getBody().getOps<ParamOp>())) {
    Attribute value = toAttribute(*config.find(param.getSymName()), builder);
    values.set(param.getSymName(), value);
    bySymbol[param.getSymNameAttr()] = value;
    param.erase();
  }
  for (auto requirement : llvm::make_early_inc_range(kernel.getBody().getOps<RequireOp>()))
    requirement.erase();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr name) -> std::optional<Attribute> {
    auto value = bySymbol.find(name.getAttr());
    return value == bySymbol.end() ? std::nullopt : std::optional<Attribute>(value->second);
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  kernel.setConfigAttr(values.getDictionary(kernel.getContext()));
  dropFillsOfExactSpans(kernel);
}

namespace {
struct InstantiateConfig : transforms::impl::InstantiateConfigBase<InstantiateConfig> {
  using InstantiateConfigBase::InstantiateConfigBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(runOnKernel(kernel)))
        return signalPassFailure();
  }

  LogicalResult runOnKernel(KernelOp kernel) {
    // Instantiated before, by the autotuner.
    if (kernel.getConfigAttr())
      return success();
    tuning::ConfigSpace space = analysis::readConfigSpace(kernel);
    llvm::Expected<tuning::Config> parsed = tuning::parseConfig(config, space);
    if (!parsed)
      return kernel.emitError() << llvm::toString(parsed.takeError());
    std::vector<std::string> reasons = space.check(*parsed);
    if (!reasons.empty()) {
      InFlightDiagnostic diagnostic = kernel.emitError() << "the configuration is not valid";
      for (const std::string &reason : reasons)
        diagnostic.attachNote() << reason;
      return diagnostic;
    }
    instantiate(kernel, space.complete(*parsed));
    return success();
  }
};
} // namespace
