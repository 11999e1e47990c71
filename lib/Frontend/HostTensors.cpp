//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tensors in memory: allocations, views, sizes.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

Value Evaluator::allocate(llvm::ArrayRef<int64_t> shape, mlir::Type type, SMLoc loc) {
  auto tensor = hl::TensorType::contiguous(shape, type);
  mlir::Value argument = kernelOp.getBody().front().addArgument(tensor, location(loc));
  argumentInfo.push_back({"", true, false});
  return Value::of(argument);
}

std::optional<std::vector<int64_t>> Evaluator::sizes(llvm::ArrayRef<Value> values, SMLoc loc, bool allowMinusOne) {
  std::vector<Value> flat;
  for (const Value &value : values)
    if (value.is(ValueKind::Sequence))
      llvm::append_range(flat, value.elements);
    else
      flat.push_back(value);
  std::vector<int64_t> result;
  for (const Value &value : flat) {
    if (!value.is(ValueKind::Int) || value.integer < (allowMinusOne ? -1 : 0)) {
      error(loc, "a size must be an integer that is known now, not " + describe(value),
            "shapes that depend on data are not supported");
      return std::nullopt;
    }
    result.push_back(value.integer);
  }
  return result;
}

/// empty, zeros, ones, full, by shape or like another tensor or tile.
Value Evaluator::callAllocation(StringRef name, Arguments &arguments, const Value *like) {
  SMLoc loc = arguments.loc;
  bool isFull = name == "full";
  static constexpr StringRef keywords[] = {"dtype", "device", "fill_value", "size", "requires_grad", "layout", "memory_format"};
  std::vector<Value> &positional = arguments.positional;
  if (!takes(arguments, 0, 16, keywords))
    return Value();
  const Value *dtype = arguments.keywords.count("dtype") ? &arguments.keywords["dtype"] : nullptr;
  Value fill = Value::of(name == "ones" ? 1.0 : 0.0);
  if (isFull) {
    const Value *given = argument(arguments, like ? 0 : 1, "fill_value");
    if (!given)
      return error(loc, "'" + arguments.callee + "' needs a value to fill with");
    fill = *given;
  }
  mlir::Type type = like ? elementType(*like) : builder.getF32Type();
  if (dtype && dtype->is(ValueKind::Type))
    type = dtype->type;
  else if (!like && isFull && fill.is(ValueKind::Int))
    type = builder.getI64Type();
  // A tile: like another tile, or sized by tiles inside a loop.
  if (insideLoop() || (like && like->is(ValueKind::Tile))) {
    std::optional<std::vector<mlir::Attribute>> dims;
    if (like && like->is(ValueKind::Tile))
      dims = like->tile().getDims().vec();
    else if (like)
      return error(loc, "'" + arguments.callee + "' of a tensor in memory inside a loop", "make it before the loop");
    else
      dims = tileDims(isFull ? positional.front() : Value::of(positional), loc);
    return dims ? full(*dims, type, fill, loc) : Value();
  }
  std::vector<int64_t> shape;
  if (like) {
    shape = like->tensor().getShape().vec();
  } else {
    const Value *size = arguments.keywords.count("size") ? &arguments.keywords["size"] : nullptr;
    std::vector<Value> given = size ? std::vector<Value>{*size} : isFull ? std::vector<Value>{positional.front()} : positional;
    auto parsed = sizes(given, loc, /*allowMinusOne=*/false);
    if (!parsed)
      return Value();
    shape = *parsed;
  }
  Value tensor = allocate(shape, type, loc);
  if (name == "empty")
    return tensor;
  if (!fill.isNumber())
    return error(loc, "a tensor is filled with a number that is known now, not " + describe(fill));
  return fillTensor(tensor, fill.asNumber(), loc) ? tensor : Value();
}

