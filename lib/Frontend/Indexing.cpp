//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Indexing: loads, stores, and tiles indexed by None and ':'.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;

bool Evaluator::evalIndices(const Expr &expr, std::vector<Value> &indices) {
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    const Expr &operand = *expr.operands[i];
    if (operand.kind == ExprKind::Slice) {
      Value slice = Value::make(ValueKind::Slice);
      for (const ExprPtr &bound : operand.operands) {
        slice.elements.push_back(bound ? eval(*bound) : Value::none());
        if (!slice.elements.back())
          return false;
      }
      indices.push_back(std::move(slice));
      continue;
    }
    bool starred = operand.kind == ExprKind::Starred;
    Value value = eval(starred ? *operand.operands.front() : operand);
    if (!value)
      return false;
    // A tile of several dims indexes as many.
    if (value.is(ValueKind::Sequence))
      llvm::append_range(indices, value.elements);
    else
      indices.push_back(std::move(value));
  }
  return true;
}

Value Evaluator::evalSubscript(const Expr &expr) {
  const Expr &baseExpr = *expr.operands.front();
  // A tensor type, as in `bf16[M, K]`, has no value.
  Value base = eval(baseExpr);
  std::vector<Value> indices;
  if (!base || !evalIndices(expr, indices))
    return Value();
  return subscript(base, std::move(indices), expr.loc);
}

Value Evaluator::subscript(const Value &base, std::vector<Value> indices, SMLoc loc) {
  switch (base.kind) {
  case ValueKind::Sequence: {
    int64_t size = base.elements.size();
    if (indices.size() == 1 && indices[0].is(ValueKind::Int)) {
      int64_t place = indices[0].integer < 0 ? indices[0].integer + size : indices[0].integer;
      if (place < 0 || place >= size)
        return error(loc, "index " + std::to_string(indices[0].integer) + " of a sequence of " + std::to_string(size));
      return base.elements[place];
    }
    if (indices.size() == 1 && indices[0].is(ValueKind::Slice)) {
      const auto &bounds = indices[0].elements;
      auto bound = [&](const Value &value, int64_t otherwise) {
        return value.is(ValueKind::Int) ? std::clamp<int64_t>(value.integer < 0 ? value.integer + size : value.integer, 0, size)
                                        : otherwise;
      };
      int64_t begin = bound(bounds[0], 0), end = std::max(begin, bound(bounds[1], size));
      return Value::of(std::vector<Value>(base.elements.begin() + begin, base.elements.begin() + end));
    }
    return error(loc, "a sequence is indexed by an integer or a slice");
  }
  case ValueKind::Tensor: {
    bool onDevice = insideLoop() && llvm::any_of(indices, [](const Value &v) {
                      return v.is(ValueKind::Span) || v.isDevice();
                    });
    return onDevice || insideLoop() ? load(base, indices, nullptr, loc) : indexTensorOnHost(base, indices, loc);
  }
  case ValueKind::Tile:
    return indexTile(base, indices, loc);
  default:
    return error(loc, describe(base) + " cannot be indexed");
  }
}

