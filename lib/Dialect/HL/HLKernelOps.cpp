//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Kernels, parameters and requirements of the hl dialect.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HL/HL.h"
#include "helionc/Tuning/Expr.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helionc::hl;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                          function_interface_impl::VariadicFlag,
                          std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildFuncType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

StringRef KernelOp::getArgName(unsigned index) {
  auto name = getArgAttrOfType<StringAttr>(index, "hl.name");
  return name ? name.getValue() : StringRef();
}

StringRef KernelOp::getArgRole(unsigned index) {
  if (auto role = getArgAttrOfType<StringAttr>(index, "hl.role"))
    return role.getValue();
  return isa<TensorType>(getArgumentTypes()[index]) ? "in" : "scalar";
}

/// C3 of hl.kernel: the parameters that a type names exist.
static LogicalResult verifyDims(Operation *op, SymbolTable &symbols, ArrayRef<Attribute> dims) {
  for (Attribute dim : dims) {
    auto name = dyn_cast<FlatSymbolRefAttr>(dim);
    if (name && !symbols.lookup<ParamOp>(name.getValue()))
      return op->emitOpError() << "names " << name << ", which is not a parameter of the kernel";
  }
  return success();
}

static LogicalResult verifyTypeDims(Operation *op, SymbolTable &symbols, Type type) {
  if (auto tile = dyn_cast<TileType>(type))
    return verifyDims(op, symbols, tile.getDims());
  if (auto span = dyn_cast<SpanType>(type))
    return verifyDims(op, symbols, span.getExtent());
  return success();
}

LogicalResult KernelOp::verify() {
  if (!getResultTypes().empty())
    return emitOpError() << "C2: a kernel has no results; outputs are arguments";
  for (Type type : getArgumentTypes())
    if (!isa<TensorType>(type) && !type.isIntOrIndexOrFloat())
      return emitOpError() << "C1: an argument is a tensor or a scalar, not " << type;
  for (unsigned i = 0, e = getNumArguments(); i < e; ++i) {
    StringRef role = getArgRole(i);
    if (!llvm::is_contained({"in", "out", "inout", "temp", "scalar"}, role))
      return emitOpError() << "argument " << i << " has the unknown role \"" << role << "\"";
  }
  mlir::SymbolTable symbols(*this);
  WalkResult walk = getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(verifyTypeDims(op, symbols, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(verifyTypeDims(op, symbols, argument.getType())))
            return WalkResult::interrupt();
    if (auto extent = dyn_cast<ExtentOp>(op))
      if (failed(verifyDims(op, symbols, extent.getValue())))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// ParamOp
//===----------------------------------------------------------------------===//

ParseResult ParamOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  StringRef kindText;
  SMLoc kindLoc;
  NamedAttrList attributes;
  if (parser.parseSymbolName(name) || parser.getCurrentLocation(&kindLoc) || parser.parseKeyword(&kindText) ||
      parser.parseOptionalAttrDict(attributes))
    return failure();
  std::optional<ParamKind> kind = symbolizeParamKind(kindText);
  if (!kind)
    return parser.emitError(kindLoc) << "expected pow2, int, enum, bool or permutation, not '" << kindText << "'";
  if (Attribute value = attributes.erase("default"))
    attributes.set(getDefaultValueAttrName(result.name), value);
  attributes.set(getSymNameAttrName(result.name), name);
  attributes.set(getKindAttrName(result.name), ParamKindAttr::get(parser.getContext(), *kind));
  result.addAttributes(attributes);
  return success();
}

void ParamOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << ' ' << stringifyParamKind(getKind());
  NamedAttrList attributes((*this)->getAttrDictionary());
  attributes.erase(getSymNameAttrName());
  attributes.erase(getKindAttrName());
  if (Attribute value = attributes.erase(getDefaultValueAttrName()))
    attributes.set("default", value);
  if (!attributes.empty())
    printer << ' ' << attributes.getDictionary(getContext());
}

static LogicalResult verifyRange(ParamOp op) {
  if (!op.getMin() || !op.getMax())
    return op.emitOpError() << "needs min and max";
  int64_t min = *op.getMin(), max = *op.getMax();
  if (min > max)
    return op.emitOpError() << "C3: min " << min << " is greater than max " << max;
  bool powers = op.getKind() == ParamKind::Pow2;
  if (powers && (min <= 0 || !llvm::isPowerOf2_64(min) || !llvm::isPowerOf2_64(max)))
    return op.emitOpError() << "C2: min and max must be powers of two";
  auto value = dyn_cast<IntegerAttr>(op.getDefaultValue());
  if (!value || value.getInt() < min || value.getInt() > max || (powers && !llvm::isPowerOf2_64(value.getInt())))
    return op.emitOpError() << "C1: the default " << op.getDefaultValue() << " is not one of the values";
  return success();
}

LogicalResult ParamOp::verify() {
  switch (getKind()) {
  case ParamKind::Pow2:
  case ParamKind::Int:
    return verifyRange(*this);
  case ParamKind::Enum:
    if (!getChoices() || getChoices()->empty())
      return emitOpError() << "needs choices";
    if (!llvm::is_contained(getChoices()->getValue(), getDefaultValue()))
      return emitOpError() << "C1: the default " << getDefaultValue() << " is not one of the choices";
    return success();
  case ParamKind::Bool:
    if (!isa<BoolAttr>(getDefaultValue()))
      return emitOpError() << "C1: the default " << getDefaultValue() << " is not true or false";
    return success();
  case ParamKind::Permutation: {
    auto order = dyn_cast<DenseI64ArrayAttr>(getDefaultValue());
    if (!getMax() || !order || int64_t(order.size()) != int64_t(*getMax()))
      return emitOpError() << "C1: the default must be an array<i64> of max elements";
    SmallVector<bool> seen(order.size());
    for (int64_t place : order.asArrayRef())
      if (place < 0 || place >= order.size() || std::exchange(seen[place], true))
        return emitOpError() << "C1: the default is not a permutation";
    return success();
  }
  }
  llvm_unreachable("unknown parameter kind");
}

//===----------------------------------------------------------------------===//
// RequireOp
//===----------------------------------------------------------------------===//

LogicalResult RequireOp::verify() {
  llvm::Expected<tuning::Expr> condition = tuning::Expr::parse(getCondition());
  if (!condition)
    return emitOpError() << "C1: the condition does not parse: " << llvm::toString(condition.takeError());
  auto kernel = (*this)->getParentOfType<KernelOp>();
  mlir::SymbolTable symbols(kernel);
  for (const std::string &name : condition->names())
    if (!symbols.lookup<ParamOp>(name))
      return emitOpError() << "C1: the condition names '" << name << "', which is not a parameter of the kernel";
  return success();
}