/// A launch of its own that writes `value` everywhere.
bool Evaluator::fillTensor(const Value &tensor, double number, SMLoc loc) {
  mlir::Location at = location(loc);
  hl::TensorType type = tensor.tensor();
  int64_t count = type.getNumElements();
  Value flat = view(tensor, {count}, {1}, 0);
  mlir::Attribute block =
      addBlockParam(1, std::min<int64_t>(int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(count, 1))), 4096), "block of a fill", false);
  blockExtents[block] = count;
  mlir::Value zero = mlir::arith::ConstantIndexOp::create(builder, at, 0);
  mlir::Value end = mlir::arith::ConstantIndexOp::create(builder, at, count);
  auto grid = hl::GridOp::create(builder, at, zero, end, builder.getArrayAttr(block));
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block &body = grid.getBody().emplaceBlock();
  mlir::Value span = body.addArgument(hl::SpanType::get(&context, block), at);
  builder.setInsertionPointToStart(&body);
  Value fill = full({block}, type.getElementType(), Value::of(number), loc);
  return fill && store(flat, {Value::of(span)}, fill, nullptr, loc);
}

Value Evaluator::view(const Value &tensor, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
                      int64_t offset) {
  auto type = hl::TensorType::get(&context, shape, tensor.tensor().getElementType(), strides);
  if (type == tensor.tensor() && offset == 0)
    return tensor;
  mlir::OpBuilder::InsertionGuard guard(builder);
  // Views are made outside the loops.
  if (insideLoop()) {
    mlir::Operation *top = builder.getInsertionBlock()->getParentOp();
    while (top->getParentOp() != kernelOp)
      top = top->getParentOp();
    builder.setInsertionPoint(top);
  }
  return Value::of(hl::ViewOp::create(builder, tensor.ssa.getLoc(), type, tensor.ssa, offset).getResult());
}

/// Strides of `shape` over the memory of a tensor, when no copy is needed: PyTorch's rule for view().
static std::optional<std::vector<int64_t>> viewStrides(hl::TensorType type, llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  if (type.getNumElements() == 0) {
    auto contiguous = hl::TensorType::contiguousStrides(shape);
    return std::vector<int64_t>(contiguous.begin(), contiguous.end());
  }
  int64_t next = int64_t(shape.size()) - 1;
  llvm::ArrayRef<int64_t> oldShape = type.getShape(), oldStrides = type.getStrides();
  int64_t chunkStride = oldShape.empty() ? 1 : oldStrides.back(), chunk = 1, taken = 1;
  for (int64_t d = int64_t(oldShape.size()) - 1; d >= 0; --d) {
    chunk *= oldShape[d];
    bool ends = d == 0 || (oldShape[d - 1] != 1 && oldStrides[d - 1] != chunk * chunkStride);
    if (!ends)
      continue;
    while (next >= 0 && (taken < chunk || shape[next] == 1)) {
      strides[next] = taken * chunkStride;
      taken *= shape[next--];
    }
    if (taken != chunk)
      return std::nullopt;
    if (d > 0) {
      chunkStride = oldStrides[d - 1];
      chunk = taken = 1;
    }
  }
  return next == -1 ? std::optional(strides) : std::nullopt;
}

Value Evaluator::reshapeTensor(const Value &tensor, std::vector<int64_t> shape, SMLoc loc) {
  int64_t count = tensor.tensor().getNumElements(), known = 1, open = -1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size != -1) {
      known *= size;
      continue;
    }
    if (open != -1)
      return error(loc, "only one size may be -1");
    open = dim;
  }
  if (open != -1) {
    if (known == 0 || count % known != 0)
      return error(loc, describe(tensor) + " has " + std::to_string(count) + " elements, which " +
                            std::to_string(known) + " does not divide");
    shape[open] = count / known;
    known = count;
  }
  if (known != count)
    return error(loc, "cannot view " + describe(tensor) + " of " + std::to_string(count) + " elements as one of " +
                          std::to_string(known));
  auto strides = viewStrides(tensor.tensor(), shape);
  if (!strides)
    return error(loc, "this view of " + describe(tensor) + " would need a copy, because of its strides",
                 "pass a tensor that is contiguous");
  return view(tensor, shape, *strides, 0);
}

Value Evaluator::permuteTensor(const Value &tensor, llvm::ArrayRef<int64_t> order) {
  std::vector<int64_t> shape, strides;
  for (int64_t dim : order) {
    shape.push_back(tensor.tensor().getShape()[dim]);
    strides.push_back(tensor.tensor().getStrides()[dim]);
  }
  return view(tensor, shape, strides, 0);
}