/// Sorts the indices into what hl.load takes. Slices with bounds first narrow the tensor by a view.
bool Evaluator::buildAccess(const Value &original, llvm::ArrayRef<Value> indices, SMLoc loc, Access &access) {
  std::vector<Value> narrowing, rest;
  bool narrows = false;
  size_t used = llvm::count_if(indices, [](const Value &v) { return !v.is(ValueKind::None) && !v.is(ValueKind::Ellipsis); });
  size_t rank = original.tensor().getRank();
  if (used > rank) {
    error(loc, std::to_string(used) + " indices for " + describe(original));
    return false;
  }
  bool hasEllipsis = llvm::any_of(indices, [](const Value &v) { return v.is(ValueKind::Ellipsis); });
  Value wholeSlice = Value::make(ValueKind::Slice);
  wholeSlice.elements = {Value::none(), Value::none(), Value::none()};
  auto isWhole = [](const Value &slice) {
    return llvm::all_of(slice.elements, [](const Value &bound) { return bound.is(ValueKind::None); });
  };
  for (const Value &index : indices) {
    if (index.is(ValueKind::Ellipsis)) {
      for (size_t i = used; i < rank; ++i) {
        rest.push_back(wholeSlice);
        narrowing.push_back(wholeSlice);
      }
      continue;
    }
    bool bounded = index.is(ValueKind::Slice) && !isWhole(index);
    rest.push_back(bounded ? wholeSlice : index);
    if (!index.is(ValueKind::None))
      narrowing.push_back(bounded ? index : wholeSlice);
    narrows |= bounded;
  }
  if (!hasEllipsis)
    for (size_t i = used; i < rank; ++i)
      rest.push_back(wholeSlice);
  access.tensor = narrows ? indexTensorOnHost(original, narrowing, loc) : original;
  if (!access.tensor)
    return false;
  hl::TensorType type = access.tensor.tensor();
  size_t dim = 0;
  bool sawGather = false;
  for (const Value &index : rest) {
    if (index.is(ValueKind::None)) {
      access.insertedOnes.push_back(access.dims.size());
      access.dims.push_back(integerDim(1));
      continue;
    }
    int64_t size = type.getShape()[dim];
    switch (index.kind) {
    case ValueKind::Span:
      access.indices.push_back(index.ssa);
      access.kinds.push_back(int32_t(hl::IndexKind::Span));
      access.dims.push_back(mlir::cast<hl::SpanType>(index.ssa.getType()).getExtent());
      break;
    case ValueKind::Slice:
      if (size == 0) {
        sawEmptyDim = true; // Handled where the loop ends: nothing is computed.
        return false;
      }
      access.kinds.push_back(int32_t(hl::IndexKind::Full));
      access.dims.push_back(integerDim(size));
      break;
    case ValueKind::Int: {
      int64_t place = index.integer < 0 ? index.integer + size : index.integer;
      if (place < 0 || place >= size) {
        error(loc, "index " + std::to_string(index.integer) + " is outside a dim of " + std::to_string(size));
        return false;
      }
      access.indices.push_back(mlir::arith::ConstantIndexOp::create(builder, location(loc), place));
      access.kinds.push_back(int32_t(hl::IndexKind::Scalar));
      break;
    }
    case ValueKind::Scalar: {
      mlir::Value scalar = toIndex(index, loc);
      if (!scalar)
        return false;
      access.indices.push_back(scalar);
      access.kinds.push_back(int32_t(hl::IndexKind::Scalar));
      break;
    }
    case ValueKind::Tile: {
      hl::TileType tile = index.tile();
      if (!tile.getElementType().isIntOrIndex() || tile.getElementType().isInteger(1)) {
        error(loc, "cannot index with " + describe(index),
              tile.getElementType().isInteger(1) ? "a mask selects a number of elements that depends on data: use "
                                                   "torch.where, or extra_mask of hl.load"
                                                 : "indices are integers");
        return false;
      }
      // The indices of a tile are the tile itself.
      if (auto indicesOp = index.ssa.getDefiningOp<hl::IndicesOp>()) {
        access.indices.push_back(indicesOp.getSpan());
        access.kinds.push_back(int32_t(hl::IndexKind::Span));
        access.dims.push_back(indicesOp.getSpan().getType().getExtent());
        break;
      }
      if (sawGather) {
        error(loc, "indexing with several tiles of integers is not supported yet");
        return false;
      }
      sawGather = true;
      access.indices.push_back(index.ssa);
      access.kinds.push_back(int32_t(hl::IndexKind::Gather));
      llvm::append_range(access.dims, tile.getDims());
      break;
    }
    default:
      error(loc, "cannot index a tensor with " + describe(index),
            index.is(ValueKind::Tensor) ? "load the indices first, as i[tile]" : "");
      return false;
    }
    ++dim;
  }
  return true;
}

