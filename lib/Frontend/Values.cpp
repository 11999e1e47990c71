//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Values for messages.
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "llvm/ADT/STLExtras.h"

using namespace helionc;
using namespace helionc::frontend;

Value Value::of(mlir::Value ssa) {
  mlir::Type type = ssa.getType();
  Value value = make(mlir::isa<hl::TensorType>(type) ? ValueKind::Tensor
                     : mlir::isa<hl::TileType>(type) ? ValueKind::Tile
                     : mlir::isa<hl::SpanType>(type) ? ValueKind::Span
                                                     : ValueKind::Scalar);
  value.ssa = ssa;
  return value;
}

std::string helionc::frontend::dtypeText(mlir::Type type) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type))
    return integer.getWidth() == 1 ? "bool" : "i" + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string helionc::frontend::shapeText(llvm::ArrayRef<mlir::Attribute> dims) {
  std::string text = "[";
  for (mlir::Attribute dim : dims) {
    if (text.size() > 1)
      text += ", ";
    if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(dim))
      text += std::to_string(integer.getInt());
    else
      text += mlir::cast<mlir::FlatSymbolRefAttr>(dim).getValue();
  }
  return text + "]";
}

static std::string tensorText(hl::TensorType type) {
  std::string text = dtypeText(type.getElementType()) + "[";
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    text += (index ? ", " : "") + std::to_string(size);
  return text + "]";
}

std::string helionc::frontend::describe(const Value &value) {
  switch (value.kind) {
  case ValueKind::Invalid:
    return "an invalid value";
  case ValueKind::None:
    return "None";
  case ValueKind::Int:
    return "the integer " + std::to_string(value.integer);
  case ValueKind::Float:
    return "a float";
  case ValueKind::Bool:
    return value.integer ? "True" : "False";
  case ValueKind::Str:
    return "a string";
  case ValueKind::Type:
    return "a dtype";
  case ValueKind::Sequence:
    return "a sequence of " + std::to_string(value.elements.size());
  case ValueKind::Tensor:
    return "the tensor " + tensorText(value.tensor());
  case ValueKind::Tile:
    return "a tile " + dtypeText(value.tile().getElementType()) + shapeText(value.tile().getDims());
  case ValueKind::Scalar:
    return "a device scalar";
  case ValueKind::Span:
    return "a tile index";
  case ValueKind::Block:
    return "a block size";
  case ValueKind::Function:
    return "a function";
  case ValueKind::Builtin:
    return "'" + value.text + "'";
  case ValueKind::Method:
    return "the method '" + value.text + "'";
  case ValueKind::Slice:
    return "a slice";
  case ValueKind::Ellipsis:
    return "'...'";
  case ValueKind::Opaque:
    return value.text;
  }
  return "a value";
}
