//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Matrix products.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

bool Evaluator::isMatMul(StringRef name) const {
  return llvm::StringSwitch<bool>(name).Cases({"matmul", "mm", "bmm", "addmm", "baddbmm"}, true).Default(false);
}

/// acc + lhs · rhs, summed in f32 (f64 for f64, i32 for integers) and rounded to `resultType` at the end.
Value Evaluator::dot(Value lhs, Value rhs, const Value *acc, mlir::Type resultType, SMLoc loc) {
  mlir::Type operandType = promoteTypes(elementType(lhs), elementType(rhs));
  if (operandType.isInteger(1))
    operandType = builder.getI8Type();
  lhs = castTile(lhs, operandType, loc);
  rhs = castTile(rhs, operandType, loc);
  mlir::Type sumType = operandType.isF64()                           ? mlir::Type(builder.getF64Type())
                       : mlir::isa<mlir::FloatType>(operandType)     ? mlir::Type(builder.getF32Type())
                       : operandType.getIntOrFloatBitWidth() > 32    ? operandType
                                                                     : mlir::Type(builder.getI32Type());
  llvm::ArrayRef<mlir::Attribute> left = lhs.tile().getDims(), right = rhs.tile().getDims();
  if (left.size() < 2 || right.size() < 2)
    return error(loc, "a matrix product needs two dims on each side, not " + shapeText(left) + " and " + shapeText(right));
  // Leading dims broadcast.
  std::vector<mlir::Attribute> batch;
  std::vector<mlir::Attribute> leftBatch(left.drop_back(2)), rightBatch(right.drop_back(2));
  size_t rank = std::max(leftBatch.size(), rightBatch.size());
  leftBatch.insert(leftBatch.begin(), rank - leftBatch.size(), integerDim(1));
  rightBatch.insert(rightBatch.begin(), rank - rightBatch.size(), integerDim(1));
  for (auto [a, b] : llvm::zip(leftBatch, rightBatch)) {
    if (a != b && a != integerDim(1) && b != integerDim(1))
      return error(loc, "the leading dims of " + shapeText(left) + " and " + shapeText(right) + " differ");
    batch.push_back(a == integerDim(1) ? b : a);
  }
  mlir::Attribute m = left[left.size() - 2], k = left.back(), n = right.back();
  if (k != right[right.size() - 2])
    return error(loc, "cannot multiply " + shapeText(left) + " and " + shapeText(right) + ": the inner dims differ");
  auto with = [&](mlir::Attribute rows, mlir::Attribute columns) {
    std::vector<mlir::Attribute> dims = batch;
    dims.push_back(rows);
    dims.push_back(columns);
    return dims;
  };
  lhs = broadcastTile(lhs, with(m, k), loc);
  rhs = broadcastTile(rhs, with(k, n), loc);
  bool exact = acc && elementType(*acc) == sumType;
  Value start = exact ? broadcastTile(*acc, with(m, n), loc) : full(with(m, n), sumType, Value::of(int64_t(0)), loc);
  if (!lhs || !rhs || !start)
    return Value();
  Value result = Value::of(
      hl::DotOp::create(builder, location(loc), start.ssa.getType(), lhs.ssa, rhs.ssa, start.ssa, builder.getStringAttr("tf32"))
          .getResult());
  if (acc && !exact)
    result = pointwise("add", {result, *acc}, loc);
  return result ? castTile(result, resultType, loc) : result;
}

Value Evaluator::matmul(StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  bool adds = name == "addmm" || name == "baddbmm", isDot = name == "hl.dot";
  if (!takes(arguments, adds ? 3 : 2, adds ? 3 : isDot ? 4 : 2,
             isDot ? llvm::ArrayRef<StringRef>{"acc", "out_dtype"} : llvm::ArrayRef<StringRef>{"beta", "alpha"}))
    return Value();
  if (arguments.keywords.count("beta") || arguments.keywords.count("alpha"))
    return error(loc, "'" + name + "' with alpha or beta is not supported yet", "scale the operands instead");
  for (const Value &value : arguments.positional) {
    if (value.is(ValueKind::Tensor))
      return error(loc, "'" + name + "' of " + describe(value) + ", which is in memory",
                   insideLoop() ? "index it with the loops' tiles, as x[tile_m, tile_k]" : "compute inside a loop over hl.tile(…)");
    if (!value.is(ValueKind::Tile) && !value.is(ValueKind::None))
      return error(loc, "'" + name + "' of " + describe(value));
  }
  const Value *acc = adds ? &arguments.positional[0] : isDot ? argument(arguments, 2, "acc") : nullptr;
  if (acc && acc->is(ValueKind::None))
    acc = nullptr;
  const Value &lhs = arguments.positional[adds ? 1 : 0], &rhs = arguments.positional[adds ? 2 : 1];
  mlir::Type result = acc ? elementType(*acc) : promoteTypes(elementType(lhs), elementType(rhs));
  if (isDot) {
    const Value *out = argument(arguments, 3, "out_dtype");
    if (out && out->is(ValueKind::Type))
      result = out->type;
    else if (!acc)
      result = mlir::isa<mlir::FloatType>(result) ? mlir::Type(builder.getF32Type()) : builder.getI32Type();
  }
  return dot(lhs, rhs, acc, result, loc);
}
