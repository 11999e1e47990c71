//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tiles: creation, shapes, casts, methods.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

static bool isUnit(mlir::Attribute dim) {
  auto integer = mlir::dyn_cast<mlir::IntegerAttr>(dim);
  return integer && integer.getInt() == 1;
}

Value Evaluator::dimValue(mlir::Attribute dim) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(dim))
    return Value::of(integer.getInt());
  Value value = Value::make(ValueKind::Block);
  value.block = dim;
  return value;
}

std::optional<std::vector<mlir::Attribute>> Evaluator::tileDims(const Value &shape, SMLoc loc) {
  std::vector<Value> items = shape.is(ValueKind::Sequence) ? shape.elements : std::vector<Value>{shape};
  if (items.size() == 1 && items[0].is(ValueKind::Sequence))
    items = items[0].elements;
  std::vector<mlir::Attribute> dims;
  for (const Value &item : items) {
    if (item.is(ValueKind::Span))
      dims.push_back(mlir::cast<hl::SpanType>(item.ssa.getType()).getExtent());
    else if (item.is(ValueKind::Block))
      dims.push_back(item.block);
    else if (item.is(ValueKind::Int) && item.integer > 0)
      dims.push_back(integerDim(item.integer));
    else {
      error(loc, "a dim of a tile is a tile or a positive integer, not " + describe(item));
      return std::nullopt;
    }
  }
  return dims;
}

Value Evaluator::full(llvm::ArrayRef<mlir::Attribute> dims, mlir::Type type, const Value &fill, SMLoc loc) {
  mlir::Location at = location(loc);
  mlir::Value scalar;
  if (fill.isNumber())
    scalar = constant(builder, at, type, fill);
  else if (fill.is(ValueKind::Scalar))
    scalar = convertScalar(builder, at, fill.ssa, type);
  else if (fill.is(ValueKind::Tile)) {
    Value cast = castTile(fill, type, loc);
    return cast ? broadcastTile(cast, dims, loc) : cast;
  } else
    return error(loc, "cannot fill a tile with " + describe(fill));
  return Value::of(hl::FullOp::create(builder, at, hl::TileType::get(&context, dims, type), scalar).getResult());
}

Value Evaluator::reshapeTile(const Value &tile, llvm::ArrayRef<mlir::Attribute> dims, SMLoc loc) {
  auto type = tile.tile().withDims(dims);
  if (type == tile.tile())
    return tile;
  auto notUnit = [](mlir::Attribute dim) { return !isUnit(dim); };
  bool regroups = !llvm::equal(llvm::make_filter_range(tile.tile().getDims(), notUnit), llvm::make_filter_range(dims, notUnit));
  if (regroups && !(tile.tile().isConcrete() && type.isConcrete()))
    return error(loc, "cannot reshape " + describe(tile) + " to " + shapeText(dims),
                 "dims that a loop cuts into blocks keep their place; only dims of size 1 may be added or dropped");
  if (regroups) {
    int64_t before = 1, after = 1;
    for (int64_t size : tile.tile().getShape())
      before *= size;
    for (int64_t size : type.getShape())
      after *= size;
    if (before != after)
      return error(loc, "cannot reshape " + describe(tile) + " to " + shapeText(dims));
  }
  return Value::of(hl::ReshapeOp::create(builder, location(loc), type, tile.ssa).getResult());
}

Value Evaluator::broadcastTile(const Value &tile, llvm::ArrayRef<mlir::Attribute> dims, SMLoc loc) {
  llvm::ArrayRef<mlir::Attribute> old = tile.tile().getDims();
  if (old == dims)
    return tile;
  std::vector<mlir::Attribute> aligned(dims.size() > old.size() ? dims.size() - old.size() : 0, integerDim(1));
  llvm::append_range(aligned, old);
  // Leading dims of 1 may go.
  while (aligned.size() > dims.size() && isUnit(aligned.front()))
    aligned.erase(aligned.begin());
  bool fits = aligned.size() == dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = aligned[i] == dims[i] || isUnit(aligned[i]);
  if (!fits)
    return error(loc, "shapes do not match: " + shapeText(old) + " and " + shapeText(dims),
                 "dims must be equal, or 1 where one is repeated");
  Value value = reshapeTile(tile, aligned, loc);
  if (!value || llvm::ArrayRef<mlir::Attribute>(aligned) == dims)
    return value;
  return Value::of(
      hl::BroadcastOp::create(builder, location(loc), tile.tile().withDims(dims), value.ssa).getResult());
}

