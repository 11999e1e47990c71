//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads a kernel's parameters and requirements as plain data.
//===----------------------------------------------------------------------===//
#include "helionc/Analysis/CollectTunables.h"

#include "helionc/Dialect/HL/HL.h"

using namespace mlir;
using namespace helionc;

static tuning::Value toValue(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  auto order = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
  return std::vector<int64_t>(order.begin(), order.end());
}

static tuning::ParameterKind toKind(hl::ParamKind kind) {
  switch (kind) {
  case hl::ParamKind::Pow2:
    return tuning::ParameterKind::Pow2;
  case hl::ParamKind::Int:
    return tuning::ParameterKind::Int;
  case hl::ParamKind::Enum:
    return tuning::ParameterKind::Enum;
  case hl::ParamKind::Bool:
    return tuning::ParameterKind::Bool;
  case hl::ParamKind::Permutation:
    return tuning::ParameterKind::Permutation;
  }
  llvm_unreachable("unknown parameter kind");
}

static tuning::Parameter toParameter(hl::ParamOp op) {
  tuning::Parameter parameter;
  parameter.name = op.getSymName();
  parameter.kind = toKind(op.getKind());
  parameter.min = op.getMin().value_or(0);
  parameter.max = op.getMax().value_or(0);
  if (auto choices = op.getChoices())
    for (Attribute choice : *choices)
      parameter.choices.push_back(toValue(choice));
  parameter.defaultValue = toValue(op.getDefaultValue());
  parameter.role = op.getRole().value_or("");
  parameter.doc = op.getDoc().value_or("");
  return parameter;
}

tuning::ConfigSpace helionc::analysis::readConfigSpace(hl::KernelOp kernel) {
  tuning::ConfigSpace space;
  for (Operation &op : kernel.getBody().front()) {
    if (auto param = dyn_cast<hl::ParamOp>(op))
      space.parameters.push_back(toParameter(param));
    if (auto requirement = dyn_cast<hl::RequireOp>(op)) {
      // The verifier has parsed the condition.
      auto condition = llvm::cantFail(tuning::Expr::parse(requirement.getCondition()));
      space.constraints.push_back({std::move(condition), requirement.getReason().str()});
    }
  }
  return space;
}
