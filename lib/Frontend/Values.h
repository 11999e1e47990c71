//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What names stand for while a kernel is lowered: host values known now, device values known as SSA.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_FRONTEND_VALUES_H
#define HELIONC_LIB_FRONTEND_VALUES_H

#include "helionc/Dialect/HL/HL.h"
#include "helionc/Frontend/AST.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <optional>

namespace helionc::frontend {

struct Value;
/// A scope's names.
using Environment = std::map<std::string, Value>;

/// A function of the file or a lambda, with the names it sees.
struct Closure {
  const std::vector<Param> *params = nullptr;
  /// A def's statements, or a lambda's expression.
  const Stmt *definition = nullptr;
  const Expr *lambda = nullptr;
  std::shared_ptr<Environment> captured;
};

enum class ValueKind {
  Invalid, // an error has been reported
  None,
  Int,
  Float,
  Bool,
  Str,
  Type,     // a dtype
  Sequence, // a tuple or list
  Tensor,   // a tensor in memory: an SSA value of type !hl.tensor
  Tile,     // an SSA value of type !hl.tile
  Scalar,   // an SSA value of type index, an integer or a float
  Span,     // a block of a loop: an SSA value of type !hl.span
  Block,    // a registered block size: a parameter
  Function, // a closure
  Builtin,  // a function of torch, hl, math or Python, by dotted name; or a module
  Method,   // a method, by name, with the value it belongs to
  Slice,
  Ellipsis,
  Opaque // something that may be passed around but not looked into (a device)
};

/// One value. `elements` holds a sequence's elements, a slice's three bounds, a method's self.
struct Value {
  ValueKind kind = ValueKind::Invalid;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  mlir::Type type;
  mlir::Value ssa;
  mlir::Attribute block;
  std::vector<Value> elements;
  std::shared_ptr<Closure> closure;

  bool isValid() const { return kind != ValueKind::Invalid; }
  explicit operator bool() const { return isValid(); }
  bool is(ValueKind other) const { return kind == other; }
  bool isNumber() const { return kind == ValueKind::Int || kind == ValueKind::Float || kind == ValueKind::Bool; }
  bool isDevice() const { return kind == ValueKind::Tile || kind == ValueKind::Scalar; }
  double asNumber() const { return kind == ValueKind::Float ? number : double(integer); }

  hl::TileType tile() const { return mlir::cast<hl::TileType>(ssa.getType()); }
  hl::TensorType tensor() const { return mlir::cast<hl::TensorType>(ssa.getType()); }

  static Value none() { return make(ValueKind::None); }
  static Value make(ValueKind kind) {
    Value value;
    value.kind = kind;
    return value;
  }
  static Value of(int64_t integer) {
    Value value = make(ValueKind::Int);
    value.integer = integer;
    return value;
  }
  static Value of(double number) {
    Value value = make(ValueKind::Float);
    value.number = number;
    return value;
  }
  static Value of(bool flag) {
    Value value = make(ValueKind::Bool);
    value.integer = flag;
    return value;
  }
  static Value of(std::string text) {
    Value value = make(ValueKind::Str);
    value.text = std::move(text);
    return value;
  }
  static Value of(mlir::Type type) {
    Value value = make(ValueKind::Type);
    value.type = type;
    return value;
  }
  static Value of(std::vector<Value> elements) {
    Value value = make(ValueKind::Sequence);
    value.elements = std::move(elements);
    return value;
  }
  static Value builtin(std::string name) {
    Value value = make(ValueKind::Builtin);
    value.text = std::move(name);
    return value;
  }
  /// A tensor, tile, span or scalar, by the type of `ssa`.
  static Value of(mlir::Value ssa);
};

/// "a tile", "an integer", … for messages.
std::string describe(const Value &value);
/// "[block_sizes.0, 64]".
std::string shapeText(llvm::ArrayRef<mlir::Attribute> dims);
/// "f32", "bool", …
std::string dtypeText(mlir::Type type);

} // namespace helionc::frontend

#endif // HELIONC_LIB_FRONTEND_VALUES_H