bool Evaluator::commonDims(llvm::ArrayRef<Value> values, SMLoc loc, std::vector<mlir::Attribute> &dims) {
  for (const Value &value : values) {
    if (!value.is(ValueKind::Tile))
      continue;
    llvm::ArrayRef<mlir::Attribute> other = value.tile().getDims();
    if (other.size() > dims.size())
      dims.insert(dims.begin(), other.size() - dims.size(), integerDim(1));
    for (size_t i = 0; i < other.size(); ++i) {
      mlir::Attribute &mine = dims[dims.size() - other.size() + i];
      if (mine == other[i] || isUnit(other[i]))
        continue;
      if (!isUnit(mine)) {
        std::vector<std::string> shapes;
        for (const Value &each : values)
          if (each.is(ValueKind::Tile))
            shapes.push_back(shapeText(each.tile().getDims()));
        error(loc, "shapes do not match: " + llvm::join(shapes, " and "),
              "dims must be equal, or 1 where one is repeated: x[:, None] adds a dim of 1");
        return false;
      }
      mine = other[i];
    }
  }
  return true;
}

Value Evaluator::permuteTile(const Value &tile, llvm::ArrayRef<int64_t> order, SMLoc loc) {
  std::vector<mlir::Attribute> dims;
  for (int64_t dim : order)
    dims.push_back(tile.tile().getDims()[dim]);
  if (llvm::is_sorted(order))
    return tile;
  return Value::of(hl::TransposeOp::create(builder, location(loc), tile.tile().withDims(dims), tile.ssa,
                                           builder.getDenseI64ArrayAttr(order))
                       .getResult());
}

Value Evaluator::castTile(const Value &value, mlir::Type type, SMLoc loc) {
  mlir::Type from = elementType(value);
  if (from == type)
    return value;
  if (value.is(ValueKind::Scalar))
    return Value::of(convertScalar(builder, location(loc), value.ssa, type));
  return map({value}, from, type, loc, [&](mlir::OpBuilder &b, mlir::Location at, llvm::ArrayRef<mlir::Value> args) {
    return convertScalar(b, at, args[0], type);
  });
}

std::optional<int64_t> Evaluator::dimIndex(const Value &dim, int64_t rank, SMLoc loc) {
  if (!dim.is(ValueKind::Int)) {
    error(loc, "a dim is an integer that is known now, not " + describe(dim));
    return std::nullopt;
  }
  int64_t index = dim.integer < 0 ? dim.integer + rank : dim.integer;
  if (index < 0 || index >= rank) {
    error(loc, "dim " + std::to_string(dim.integer) + " of a value of rank " + std::to_string(rank));
    return std::nullopt;
  }
  return index;
}

