//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Dtypes: PyTorch's promotion, conversions of scalars, constants.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;

mlir::Type Evaluator::elementType(const Value &value) {
  switch (value.kind) {
  case ValueKind::Tile:
    return value.tile().getElementType();
  case ValueKind::Tensor:
    return value.tensor().getElementType();
  case ValueKind::Scalar:
    return value.ssa.getType().isIndex() ? builder.getI64Type() : value.ssa.getType();
  case ValueKind::Float:
    return builder.getF32Type();
  case ValueKind::Bool:
    return builder.getI1Type();
  case ValueKind::Block:
  case ValueKind::Int:
    return builder.getI64Type();
  default:
    return {};
  }
}

/// bool < integers < floats.
static int category(mlir::Type type) {
  return mlir::isa<mlir::FloatType>(type) ? 2 : type.isInteger(1) ? 0 : 1;
}

mlir::Type Evaluator::promoteTypes(mlir::Type lhs, mlir::Type rhs) {
  if (lhs == rhs)
    return lhs;
  if (category(lhs) != category(rhs))
    return category(lhs) > category(rhs) ? lhs : rhs;
  unsigned left = lhs.getIntOrFloatBitWidth(), right = rhs.getIntOrFloatBitWidth();
  // f16 and bf16 hold different values: only f32 holds both.
  if (left == right)
    return mlir::Float32Type::get(lhs.getContext());
  return left > right ? lhs : rhs;
}

/// PyTorch's result_type: tiles with dims decide, then tiles of rank 0, then numbers, each only where it is of a higher
/// category.
mlir::Type Evaluator::promote(llvm::ArrayRef<Value> operands, SMLoc loc) {
  mlir::Type byRank[3];
  for (const Value &operand : operands) {
    mlir::Type type = elementType(operand);
    if (!type) {
      error(loc, "cannot compute with " + describe(operand));
      return {};
    }
    int priority = operand.is(ValueKind::Tile) ? (operand.tile().getRank() > 0 ? 0 : 1) : 2;
    byRank[priority] = byRank[priority] ? promoteTypes(byRank[priority], type) : type;
  }
  mlir::Type result;
  for (mlir::Type type : byRank)
    if (type && (!result || category(type) > category(result)))
      result = type;
  return result;
}

mlir::Type Evaluator::computeType(mlir::Type type) {
  return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32 ? mlir::Type(builder.getF32Type()) : type;
}

mlir::Value Evaluator::convertScalar(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type type) {
  namespace arith = mlir::arith;
  mlir::Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex())
    return convertScalar(b, loc, arith::IndexCastOp::create(b, loc, b.getI64Type(), value), type);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, convertScalar(b, loc, value, b.getI64Type()));
  bool fromFloat = mlir::isa<mlir::FloatType>(from), toFloat = mlir::isa<mlir::FloatType>(type);
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = type.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (fromWidth == toWidth) // f16 and bf16, by way of f32
      return arith::TruncFOp::create(b, loc, type, arith::ExtFOp::create(b, loc, b.getF32Type(), value));
    return fromWidth < toWidth ? arith::ExtFOp::create(b, loc, type, value).getResult()
                               : arith::TruncFOp::create(b, loc, type, value).getResult();
  }
  if (type.isInteger(1)) { // Whatever is not zero is true.
    if (fromFloat) {
      mlir::Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(from, 0.0));
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, zero);
    }
    mlir::Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(from, 0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (fromFloat) {
    if (fromWidth < 32)
      value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    return arith::FPToSIOp::create(b, loc, type, value);
  }
  if (toFloat) {
    mlir::Type wide = toWidth < 32 ? mlir::Type(b.getF32Type()) : type;
    mlir::Value converted = from.isInteger(1) ? arith::UIToFPOp::create(b, loc, wide, value).getResult()
                                              : arith::SIToFPOp::create(b, loc, wide, value).getResult();
    return convertScalar(b, loc, converted, type);
  }
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(b, loc, type, value);
  return from.isInteger(1) ? arith::ExtUIOp::create(b, loc, type, value).getResult()
                           : arith::ExtSIOp::create(b, loc, type, value).getResult();
}

mlir::Value Evaluator::constant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, const Value &value) {
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type)) {
    llvm::APFloat number(value.asNumber());
    bool lost;
    number.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return mlir::arith::ConstantOp::create(b, loc, mlir::FloatAttr::get(floatType, number));
  }
  if (type.isInteger(1))
    return mlir::arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value.asNumber() != 0));
  int64_t integer = value.is(ValueKind::Float) ? int64_t(value.number) : value.integer;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  llvm::APInt bits(64, uint64_t(integer), /*isSigned=*/true);
  return mlir::arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, bits.sextOrTrunc(width)));
}

Value Evaluator::map(llvm::ArrayRef<Value> operands, mlir::Type compute, mlir::Type resultType, SMLoc loc,
                     ScalarBody body) {
  mlir::Location at = location(loc);
  std::vector<mlir::Attribute> dims;
  if (!commonDims(operands, loc, dims))
    return Value();
  std::vector<mlir::Value> inputs;
  for (const Value &operand : operands) {
    if (!operand.is(ValueKind::Tile))
      continue;
    Value wide = broadcastTile(operand, dims, loc);
    if (!wide)
      return wide;
    inputs.push_back(wide.ssa);
  }
  auto scalarOf = [&](mlir::OpBuilder &b, const Value &operand) -> mlir::Value {
    if (operand.is(ValueKind::Scalar))
      return convertScalar(b, at, operand.ssa, compute);
    if (operand.is(ValueKind::Block))
      return convertScalar(b, at, hl::ExtentOp::create(b, at, operand.block), compute);
    return constant(b, at, compute, operand);
  };
  if (inputs.empty()) { // Scalars only.
    std::vector<mlir::Value> args;
    for (const Value &operand : operands)
      args.push_back(scalarOf(builder, operand));
    return Value::of(body(builder, at, args));
  }
  // Scalars known outside are converted outside.
  std::vector<mlir::Value> outside(operands.size());
  for (auto [place, operand] : llvm::enumerate(operands))
    if (operand.is(ValueKind::Scalar) || operand.is(ValueKind::Block))
      outside[place] = scalarOf(builder, operand);
  auto op = hl::MapOp::create(builder, at, hl::TileType::get(&context, dims, resultType), inputs);
  mlir::Block &block = op.getBody().emplaceBlock();
  mlir::OpBuilder inner = mlir::OpBuilder::atBlockEnd(&block);
  std::vector<mlir::Value> args;
  for (auto [place, operand] : llvm::enumerate(operands)) {
    if (operand.is(ValueKind::Tile)) {
      mlir::Value argument = block.addArgument(operand.tile().getElementType(), at);
      args.push_back(convertScalar(inner, at, argument, compute));
    } else {
      args.push_back(outside[place] ? outside[place] : scalarOf(inner, operand));
    }
  }
  hl::YieldOp::create(inner, at, body(inner, at, args));
  return Value::of(op.getResult());
}
