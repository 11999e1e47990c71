//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads @helion.kernel and @helion.workload.
//===----------------------------------------------------------------------===//
#include "KernelDecorators.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/Support/JSON.h"

using namespace helionc::frontend;
namespace json = llvm::json;

namespace {

/// The decorator's dotted name and, when it is a call, the call.
std::pair<std::string, const Expr *> decoratorName(const Expr &decorator) {
  if (decorator.kind == ExprKind::Call)
    return {dottedName(*decorator.operands.front()), &decorator};
  return {dottedName(decorator), nullptr};
}

bool isKernelName(llvm::StringRef name) { return name == "helion.kernel" || name == "helion.jit"; }

std::optional<json::Value> literal(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Int:
    return expr.integer;
  case ExprKind::Bool:
    return bool(expr.integer);
  case ExprKind::Float:
    return expr.number;
  case ExprKind::String:
    return json::fixUTF8(expr.text);
  case ExprKind::None:
    return nullptr;
  case ExprKind::List:
  case ExprKind::Tuple: {
    json::Array array;
    for (const ExprPtr &element : expr.operands) {
      auto value = literal(*element);
      if (!value)
        return std::nullopt;
      array.push_back(std::move(*value));
    }
    return array;
  }
  default:
    return std::nullopt;
  }
}

bool readConfig(const Expr &expr, Diagnostics &diagnostics, KernelInfo &kernel) {
  if (expr.kind != ExprKind::Call) {
    diagnostics.error(expr.loc, "a pinned configuration must be written out",
                      "write config=helion.Config(block_sizes=[64, 64], …)");
    return false;
  }
  json::Object object;
  for (const auto &[key, value] : expr.keywords) {
    auto converted = literal(*value);
    if (!converted) {
      diagnostics.error(value->loc, "the value of '" + key + "' must be a number, a word or a list of them");
      return false;
    }
    object[key] = std::move(*converted);
  }
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object));
  kernel.configs.push_back(std::move(text));
  return true;
}

bool readKernelCall(const Expr &call, Diagnostics &diagnostics, KernelInfo &kernel) {
  for (const auto &[key, value] : call.keywords) {
    if (key == "config" && value->kind != ExprKind::None && !readConfig(*value, diagnostics, kernel))
      return false;
    if (key != "configs" || value->kind != ExprKind::List)
      continue;
    for (const ExprPtr &element : value->operands)
      if (!readConfig(*element, diagnostics, kernel))
        return false;
  }
  return true;
}

/// "bf16[4096, 4096]" as an expression; nothing when it is not a tensor.
std::optional<TensorBinding> tensorOf(const Expr &expr, Diagnostics &diagnostics, bool &failed) {
  if (expr.kind != ExprKind::Subscript)
    return std::nullopt;
  TensorBinding tensor;
  std::string name = dottedName(*expr.operands.front());
  tensor.dtype = canonicalDType(name);
  if (tensor.dtype.empty()) {
    std::string nearest = nearestDType(name);
    diagnostics.error(expr.loc, "unknown dtype '" + name + "'",
                      nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    failed = true;
    return std::nullopt;
  }
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    if (expr.operands[i]->kind != ExprKind::Int) {
      diagnostics.error(expr.operands[i]->loc, "a workload's sizes are integers");
      failed = true;
      return std::nullopt;
    }
    tensor.shape.push_back(expr.operands[i]->integer);
  }
  return tensor;
}

bool readWorkload(const Expr &call, Diagnostics &diagnostics, KernelInfo &kernel) {
  Bindings bindings;
  for (const auto &[key, value] : call.keywords) {
    bool failed = false;
    bool isParam = llvm::any_of(kernel.definition->params, [&name = key](const Param &param) { return param.name == name; });
    if (auto tensor = tensorOf(*value, diagnostics, failed)) {
      bindings.args[key] = std::move(*tensor);
      continue;
    }
    if (failed)
      return false;
    auto converted = literal(*value);
    if (converted && value->kind == ExprKind::Int && !isParam)
      bindings.dims[key] = value->integer;
    else if (converted && value->kind == ExprKind::Int)
      bindings.args[key] = value->integer;
    else if (converted && value->kind == ExprKind::Float)
      bindings.args[key] = value->number;
    else if (converted && value->kind == ExprKind::Bool)
      bindings.args[key] = bool(value->integer);
    else if (converted && value->kind == ExprKind::String)
      bindings.args[key] = value->text;
    else if (converted && value->kind == ExprKind::None)
      bindings.args[key] = std::monostate();
    else {
      diagnostics.error(value->loc, "a workload binds sizes, tensors, numbers and words",
                        "write @helion.workload(M=4096, x=bf16[4096, 4096])");
      return false;
    }
  }
  kernel.workloads.push_back(std::move(bindings));
  return true;
}

} // namespace

bool helionc::frontend::findKernels(const Module &module, Diagnostics &diagnostics, std::vector<KernelInfo> &kernels) {
  for (const StmtPtr &stmt : module.body) {
    if (stmt->kind != StmtKind::Def)
      continue;
    KernelInfo kernel;
    kernel.name = stmt->text;
    kernel.loc = stmt->loc;
    kernel.definition = stmt.get();
    bool isKernel = llvm::any_of(stmt->decorators, [](const ExprPtr &d) { return isKernelName(decoratorName(*d).first); });
    for (const ExprPtr &decorator : stmt->decorators) {
      auto [name, call] = decoratorName(*decorator);
      if (isKernelName(name) && call && !readKernelCall(*call, diagnostics, kernel))
        return false;
      if (name == "helion.workload" && call && !readWorkload(*call, diagnostics, kernel))
        return false;
      llvm::StringRef shortName = name;
      if (!isKernelName(name) && name != "helion.workload" && shortName.consume_front("helion.")) {
        std::string nearest = support::didYouMean(shortName, {"kernel", "workload", "jit"});
        diagnostics.error(decorator->loc, "unknown decorator '" + name + "'",
                          nearest.empty() ? "helion.kernel and helion.workload are known"
                                          : "did you mean 'helion." + nearest + "'?");
        return false;
      }
    }
    if (!isKernel)
      continue;
    if (!stmt->broken.empty()) {
      diagnostics.error(stmt->brokenLoc, stmt->broken);
      return false;
    }
    kernels.push_back(std::move(kernel));
  }
  return true;
}