Value Evaluator::tileMethod(const Value &self, StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  std::vector<Value> &values = arguments.positional;
  arguments.callee = name;
  if (name == "to" || name == "type") {
    const Value *type = argument(arguments, 0, "dtype");
    if (type && type->is(ValueKind::Opaque))
      return self;
    if (!type || !type->is(ValueKind::Type))
      return error(loc, "'to' takes a dtype");
    return castTile(self, type->type, loc);
  }
  for (auto [method, dtype] : std::initializer_list<std::pair<StringRef, StringRef>>{{"float", "f32"},
                                                                                       {"double", "f64"},
                                                                                       {"half", "f16"},
                                                                                       {"bfloat16", "bf16"},
                                                                                       {"int", "i32"},
                                                                                       {"long", "i64"},
                                                                                       {"bool", "bool"}})
    if (name == method)
      return castTile(self, floatOrIntType(dtype), loc);
  if (self.is(ValueKind::Tile)) {
    int64_t rank = self.tile().getRank();
    if (name == "size" && values.size() <= 1) {
      std::vector<Value> dims;
      for (mlir::Attribute dim : self.tile().getDims())
        dims.push_back(dimValue(dim));
      if (values.empty())
        return Value::of(std::move(dims));
      auto index = dimIndex(values[0], rank, loc);
      return index ? dims[*index] : Value();
    }
    if (name == "dim")
      return Value::of(rank);
    if (name == "contiguous" || name == "detach" || name == "clone")
      return self;
    if (name == "type_as" && values.size() == 1)
      return castTile(self, elementType(values[0]), loc);
    if (name == "view" && values.size() == 1 && values[0].is(ValueKind::Type)) {
      mlir::Type to = values[0].type, from = elementType(self);
      if (to.getIntOrFloatBitWidth() != from.getIntOrFloatBitWidth())
        return error(loc, "view to a dtype of another size is not supported yet");
      return map({self}, from, to, loc, [&](mlir::OpBuilder &b, mlir::Location at, llvm::ArrayRef<mlir::Value> args) {
        return mlir::arith::BitcastOp::create(b, at, to, args[0]).getResult();
      });
    }
    if (name == "view" || name == "reshape" || name == "expand" || name == "broadcast_to") {
      std::vector<Value> items = values.size() == 1 && values[0].is(ValueKind::Sequence) ? values[0].elements : values;
      for (size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is(ValueKind::Int) || items[i].integer != -1)
          continue;
        // -1: the dim as it is (expand), or what is left over (view).
        size_t offset = items.size() - std::min<size_t>(items.size(), rank);
        if (name == "expand" && i >= offset)
          items[i] = dimValue(self.tile().getDims()[i - offset]);
        else if (int64_t(items.size()) == rank)
          items[i] = dimValue(self.tile().getDims()[i]);
        else {
          std::vector<mlir::Attribute> left;
          for (mlir::Attribute dim : self.tile().getDims())
            if (!isUnit(dim))
              left.push_back(dim);
          for (const Value &other : items)
            if (auto dims = other.is(ValueKind::Int) && other.integer < 2 ? std::nullopt : tileDims(other, loc))
              llvm::erase(left, dims->front());
          items[i] = left.size() == 1 ? dimValue(left.front()) : left.empty() ? Value::of(int64_t(1)) : items[i];
        }
      }
      auto dims = tileDims(Value::of(items), loc);
      if (!dims)
        return Value();
      return name == "expand" || name == "broadcast_to" ? broadcastTile(self, *dims, loc) : reshapeTile(self, *dims, loc);
    }
    if (name == "expand_as" && values.size() == 1 && values[0].is(ValueKind::Tile))
      return broadcastTile(self, values[0].tile().getDims(), loc);
    if (name == "unsqueeze" && values.size() == 1) {
      auto place = dimIndex(values[0], rank + 1, loc);
      if (!place)
        return Value();
      std::vector<mlir::Attribute> dims = self.tile().getDims().vec();
      dims.insert(dims.begin() + *place, integerDim(1));
      return reshapeTile(self, dims, loc);
    }
    if (name == "squeeze") {
      std::vector<mlir::Attribute> dims = self.tile().getDims().vec();
      std::optional<int64_t> only;
      if (!values.empty() && !(only = dimIndex(values[0], rank, loc)))
        return Value();
      for (int64_t i = rank - 1; i >= 0; --i)
        if (isUnit(dims[i]) && (!only || *only == i))
          dims.erase(dims.begin() + i);
      return reshapeTile(self, dims, loc);
    }
    if (name == "t" || name == "transpose" || name == "permute") {
      std::vector<int64_t> order(rank);
      std::iota(order.begin(), order.end(), 0);
      std::vector<Value> dims = values.size() == 1 && values[0].is(ValueKind::Sequence) ? values[0].elements : values;
      if (name == "t")
        dims = {Value::of(int64_t(0)), Value::of(int64_t(1))};
      std::vector<int64_t> places;
      for (const Value &dim : dims) {
        auto place = dimIndex(dim, rank, loc);
        if (!place)
          return Value();
        places.push_back(*place);
      }
      if (name == "permute" && int64_t(places.size()) == rank)
        order = places;
      else if (name != "permute" && places.size() == 2)
        std::swap(order[places[0]], order[places[1]]);
      else
        return error(loc, "'" + name + "' takes " + (name == "permute" ? std::to_string(rank) : "2") + " dims");
      std::vector<int64_t> sorted = order;
      llvm::sort(sorted);
      for (int64_t i = 0; i < rank; ++i)
        if (sorted[i] != i)
          return error(loc, "permute needs each dim once");
      return permuteTile(self, order, loc);
    }
  }
  arguments.positional.insert(arguments.positional.begin(), self);
  if (isMatMul(name))
    return matmul(name, arguments);
  if (isReduction(name))
    return reduction(name, arguments);
  StringRef pointwiseName = name;
  pointwiseName.consume_back("_");
  if (pointwiseName == "clamp" || isPointwise(pointwiseName))
    return callPointwise(pointwiseName, arguments);
  std::string nearest = support::didYouMean(
      name, {"to", "sum", "mean", "amax", "amin", "exp", "log", "sqrt", "rsqrt", "sigmoid", "tanh", "view", "reshape",
             "transpose", "permute", "unsqueeze", "squeeze", "expand", "size", "softmax", "argmax", "argmin", "clamp"});
  return error(loc, "a tile has no method '" + name + "'", nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}