Value Evaluator::expandTensor(const Value &tensor, llvm::ArrayRef<int64_t> shape, SMLoc loc) {
  llvm::ArrayRef<int64_t> old = tensor.tensor().getShape(), oldStrides = tensor.tensor().getStrides();
  if (shape.size() < old.size())
    return error(loc, "cannot expand " + describe(tensor) + " to fewer dims");
  size_t added = shape.size() - old.size();
  std::vector<int64_t> result(shape), strides(shape.size(), 0);
  for (size_t i = 0; i < old.size(); ++i) {
    int64_t &size = result[added + i];
    if (size == -1)
      size = old[i];
    if (size != old[i] && old[i] != 1)
      return error(loc, "cannot expand a dim of " + std::to_string(old[i]) + " to " + std::to_string(size));
    strides[added + i] = size == old[i] ? oldStrides[i] : 0;
  }
  return view(tensor, result, strides, 0);
}

/// Integers, slices, None and '…' on a tensor outside the loops: a view.
Value Evaluator::indexTensorOnHost(const Value &tensor, llvm::ArrayRef<Value> indices, SMLoc loc) {
  hl::TensorType type = tensor.tensor();
  size_t used = llvm::count_if(indices, [](const Value &v) { return !v.is(ValueKind::None) && !v.is(ValueKind::Ellipsis); });
  if (used > size_t(type.getRank()))
    return error(loc, std::to_string(used) + " indices for " + describe(tensor));
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  size_t dim = 0;
  auto keep = [&](size_t count) {
    for (; count; --count, ++dim) {
      shape.push_back(type.getShape()[dim]);
      strides.push_back(type.getStrides()[dim]);
    }
  };
  for (const Value &index : indices) {
    if (index.is(ValueKind::None)) {
      shape.push_back(1);
      strides.push_back(0);
      continue;
    }
    if (index.is(ValueKind::Ellipsis)) {
      keep(type.getRank() - used);
      used = type.getRank();
      continue;
    }
    int64_t size = type.getShape()[dim], stride = type.getStrides()[dim];
    if (index.is(ValueKind::Int)) {
      int64_t place = index.integer < 0 ? index.integer + size : index.integer;
      if (place < 0 || place >= size)
        return error(loc, "index " + std::to_string(index.integer) + " is outside a dim of " + std::to_string(size));
      offset += place * stride;
      ++dim;
      continue;
    }
    if (!index.is(ValueKind::Slice))
      return error(loc, "cannot index " + describe(tensor) + " with " + describe(index) + " here");
    auto bound = [&](const Value &value, int64_t otherwise) {
      if (value.is(ValueKind::None))
        return otherwise;
      return std::clamp<int64_t>(value.integer < 0 ? value.integer + size : value.integer, 0, size);
    };
    for (const Value &part : index.elements)
      if (!part.is(ValueKind::None) && !part.is(ValueKind::Int))
        return error(loc, "the bounds of a slice must be integers that are known now, not " + describe(part));
    int64_t step = index.elements[2].is(ValueKind::None) ? 1 : index.elements[2].integer;
    if (step <= 0)
      return error(loc, "the step of a slice must be positive");
    int64_t begin = bound(index.elements[0], 0), end = std::max(begin, bound(index.elements[1], size));
    shape.push_back((end - begin + step - 1) / step);
    strides.push_back(stride * step);
    offset += (shape.back() ? begin : 0) * stride;
    ++dim;
  }
  keep(type.getRank() - dim);
  return view(tensor, shape, strides, offset);
}

