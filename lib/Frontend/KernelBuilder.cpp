//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Binds a kernel's parameters, and orders its arguments at the end.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "helionc/Support/EditDistance.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

Evaluator::Evaluator(const SourceFile &file, Diagnostics &diagnostics, mlir::MLIRContext &context)
    : file(file), diagnostics(diagnostics), context(context), builder(&context) {}

mlir::Location Evaluator::location(SMLoc loc) {
  llvm::SourceMgr &sources = file.sourceManager();
  unsigned buffer = sources.getMainFileID();
  if (!loc.isValid())
    return mlir::UnknownLoc::get(&context);
  auto [line, column] = sources.getLineAndColumn(loc, buffer);
  StringRef name = sources.getMemoryBuffer(buffer)->getBufferIdentifier();
  return mlir::FileLineColLoc::get(&context, name, line, column);
}

mlir::Type Evaluator::floatOrIntType(StringRef dtype) {
  if (dtype == "f16")
    return builder.getF16Type();
  if (dtype == "bf16")
    return builder.getBF16Type();
  if (dtype == "f32")
    return builder.getF32Type();
  if (dtype == "f64")
    return builder.getF64Type();
  if (dtype == "bool")
    return builder.getI1Type();
  unsigned width;
  if (dtype.consume_front("i") && !dtype.getAsInteger(10, width))
    return builder.getIntegerType(width);
  return {};
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// "bf16[M, K]" with the dims bound; nothing when the annotation is no typed signature.
std::optional<TensorBinding> Evaluator::typedSignature(const Param &param, const Bindings &bindings,
                                                       std::vector<std::string> &unbound, bool &failed) {
  const Expr *annotation = param.annotation.get();
  if (!annotation || annotation->kind != ExprKind::Subscript)
    return std::nullopt;
  std::string name = dottedName(*annotation->operands.front());
  if (llvm::is_contained({"list", "List", "tuple", "Tuple", "Optional", "typing.Optional", "Callable",
                          "typing.Callable", "Union"},
                         name))
    return std::nullopt;
  TensorBinding tensor;
  tensor.dtype = canonicalDType(name);
  if (tensor.dtype.empty()) {
    std::string nearest = nearestDType(name);
    error(annotation->loc, "unknown dtype '" + name + "'",
          nearest.empty() ? "the dtypes are f16, bf16, f32, f64, i8, i16, i32, i64 and bool"
                          : "did you mean '" + nearest + "'?");
    failed = true;
    return std::nullopt;
  }
  for (size_t i = 1; i < annotation->operands.size(); ++i) {
    const Expr &dim = *annotation->operands[i];
    if (dim.kind == ExprKind::Int) {
      tensor.shape.push_back(dim.integer);
      continue;
    }
    if (dim.kind != ExprKind::Name) {
      error(dim.loc, "a dim of a signature is a name or an integer");
      failed = true;
      return std::nullopt;
    }
    auto bound = bindings.dims.find(dim.text);
    if (bound == bindings.dims.end()) {
      std::string flag = "--dim " + dim.text + "=…";
      if (!llvm::is_contained(unbound, flag))
        unbound.push_back(flag);
      tensor.shape.push_back(1);
      continue;
    }
    tensor.shape.push_back(bound->second);
    globals[dim.text] = Value::of(bound->second);
  }
  return tensor;
}

Value Evaluator::bindTensor(const Param &param, const TensorBinding &binding) {
  mlir::Type element = floatOrIntType(binding.dtype);
  llvm::SmallVector<int64_t> strides(binding.strides.begin(), binding.strides.end());
  if (binding.strides.empty())
    strides = hl::TensorType::contiguousStrides(binding.shape);
  auto type = hl::TensorType::get(&context, binding.shape, element, strides);
  mlir::Value argument = kernelOp.getBody().front().addArgument(type, location(param.loc));
  argumentInfo.push_back({param.name, false, false});
  return Value::of(argument);
}

Value Evaluator::bindParameter(const Param &param, const Bindings &bindings, std::vector<std::string> &unbound) {
  bool failed = false;
  std::optional<TensorBinding> typed = typedSignature(param, bindings, unbound, failed);
  if (failed)
    return Value();
  auto given = bindings.args.find(param.name);
  if (given == bindings.args.end()) {
    if (typed)
      return bindTensor(param, *typed);
    if (param.defaultValue)
      return eval(*param.defaultValue);
    std::string annotation = param.annotation ? dottedName(*param.annotation) : "";
    bool scalar = annotation == "int" || annotation == "float" || annotation == "bool" || annotation == "str";
    unbound.push_back("--arg " + param.name + (scalar ? "=…" : "=bf16[…]"));
    return Value::none();
  }
  if (auto *tensor = std::get_if<TensorBinding>(&given->second)) {
    if (typed && (typed->dtype != tensor->dtype || typed->shape != tensor->shape))
      return error(param.loc, "'" + param.name + "' is bound to another shape or dtype than its signature says",
                   "leave --arg " + param.name + " out and bind the dims with --dim");
    return bindTensor(param, *tensor);
  }
  if (typed)
    return error(param.loc, "'" + param.name + "' is a tensor, but is bound to a scalar");
  if (auto *integer = std::get_if<int64_t>(&given->second))
    return Value::of(*integer);
  if (auto *number = std::get_if<double>(&given->second))
    return Value::of(*number);
  if (auto *flag = std::get_if<bool>(&given->second))
    return Value::of(*flag);
  if (auto *word = std::get_if<std::string>(&given->second))
    return Value::of(*word);
  return Value::none();
}

/// The dims of typed signatures that the given tensors bind.
bool Evaluator::bindDimsOfTensors(const Stmt &definition, Bindings &bindings) {
  for (const Param &param : definition.params) {
    auto given = bindings.args.find(param.name);
    auto *tensor = given == bindings.args.end() ? nullptr : std::get_if<TensorBinding>(&given->second);
    const Expr *annotation = param.annotation.get();
    if (!tensor || !annotation || annotation->kind != ExprKind::Subscript)
      continue;
    if (canonicalDType(dottedName(*annotation->operands.front())).empty())
      continue;
    if (annotation->operands.size() - 1 != tensor->shape.size()) {
      error(param.loc, "'" + param.name + "' has " + std::to_string(annotation->operands.size() - 1) +
                           " dims, but is bound to a tensor of " + std::to_string(tensor->shape.size()));
      return false;
    }
    for (size_t i = 0; i < tensor->shape.size(); ++i) {
      const Expr &dim = *annotation->operands[i + 1];
      if (dim.kind != ExprKind::Name)
        continue;
      auto [known, isNew] = bindings.dims.emplace(dim.text, tensor->shape[i]);
      if (!isNew && known->second != tensor->shape[i]) {
        error(param.loc, "the dim '" + dim.text + "' is " + std::to_string(known->second) + " elsewhere, but " +
                             std::to_string(tensor->shape[i]) + " in '" + param.name + "'");
        return false;
      }
    }
  }
  return true;
}

bool Evaluator::bindParameters(const KernelInfo &kernel, Bindings bindings) {
  const Stmt &definition = *kernel.definition;
  if (!bindDimsOfTensors(definition, bindings))
    return false;
  std::vector<StringRef> names;
  for (const Param &param : definition.params)
    names.push_back(param.name);
  for (const auto &[name, value] : bindings.args)
    if (!llvm::is_contained(names, name)) {
      std::string nearest = support::didYouMean(name, names);
      error(kernel.loc, "the kernel '" + kernel.name + "' has no argument '" + name + "'",
            nearest.empty() ? "its arguments are " + llvm::join(names, ", ") : "did you mean '" + nearest + "'?");
      return false;
    }
  std::vector<std::string> unbound;
  for (const Param &param : definition.params) {
    Value value = bindParameter(param, bindings, unbound);
    if (!value)
      return false;
    scope()[param.name] = value;
  }
  for (const auto &[name, size] : bindings.dims)
    if (!globals.count(name)) {
      error(kernel.loc, "the signature of '" + kernel.name + "' has no dim '" + name + "'");
      return false;
    }
  if (unbound.empty())
    return true;
  error(kernel.loc, "the arguments of '" + kernel.name + "' are not all bound",
        "give " + llvm::join(unbound, " ") + ", or add @helion.workload(…) to the kernel");
  return false;
}

//===----------------------------------------------------------------------===//
// The end of a kernel: roles and order of arguments
//===----------------------------------------------------------------------===//

/// The kernel's argument that `tensor` views, and whether it views the whole of it in row-major order.
static std::pair<mlir::BlockArgument, bool> storageOf(mlir::Value tensor) {
  auto type = mlir::cast<hl::TensorType>(tensor.getType());
  bool whole = type.isContiguous();
  while (auto view = tensor.getDefiningOp<hl::ViewOp>()) {
    whole &= view.getOffset() == 0;
    tensor = view.getSource();
  }
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(tensor);
  auto storage = mlir::cast<hl::TensorType>(tensor.getType());
  return {argument, whole && storage.isContiguous() && storage.getNumElements() == type.getNumElements()};
}

bool Evaluator::finishArguments(SMLoc loc) {
  mlir::Block &body = kernelOp.getBody().front();
  std::vector<Value> results;
  if (returned.is(ValueKind::Sequence))
    results = returned.elements;
  else if (!returned.is(ValueKind::None) && returned.isValid())
    results.push_back(returned);

  kernelOp.walk([&](hl::StoreOp store) {
    if (auto argument = storageOf(store.getDest()).first)
      argumentInfo[argument.getArgNumber()].isStored = true;
  });
  // Which allocation is which result, with the type that it is returned as.
  std::vector<std::pair<unsigned, hl::TensorType>> outputs;
  for (const Value &result : results) {
    if (result.is(ValueKind::None))
      continue;
    if (!result.is(ValueKind::Tensor)) {
      error(loc, "a kernel returns tensors, not " + describe(result),
            "store the value to a tensor made by torch.empty and return that");
      return false;
    }
    auto [argument, whole] = storageOf(result.ssa);
    unsigned index = argument.getArgNumber();
    if (!argumentInfo[index].isAllocation)
      continue; // A returned argument is not a second output.
    if (!whole) {
      error(loc, "only a whole allocation, in row-major order, can be returned", "return the tensor itself");
      return false;
    }
    if (llvm::any_of(outputs, [&](auto &output) { return output.first == index; })) {
      error(loc, "the same tensor is returned twice");
      return false;
    }
    outputs.emplace_back(index, result.tensor());
  }

  std::vector<unsigned> order;
  for (unsigned i = 0; i < argumentInfo.size(); ++i)
    if (!argumentInfo[i].isAllocation)
      order.push_back(i);
  unsigned inputCount = order.size();
  for (auto &[index, type] : outputs)
    order.push_back(index);
  for (unsigned i = 0; i < argumentInfo.size(); ++i)
    if (argumentInfo[i].isAllocation && !llvm::is_contained(order, i))
      order.push_back(i);

  unsigned oldCount = argumentInfo.size();
  std::vector<mlir::Type> types;
  std::vector<mlir::DictionaryAttr> attributes;
  builder.setInsertionPointToStart(&body);
  for (auto [place, index] : llvm::enumerate(order)) {
    mlir::BlockArgument old = body.getArgument(index);
    bool isOutput = place >= inputCount && place < inputCount + outputs.size();
    mlir::Type type = isOutput ? mlir::Type(outputs[place - inputCount].second) : old.getType();
    mlir::BlockArgument fresh = body.addArgument(type, old.getLoc());
    mlir::Value replacement = fresh;
    if (type != old.getType())
      replacement = hl::ViewOp::create(builder, old.getLoc(), old.getType(), fresh, 0);
    old.replaceAllUsesWith(replacement);
    const ArgumentInfo &info = argumentInfo[index];
    StringRef role = isOutput ? "out" : info.isAllocation ? "temp" : info.isStored ? "inout" : "in";
    std::string name = info.name;
    if (isOutput && name.empty())
      name = outputs.size() == 1 ? "out" : "out" + std::to_string(place - inputCount);
    if (name.empty())
      name = "temp" + std::to_string(place);
    types.push_back(type);
    attributes.push_back(builder.getDictionaryAttr({builder.getNamedAttr("hl.name", builder.getStringAttr(name)),
                                                    builder.getNamedAttr("hl.role", builder.getStringAttr(role))}));
  }
  body.eraseArguments(0, oldCount);
  kernelOp.setFunctionType(builder.getFunctionType(types, {}));
  kernelOp.setAllArgAttrs(attributes);
  return true;
}

/// A kernel over a dim of size 0 is right only if no output has elements.
bool Evaluator::checkReturn(SMLoc loc) {
  if (!sawEmptyDim)
    return true;
  for (unsigned i = 0, e = kernelOp.getNumArguments(); i < e; ++i) {
    StringRef role = kernelOp.getArgRole(i);
    auto type = mlir::cast<hl::TensorType>(kernelOp.getArgumentTypes()[i]);
    if ((role == "out" || role == "inout") && type.getNumElements() != 0) {
      error(loc, "a dim of size 0 is read as a whole, but the output '" + kernelOp.getArgName(i) + "' has elements",
            "loop over the dim with hl.tile, which may be empty");
      return false;
    }
  }
  return true;
}

mlir::OwningOpRef<mlir::ModuleOp> Evaluator::run(const KernelInfo &kernel, const Bindings &bindings) {
  mlir::Location loc = location(kernel.loc);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  kernelOp = hl::KernelOp::create(builder, loc, builder.getStringAttr(kernel.name),
                                  mlir::TypeAttr::get(builder.getFunctionType({}, {})), mlir::ArrayAttr(),
                                  mlir::ArrayAttr(), mlir::DictionaryAttr());
  kernelOp.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&kernelOp.getBody().front());
  scopes.push_back(std::make_shared<Environment>());
  returned = Value::none();
  if (!bindParameters(kernel, bindings))
    return {};
  if (evalBlock(kernel.definition->body) == Flow::Failed)
    return {};
  builder.setInsertionPointToEnd(&kernelOp.getBody().front());
  hl::ReturnOp::create(builder, loc);
  if (!finishArguments(kernel.loc) || !checkReturn(kernel.loc))
    return {};
  chooseBlockDefaults();
  if (mlir::failed(mlir::verify(*module))) {
    error(kernel.loc, "the compiler made an invalid program of this kernel; this is a fault of helionc",
          "please report it with this file");
    return {};
  }
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> helionc::frontend::lowerToHL(const SourceFile &file, StringRef kernel,
                                                               const Bindings &bindings, mlir::MLIRContext &context,
                                                               llvm::raw_ostream &os) {
  Diagnostics diagnostics(file.sourceManager(), os);
  for (const KernelInfo &info : file.kernels())
    if (info.name == kernel)
      return Evaluator(file, diagnostics, context).run(info, bindings);
  os << "error: no kernel '" << kernel << "'\n";
  return {};
}