Value Evaluator::load(const Value &tensor, llvm::ArrayRef<Value> indices, const Value *mask, SMLoc loc) {
  if (!tensor.is(ValueKind::Tensor))
    return error(loc, "cannot load from " + describe(tensor));
  Access access;
  if (!buildAccess(tensor, indices, loc, access))
    return Value();
  std::vector<mlir::Attribute> loaded;
  for (auto [place, dim] : llvm::enumerate(access.dims))
    if (!llvm::is_contained(access.insertedOnes, place))
      loaded.push_back(dim);
  auto type = hl::TileType::get(&context, loaded, tensor.tensor().getElementType());
  mlir::Value maskValue;
  if (mask && !mask->is(ValueKind::None)) {
    if (!mask->is(ValueKind::Tile))
      return error(loc, "extra_mask must be a tile of bool, not " + describe(*mask));
    Value cast = castTile(*mask, builder.getI1Type(), loc);
    Value wide = cast ? broadcastTile(cast, loaded, loc) : cast;
    if (!wide)
      return wide;
    maskValue = wide.ssa;
  }
  Value value = Value::of(hl::LoadOp::create(builder, location(loc), type, access.tensor.ssa, access.indices, maskValue,
                                             builder.getDenseI32ArrayAttr(access.kinds))
                              .getResult());
  return access.insertedOnes.empty() ? value : reshapeTile(value, access.dims, loc);
}

bool Evaluator::store(const Value &tensor, llvm::ArrayRef<Value> indices, Value value, const Value *mask, SMLoc loc) {
  if (!tensor.is(ValueKind::Tensor)) {
    error(loc, "cannot store to " + describe(tensor));
    return false;
  }
  if (!insideLoop() && !mlir::isa<hl::GridOp>(builder.getInsertionBlock()->getParentOp())) {
    error(loc, "storing to a tensor outside a loop is not supported yet", "store inside a loop over hl.tile(…)");
    return false;
  }
  Access access;
  if (!buildAccess(tensor, indices, loc, access))
    return false;
  mlir::Type type = tensor.tensor().getElementType();
  if (value.isNumber() || value.is(ValueKind::Scalar))
    value = full(access.dims, type, value, loc);
  if (!value)
    return false;
  if (!value.is(ValueKind::Tile)) {
    error(loc, "cannot store " + describe(value), "store a tile or a number");
    return false;
  }
  value = castTile(value, type, loc);
  value = value ? broadcastTile(value, access.dims, loc) : value;
  mlir::Value maskValue;
  if (value && mask && !mask->is(ValueKind::None)) {
    if (!mask->is(ValueKind::Tile)) {
      error(loc, "extra_mask must be a tile of bool, not " + describe(*mask));
      return false;
    }
    Value wide = castTile(*mask, builder.getI1Type(), loc);
    wide = wide ? broadcastTile(wide, access.dims, loc) : wide;
    if (!wide)
      return false;
    maskValue = wide.ssa;
  }
  if (value && !access.insertedOnes.empty()) {
    std::vector<mlir::Attribute> kept;
    for (auto [place, dim] : llvm::enumerate(access.dims))
      if (!llvm::is_contained(access.insertedOnes, place))
        kept.push_back(dim);
    value = reshapeTile(value, kept, loc);
  }
  if (!value)
    return false;
  hl::StoreOp::create(builder, location(loc), value.ssa, access.tensor.ssa, access.indices, maskValue,
                      builder.getDenseI32ArrayAttr(access.kinds));
  return true;
}

/// None inserts a dim of 1, ':' keeps one.
Value Evaluator::indexTile(const Value &tile, llvm::ArrayRef<Value> indices, SMLoc loc) {
  llvm::ArrayRef<mlir::Attribute> old = tile.tile().getDims();
  size_t used = llvm::count_if(indices, [](const Value &v) { return !v.is(ValueKind::None) && !v.is(ValueKind::Ellipsis); });
  if (used > old.size())
    return error(loc, std::to_string(used) + " indices for " + describe(tile));
  std::vector<mlir::Attribute> dims;
  size_t next = 0;
  for (const Value &index : indices) {
    if (index.is(ValueKind::None)) {
      dims.push_back(integerDim(1));
      continue;
    }
    if (index.is(ValueKind::Ellipsis)) {
      for (size_t i = used; i < old.size(); ++i)
        dims.push_back(old[next++]);
      continue;
    }
    bool whole = index.is(ValueKind::Slice) &&
                 llvm::all_of(index.elements, [](const Value &bound) { return bound.is(ValueKind::None); });
    if (!whole)
      return error(loc, "a tile is indexed by ':' and None only, not " + describe(index), "load a part of the tensor instead");
    dims.push_back(old[next++]);
  }
  for (; next < old.size(); ++next)
    dims.push_back(old[next]);
  return reshapeTile(tile, dims, loc);
}