Value Evaluator::tensorMethod(const Value &self, StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  hl::TensorType type = self.tensor();
  std::vector<Value> &values = arguments.positional;
  int64_t rank = type.getRank();
  auto list = [](llvm::ArrayRef<int64_t> items) {
    std::vector<Value> result;
    for (int64_t item : items)
      result.push_back(Value::of(item));
    return Value::of(std::move(result));
  };
  if (name == "size" || name == "stride") {
    if (!takes(arguments, 0, 1, {"dim"}))
      return Value();
    llvm::ArrayRef<int64_t> items = name == "size" ? type.getShape() : type.getStrides();
    const Value *dim = argument(arguments, 0, "dim");
    if (!dim)
      return list(items);
    auto index = dimIndex(*dim, rank, loc);
    return index ? Value::of(items[*index]) : Value();
  }
  if (name == "numel")
    return Value::of(type.getNumElements());
  if (name == "dim")
    return Value::of(rank);
  if (name == "is_contiguous")
    return Value::of(type.isContiguous());
  if (name == "contiguous" && type.isContiguous())
    return self;
  if (name == "detach" || name == "requires_grad_")
    return self;
  if (name == "element_size")
    return Value::of(int64_t(std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8)));
  if (name == "new_empty" || name == "new_zeros" || name == "new_ones" || name == "new_full") {
    if (!arguments.keywords.count("dtype"))
      arguments.keywords["dtype"] = Value::of(type.getElementType());
    return callAllocation(name.drop_front(4), arguments, nullptr);
  }
  if (name == "view" || name == "reshape") {
    auto shape = sizes(values, loc, /*allowMinusOne=*/true);
    return shape ? reshapeTensor(self, *shape, loc) : Value();
  }
  if (name == "expand") {
    auto shape = sizes(values, loc, /*allowMinusOne=*/true);
    return shape ? expandTensor(self, *shape, loc) : Value();
  }
  if (name == "expand_as" && values.size() == 1 && values[0].is(ValueKind::Tensor))
    return expandTensor(self, values[0].tensor().getShape(), loc);
  if (name == "flatten") {
    auto first = dimIndex(values.empty() ? Value::of(int64_t(0)) : values[0], rank, loc);
    auto last = first ? dimIndex(values.size() < 2 ? Value::of(int64_t(-1)) : values[1], rank, loc) : first;
    if (!last || *last < *first)
      return Value();
    std::vector<int64_t> shape = type.getShape().vec();
    int64_t product = 1;
    for (int64_t i = *first; i <= *last; ++i)
      product *= shape[i];
    shape.erase(shape.begin() + *first, shape.begin() + *last + 1);
    shape.insert(shape.begin() + *first, product);
    return reshapeTensor(self, shape, loc);
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
    if (name == "permute") {
      order = places;
      llvm::sort(places);
      places.erase(std::unique(places.begin(), places.end()), places.end());
      if (int64_t(places.size()) != rank || int64_t(order.size()) != rank)
        return error(loc, "permute needs each of the " + std::to_string(rank) + " dims once");
    } else if (places.size() == 2) {
      std::swap(order[places[0]], order[places[1]]);
    } else {
      return error(loc, "transpose takes two dims");
    }
    return permuteTensor(self, order);
  }
  if (name == "unsqueeze" || name == "squeeze") {
    std::vector<int64_t> shape = type.getShape().vec(), strides = type.getStrides().vec();
    if (name == "unsqueeze") {
      auto place = values.empty() ? std::nullopt : dimIndex(values[0], rank + 1, loc);
      if (!place)
        return Value();
      shape.insert(shape.begin() + *place, 1);
      strides.insert(strides.begin() + *place, 0);
      return view(self, shape, strides, 0);
    }
    std::optional<int64_t> only;
    if (!values.empty() && !(only = dimIndex(values[0], rank, loc)))
      return Value();
    for (int64_t i = rank - 1; i >= 0; --i)
      if (shape[i] == 1 && (!only || *only == i)) {
        shape.erase(shape.begin() + i);
        strides.erase(strides.begin() + i);
      }
    return view(self, shape, strides, 0);
  }
  if (name == "to" || name == "contiguous" || name == "float" || name == "half" || name == "bfloat16")
    return error(loc, "'" + name + "' on " + describe(self) + ", which is in memory, is not supported yet",
                 "convert the tiles after loading them: x[tile].to(…)");
  std::string nearest = support::didYouMean(
      name, {"size", "stride", "numel", "dim", "view", "reshape", "expand", "transpose", "permute", "unsqueeze", "squeeze",
             "flatten", "new_empty", "new_zeros", "is_contiguous"});
  if (isReduction(name) || isPointwise(name))
    return error(loc, "'" + name + "' on " + describe(self) + ", which is in memory",
                 insideLoop() ? "index it with the loop's tile, as x[tile]" : "compute inside a loop over hl.tile(…)");
  return error(loc, "a tensor has no method '" + name + "' here",
               nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}
