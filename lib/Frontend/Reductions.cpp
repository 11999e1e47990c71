//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reductions and what is made of them.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

bool Evaluator::isReduction(StringRef name) const {
  return llvm::StringSwitch<bool>(name)
      .Cases({"sum", "mean", "amax", "amin", "max", "min", "prod", "any", "all", "argmax"}, true)
      .Cases({"argmin", "var", "var_mean", "std", "logsumexp", "softmax", "log_softmax"}, true)
      .Default(false);
}

Value Evaluator::reduceDims(const Value &tile, hl::ReduceKind kind, llvm::ArrayRef<int64_t> dims, bool keepDim, SMLoc loc) {
  Value result = tile;
  std::vector<int64_t> descending(dims);
  llvm::sort(descending, std::greater<>());
  std::vector<mlir::Attribute> kept = tile.tile().getDims().vec();
  for (int64_t dim : descending) {
    std::vector<mlir::Attribute> left = result.tile().getDims().vec();
    left.erase(left.begin() + dim);
    bool isArg = kind == hl::ReduceKind::ArgMax || kind == hl::ReduceKind::ArgMin;
    mlir::Type element = isArg ? mlir::Type(builder.getI64Type()) : result.tile().getElementType();
    auto type = hl::TileType::get(&context, left, element);
    result = Value::of(hl::ReduceOp::create(builder, location(loc), type, kind, result.ssa, dim).getResult());
    kept[dim] = integerDim(1);
  }
  return keepDim ? reshapeTile(result, kept, loc) : result;
}

/// How many real elements are reduced: sizes known now, and for a dim that a loop cuts, end - begin of its span.
Value Evaluator::elementCount(const Value &tile, llvm::ArrayRef<int64_t> dims) {
  int64_t known = 1;
  Value count = Value::of(int64_t(1));
  for (int64_t dim : dims) {
    mlir::Attribute extent = tile.tile().getDims()[dim];
    if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(extent)) {
      known *= integer.getInt();
      continue;
    }
    mlir::Value span;
    for (auto &[block, active] : activeSpans)
      if (block == extent)
        span = active;
    if (!span) {
      Value block = dimValue(extent);
      count = Value::of(hl::ExtentOp::create(builder, tile.ssa.getLoc(), block.block).getResult());
      continue;
    }
    mlir::Location at = tile.ssa.getLoc();
    mlir::Value real = mlir::arith::SubIOp::create(builder, at, hl::EndOp::create(builder, at, span),
                                                   hl::BeginOp::create(builder, at, span));
    if (count.is(ValueKind::Int))
      count = Value::of(real);
    else
      count = Value::of(mlir::arith::MulIOp::create(builder, at, count.ssa, real).getResult());
  }
  if (count.is(ValueKind::Int))
    return Value::of(known);
  mlir::Value constant = mlir::arith::ConstantIndexOp::create(builder, tile.ssa.getLoc(), known);
  return Value::of(mlir::arith::MulIOp::create(builder, tile.ssa.getLoc(), count.ssa, constant).getResult());
}

Value Evaluator::mean(const Value &tile, llvm::ArrayRef<int64_t> dims, bool keepDim, SMLoc loc) {
  mlir::Type type = elementType(tile), compute = computeType(type);
  Value total = reduceDims(castTile(tile, compute, loc), hl::ReduceKind::Sum, dims, keepDim, loc);
  Value result = total ? pointwise("div", {total, elementCount(tile, dims)}, loc) : total;
  return result ? castTile(result, type, loc) : result;
}

/// The mean of the squared distances from the mean: two passes over registers, no cancellation.
Value Evaluator::variance(const Value &tile, llvm::ArrayRef<int64_t> dims, double correction, bool keepDim, SMLoc loc) {
  mlir::Type type = elementType(tile), compute = computeType(type);
  Value wide = castTile(tile, compute, loc);
  Value center = mean(wide, dims, /*keepDim=*/true, loc);
  Value distance = center ? pointwise("sub", {wide, center}, loc) : center;
  Value squares = distance ? pointwise("mul", {distance, distance}, loc) : distance;
  Value total = squares ? reduceDims(squares, hl::ReduceKind::Sum, dims, keepDim, loc) : squares;
  if (!total)
    return total;
  Value count = elementCount(tile, dims);
  if (correction != 0) {
    count = count.is(ValueKind::Int) ? Value::of(double(count.integer) - correction)
                                     : pointwise("sub", {castTile(count, compute, loc), Value::of(correction)}, loc);
  }
  Value result = pointwise("div", {total, count}, loc);
  return result ? castTile(result, type, loc) : result;
}

