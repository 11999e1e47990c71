//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Global memory: vector loads where they are legal, predicates at ragged edges.
//===----------------------------------------------------------------------===//
#include "NvvmEmitter.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

Type NvvmEmitter::memoryType(Type type) { return type.isInteger(1) ? b.getI8Type() : type; }

Value NvvmEmitter::fromMemory(Value value, Type type) {
  if (!type.isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

Value NvvmEmitter::toMemory(Value value) {
  return value.getType().isInteger(1) ? arith::ExtUIOp::create(b, b.getI8Type(), value).getResult() : value;
}

/// The lane's and the warp's part of an index: a sum over their bits, made once a layout.
Value NvvmEmitter::threadOffset(const hlg::Layout &layout, int64_t dim) {
  const void *key = toAttribute(b.getContext(), layout).getAsOpaquePointer();
  auto [it, isNew] = offsets.try_emplace({key, dim});
  if (!isNew)
    return it->second;
  Value sum = i32(0);
  for (auto [value, bases] :
       {std::pair<Value, const std::vector<hlg::Index> *>{lane, &layout.lane}, {warp, &layout.warp}})
    for (auto [bit, basis] : llvm::enumerate(*bases)) {
      if (basis.empty() || basis[dim] == 0)
        continue;
      Value one = arith::AndIOp::create(b, arith::ShRUIOp::create(b, value, i32(int64_t(bit))), i32(1));
      sum = arith::AddIOp::create(b, sum, arith::MulIOp::create(b, one, i32(basis[dim])));
    }
  return it->second = sum;
}

Value NvvmEmitter::elementIndex(const hlg::Layout &layout, int64_t reg, int64_t dim) {
  return arith::AddIOp::create(b, threadOffset(layout, dim), i32(layout.registerOffset(reg)[dim]));
}

bool NvvmEmitter::mayExceed(const hlg::Layout &layout, int64_t reg, int64_t dim, int64_t size) {
  int64_t most = layout.registerOffset(reg)[dim];
  for (const auto *bases : {&layout.lane, &layout.warp})
    for (const hlg::Index &basis : *bases)
      most += basis[dim];
  return most >= size;
}

/// Null when the element is inside for certain.
Value NvvmEmitter::isInside(hlg::RegType type, const hlg::Layout &layout, int64_t reg, ValueRange limits) {
  Value inside;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    Value limit = limits.empty() ? index(size) : scalarOf(limits[dim]);
    auto constant = limit.getDefiningOp<arith::ConstantIndexOp>();
    if (constant && !mayExceed(layout, reg, dim, std::min<int64_t>(constant.value(), size)))
      continue;
    // A layout may reach further than the tile, into what belongs to the next one.
    if (!constant && mayExceed(layout, reg, dim, size))
      limit = arith::MinSIOp::create(b, limit, index(size));
    Value bound = arith::IndexCastOp::create(b, b.getI64Type(), limit);
    Value at = arith::ExtSIOp::create(b, b.getI64Type(), elementIndex(layout, reg, dim));
    Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, bound);
    inside = inside ? arith::AndIOp::create(b, inside, below).getResult() : below;
  }
  return inside;
}

int64_t NvvmEmitter::vectorWidth(hlg::RegType type, int64_t allowed) {
  hlg::Layout layout = toLayout(type.getLayout());
  if (layout.rank == 0)
    return 1;
  int64_t width = 1;
  for (const hlg::Index &basis : layout.reg) {
    if (basis.back() != width)
      break;
    width *= 2;
  }
  return std::min(width, allowed);
}

/// In elements, 64 bits wide.
Value NvvmEmitter::elementOffset(ArrayRef<int64_t> strides, const hlg::Layout &layout, int64_t reg, Value base) {
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), base);
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (stride == 0)
      continue;
    Value at = arith::ExtSIOp::create(b, b.getI64Type(), elementIndex(layout, reg, dim));
    Value step = arith::ConstantIntOp::create(b, b.getI64Type(), stride);
    offset = arith::AddIOp::create(b, offset, arith::MulIOp::create(b, at, step));
  }
  return offset;
}