Value Evaluator::softmax(const Value &tile, int64_t dim, bool isLog, SMLoc loc) {
  mlir::Type type = elementType(tile), compute = computeType(type);
  Value wide = castTile(tile, compute, loc);
  Value top = reduceDims(wide, hl::ReduceKind::Max, dim, /*keepDim=*/true, loc);
  Value shifted = top ? pointwise("sub", {wide, top}, loc) : top;
  Value powers = shifted ? pointwise("exp", {shifted}, loc) : shifted;
  Value total = powers ? reduceDims(powers, hl::ReduceKind::Sum, dim, /*keepDim=*/true, loc) : powers;
  if (!total)
    return total;
  Value result = isLog ? pointwise("sub", {shifted, pointwise("log", {total}, loc)}, loc)
                       : pointwise("div", {powers, total}, loc);
  return result ? castTile(result, type, loc) : result;
}

/// The value that the reduction works on: bools and small integers widen for sums, floats stay.
static mlir::Type sumType(mlir::Type type, mlir::OpBuilder &builder) {
  return mlir::isa<mlir::FloatType>(type) ? type : mlir::Type(builder.getI64Type());
}

Value Evaluator::reduction(StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  if (!takes(arguments, 1, 4, {"dim", "keepdim", "dtype", "correction", "unbiased", "axis", "_stacklevel"}))
    return Value();
  Value tile = arguments.positional.front();
  if (tile.is(ValueKind::Tensor))
    return error(loc, "'" + arguments.callee + "' of " + describe(tile) + ", which is in memory",
                 insideLoop() ? "index it with the loop's tile, as x[tile, :]" : "compute inside a loop over hl.tile(…)");
  const Value *second = arguments.size() > 1 ? &arguments.positional[1] : nullptr;
  // torch.max(a, b) of two tiles is elementwise.
  if ((name == "max" || name == "min") && second && second->is(ValueKind::Tile))
    return pointwise(name == "max" ? "maximum" : "minimum", {tile, *second}, loc);
  if (!tile.is(ValueKind::Tile))
    return error(loc, "'" + arguments.callee + "' of " + describe(tile));
  const Value *dimValue = argument(arguments, 1, arguments.keywords.count("axis") ? "axis" : "dim");
  int64_t rank = tile.tile().getRank();
  std::vector<int64_t> dims;
  bool hasDim = dimValue && !dimValue->is(ValueKind::None);
  if (hasDim) {
    for (const Value &item : dimValue->is(ValueKind::Sequence) ? dimValue->elements : std::vector<Value>{*dimValue}) {
      auto index = dimIndex(item, rank, loc);
      if (!index)
        return Value();
      dims.push_back(*index);
    }
  } else {
    for (int64_t i = 0; i < rank; ++i)
      dims.push_back(i);
  }
  auto flag = [&](size_t index, StringRef key, bool otherwise) {
    const Value *value = argument(arguments, index, key);
    return value && value->isNumber() ? value->integer != 0 : otherwise;
  };
  bool isVariance = name == "var" || name == "std" || name == "var_mean";
  bool keepDim = arguments.keywords.count("keepdim") ? flag(99, "keepdim", false) : flag(isVariance ? 99 : 2, "keepdim", false);
  if (arguments.keywords.count("dtype") && arguments.keywords["dtype"].is(ValueKind::Type))
    tile = castTile(tile, arguments.keywords["dtype"].type, loc);
  mlir::Type type = elementType(tile), compute = computeType(type);
  auto reduceAs = [&](mlir::Type wide, hl::ReduceKind kind, mlir::Type result) {
    Value value = reduceDims(castTile(tile, wide, loc), kind, dims, keepDim, loc);
    return value ? castTile(value, result, loc) : value;
  };
  if (name == "softmax" || name == "log_softmax") {
    if (dims.size() != 1)
      return error(loc, "'" + name + "' needs one dim");
    return softmax(tile, dims.front(), name == "log_softmax", loc);
  }
  if (name == "sum" || name == "prod") {
    mlir::Type result = sumType(type, builder);
    return reduceAs(computeType(result), name == "sum" ? hl::ReduceKind::Sum : hl::ReduceKind::Prod, result);
  }
  if (name == "mean") {
    if (!mlir::isa<mlir::FloatType>(type))
      return error(loc, "the mean of " + dtypeText(type), "convert with .to(torch.float32)");
    return mean(tile, dims, keepDim, loc);
  }
  if (name == "any" || name == "all")
    return reduceAs(builder.getI1Type(), name == "any" ? hl::ReduceKind::Or : hl::ReduceKind::And, builder.getI1Type());
  if (name == "argmax" || name == "argmin") {
    if (dims.size() != 1)
      return error(loc, "'" + name + "' needs one dim");
    return reduceDims(tile, name == "argmax" ? hl::ReduceKind::ArgMax : hl::ReduceKind::ArgMin, dims, keepDim, loc);
  }
  if (name == "amax" || name == "amin" || name == "max" || name == "min") {
    bool isMax = name.contains("max");
    Value values = reduceAs(type.isInteger(1) ? type : type, type.isInteger(1) ? (isMax ? hl::ReduceKind::Or : hl::ReduceKind::And)
                                                              : isMax            ? hl::ReduceKind::Max
                                                                                 : hl::ReduceKind::Min,
                            type);
    // max(dim) gives values and indices, as in PyTorch.
    if (name.starts_with("a") || !hasDim || !values)
      return values;
    Value places = reduceDims(tile, isMax ? hl::ReduceKind::ArgMax : hl::ReduceKind::ArgMin, dims, keepDim, loc);
    return places ? Value::of(std::vector<Value>{values, places}) : places;
  }
  if (name == "logsumexp") {
    Value wide = castTile(tile, compute, loc);
    Value top = reduceDims(wide, hl::ReduceKind::Max, dims, /*keepDim=*/true, loc);
    // An infinite maximum would give inf - inf.
    Value finite = pointwise("isfinite", {top}, loc);
    Value safe = pointwise("where", {finite, top, Value::of(0.0)}, loc);
    Value powers = pointwise("exp", {pointwise("sub", {wide, safe}, loc)}, loc);
    Value total = reduceDims(powers, hl::ReduceKind::Sum, dims, /*keepDim=*/true, loc);
    Value result = pointwise("add", {pointwise("log", {total}, loc), safe}, loc);
    if (!keepDim) {
      std::vector<mlir::Attribute> left;
      for (auto [index, dim] : llvm::enumerate(result.tile().getDims()))
        if (!llvm::is_contained(dims, int64_t(index)))
          left.push_back(dim);
      result = reshapeTile(result, left, loc);
    }
    return result ? castTile(result, type, loc) : result;
  }
  // var, std, var_mean
  if (!mlir::isa<mlir::FloatType>(type))
    return error(loc, "the variance of " + dtypeText(type), "convert with .to(torch.float32)");
  double correction = 1;
  if (arguments.keywords.count("correction"))
    correction = arguments.keywords["correction"].asNumber();
  else if (arguments.keywords.count("unbiased"))
    correction = arguments.keywords["unbiased"].asNumber();
  else if (arguments.size() > 2 && arguments.positional[2].is(ValueKind::Bool))
    correction = arguments.positional[2].asNumber();
  Value result = variance(tile, dims, correction, keepDim, loc);
  if (!result || name == "var")
    return result;
  if (name == "std")
    return pointwise("sqrt", {result}, loc);
  Value center = mean(tile, dims, keepDim, loc);
  return center ? Value::of(std::vector<Value>{result, center}) : center;
}