NvvmEmitter::Registers NvvmEmitter::emitLoad(hlg::LoadOp load) {
  hlg::RegType type = load.getResult().getType();
  hlg::Layout layout = toLayout(type.getLayout());
  Type memory = memoryType(type.getElementType());
  int64_t width = load.getMask() ? 1 : vectorWidth(type, load.getVector());
  unsigned bytes = std::max(1u, memory.getIntOrFloatBitWidth() / 8);
  Value pointer = scalarOf(load.getPointer()), base = scalarOf(load.getBase());
  Registers values(size_t(layout.registerCount()));
  for (int64_t reg = 0; reg < layout.registerCount(); reg += width) {
    Value inside = isInside(type, layout, reg, load.getLimits());
    if (load.getMask()) {
      Value wanted = registers[load.getMask()][reg];
      inside = inside ? arith::AndIOp::create(b, inside, wanted).getResult() : wanted;
    }
    Value offset = elementOffset(load.getStrides(), layout, reg, base);
    // Nothing is read outside: an element that does not count reads the tensor's first one and drops it.
    if (inside)
      offset = arith::SelectOp::create(b, inside, offset, arith::ConstantIntOp::create(b, b.getI64Type(), 0));
    Value at = LLVM::GEPOp::create(b, pointer.getType(), memory, pointer, ValueRange(offset));
    Type loaded = width == 1 ? memory : Type(VectorType::get(width, memory));
    Value value = LLVM::LoadOp::create(b, loaded, at, unsigned(bytes * width));
    for (int64_t i = 0; i < width; ++i) {
      Value element = width == 1 ? value : LLVM::ExtractElementOp::create(b, value, i32(i)).getResult();
      if (inside) {
        Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(memory)));
        element = arith::SelectOp::create(b, inside, element, zero);
      }
      values[reg + i] = fromMemory(element, type.getElementType());
    }
  }
  return values;
}

Value NvvmEmitter::isRepresentative(const hlg::Layout &layout) {
  Value condition;
  for (auto [value, bases] :
       {std::pair<Value, const std::vector<hlg::Index> *>{lane, &layout.lane}, {warp, &layout.warp}}) {
    int64_t copies = 0;
    for (auto [bit, basis] : llvm::enumerate(*bases))
      if (llvm::all_of(basis, [](int64_t step) { return step == 0; }))
        copies |= int64_t(1) << bit;
    if (!copies)
      continue;
    Value zero =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, arith::AndIOp::create(b, value, i32(copies)), i32(0));
    condition = condition ? arith::AndIOp::create(b, condition, zero).getResult() : zero;
  }
  return condition;
}

void NvvmEmitter::emitStore(hlg::StoreOp store) {
  hlg::RegType type = store.getValue().getType();
  hlg::Layout layout = toLayout(type.getLayout());
  Type memory = memoryType(type.getElementType());
  int64_t width = store.getMask() ? 1 : vectorWidth(type, store.getVector());
  unsigned bytes = std::max(1u, memory.getIntOrFloatBitWidth() / 8);
  Value pointer = scalarOf(store.getPointer()), base = scalarOf(store.getBase());
  Value representative = isRepresentative(layout);
  const Registers &values = registers[store.getValue()];
  for (int64_t reg = 0; reg < layout.registerCount(); reg += width) {
    Value condition = isInside(type, layout, reg, store.getLimits());
    auto require = [&](Value other) {
      if (other)
        condition = condition ? arith::AndIOp::create(b, condition, other).getResult() : other;
    };
    require(representative);
    if (store.getMask())
      require(registers[store.getMask()][reg]);
    Value offset = elementOffset(store.getStrides(), layout, reg, base);
    OpBuilder::InsertionGuard guard(b);
    if (condition) {
      auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Value at = LLVM::GEPOp::create(b, pointer.getType(), memory, pointer, ValueRange(offset));
    Value value = toMemory(values[reg]);
    if (width > 1) {
      Value vector = LLVM::UndefOp::create(b, VectorType::get(width, memory));
      for (int64_t i = 0; i < width; ++i)
        vector = LLVM::InsertElementOp::create(b, vector, toMemory(values[reg + i]), i32(i));
      value = vector;
    }
    LLVM::StoreOp::create(b, value, at, unsigned(bytes * width));
  }
}
