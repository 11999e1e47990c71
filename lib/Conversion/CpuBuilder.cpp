//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Index arithmetic, loops, vector memory accesses.
//===----------------------------------------------------------------------===//
#include "CpuBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helionc::conversion::cpu;

Type helionc::conversion::cpu::memoryType(Type elementType) {
  if (elementType.isIndex())
    return IntegerType::get(elementType.getContext(), 64);
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8);
  return elementType;
}

int64_t helionc::conversion::cpu::memoryBytes(Type elementType) {
  return llvm::divideCeil(memoryType(elementType).getIntOrFloatBitWidth(), 8);
}

Type helionc::conversion::cpu::laneType(Type elementType, int64_t width) {
  return width == 1 ? elementType : VectorType::get(width, elementType);
}

std::optional<int64_t> helionc::conversion::cpu::constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

int64_t helionc::conversion::cpu::widthOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

Value CpuBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }
Value CpuBuilder::add(Value lhs, Value rhs) { return createOrFold<arith::AddIOp>(lhs, rhs); }
Value CpuBuilder::sub(Value lhs, Value rhs) { return createOrFold<arith::SubIOp>(lhs, rhs); }

Value CpuBuilder::mul(Value lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  return createOrFold<arith::MulIOp>(lhs, index(rhs));
}

Value CpuBuilder::div(Value lhs, int64_t rhs) { return rhs == 1 ? lhs : createOrFold<arith::DivUIOp>(lhs, index(rhs)); }

Value CpuBuilder::rem(Value lhs, int64_t rhs) {
  return rhs == 1 ? index(0) : createOrFold<arith::RemUIOp>(lhs, index(rhs));
}

Value CpuBuilder::min(Value lhs, Value rhs) { return createOrFold<arith::MinSIOp>(lhs, rhs); }
Value CpuBuilder::max(Value lhs, Value rhs) { return createOrFold<arith::MaxSIOp>(lhs, rhs); }

Value CpuBuilder::less(Value lhs, Value rhs) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, lhs, rhs);
}

Value CpuBuilder::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  int64_t width = std::max(widthOf(lhs), widthOf(rhs));
  return createOrFold<arith::AndIOp>(splat(lhs, width), splat(rhs, width));
}

Value CpuBuilder::splat(Value value, int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return createOrFold<vector::BroadcastOp>(VectorType::get(width, value.getType()), value);
}

Value CpuBuilder::lanes(int64_t width) {
  SmallVector<Attribute> values;
  for (int64_t lane = 0; lane < width; ++lane)
    values.push_back(getIndexAttr(lane));
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(VectorType::get(width, getIndexType()), values));
}

Value CpuBuilder::lanesBelow(Value first, Value bound, int64_t width) {
  Value left = sub(bound, first);
  if (width == 1)
    return less(index(0), left);
  // Compared as i32: half as many vector registers. What is left of a span fits once it is clipped to the width.
  Type i32 = getI32Type();
  Value clipped = min(left, index(width));
  Value narrow = createOrFold<arith::IndexCastOp>(i32, clipped);
  SmallVector<Attribute> values;
  for (int64_t lane = 0; lane < width; ++lane)
    values.push_back(getI32IntegerAttr(lane));
  Value iota = arith::ConstantOp::create(*this, DenseElementsAttr::get(VectorType::get(width, i32), values));
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, iota, splat(narrow, width));
}

SmallVector<Value> CpuBuilder::loop(Value lower, Value upper, int64_t step, ValueRange inits, LoopBody body) {
  auto op = scf::ForOp::create(*this, lower, upper, index(step), inits,
                               [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
                                 OpBuilder::InsertionGuard guard(*this);
                                 setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
                                 SmallVector<Value> next = body(iv, carried);
                                 scf::YieldOp::create(*this, next);
                               });
  return SmallVector<Value>(op.getResults());
}

void CpuBuilder::loop(Value lower, Value upper, int64_t step, llvm::function_ref<void(Value)> body) {
  loop(lower, upper, step, {}, [&](Value iv, ValueRange) {
    body(iv);
    return SmallVector<Value>();
  });
}

void CpuBuilder::when(Value condition, llvm::function_ref<void()> body) {
  scf::IfOp::create(*this, condition, [&](OpBuilder &inner, Location) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
    body();
    scf::YieldOp::create(*this);
  });
}

Value CpuBuilder::address(Value base, Value offset, Type elementType) {
  Value i64 = createOrFold<arith::IndexCastOp>(getI64Type(), offset);
  return LLVM::GEPOp::create(*this, base.getType(), memoryType(elementType), base, ArrayRef<LLVM::GEPArg>{i64});
}

Value CpuBuilder::toMemory(Value value) {
  Type element = getElementTypeOrSelf(value.getType()), stored = memoryType(element);
  if (stored == element)
    return value;
  Type type = laneType(stored, widthOf(value));
  if (element.isIndex())
    return arith::IndexCastOp::create(*this, type, value);
  return arith::ExtUIOp::create(*this, type, value);
}

Value CpuBuilder::fromMemory(Value value, Type elementType) {
  if (memoryType(elementType) == elementType)
    return value;
  Type type = laneType(elementType, widthOf(value));
  if (elementType.isIndex())
    return arith::IndexCastOp::create(*this, type, value);
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(value.getType()));
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ne, value, zero);
}

Value CpuBuilder::allTrue(int64_t width) {
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(VectorType::get(width, getI1Type()), true));
}

static unsigned alignmentOf(Type elementType) { return unsigned(memoryBytes(elementType)); }

Value CpuBuilder::load(Value address, Type elementType, int64_t width, Value mask) {
  Type stored = memoryType(elementType);
  if (!mask)
    return fromMemory(LLVM::LoadOp::create(*this, laneType(stored, width), address, alignmentOf(elementType)),
                      elementType);
  auto type = VectorType::get(width, stored);
  Value maskVector = isa<VectorType>(mask.getType())
                         ? mask
                         : Value(vector::BroadcastOp::create(*this, VectorType::get(width, getI1Type()), mask));
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(type));
  Value loaded = LLVM::MaskedLoadOp::create(*this, type, address, maskVector, zero, alignmentOf(elementType));
  if (width == 1)
    loaded = vector::ExtractOp::create(*this, loaded, ArrayRef<int64_t>{0});
  return fromMemory(loaded, elementType);
}

void CpuBuilder::store(Value value, Value address, Value mask) {
  unsigned alignment = alignmentOf(getElementTypeOrSelf(value.getType()));
  value = toMemory(value);
  if (!mask) {
    LLVM::StoreOp::create(*this, value, address, alignment);
    return;
  }
  int64_t width = widthOf(value);
  if (width == 1)
    value = vector::BroadcastOp::create(*this, VectorType::get(1, value.getType()), value);
  if (!isa<VectorType>(mask.getType()))
    mask = vector::BroadcastOp::create(*this, VectorType::get(width, getI1Type()), mask);
  LLVM::MaskedStoreOp::create(*this, value, address, mask, alignment);
}

static Value pointersAt(CpuBuilder &b, Value base, Value offsets, Type elementType) {
  int64_t width = widthOf(offsets);
  Value i64 = arith::IndexCastOp::create(b, VectorType::get(width, b.getI64Type()), offsets);
  Type pointers = VectorType::get(width, base.getType());
  return LLVM::GEPOp::create(b, pointers, memoryType(elementType), base, ArrayRef<LLVM::GEPArg>{i64});
}

Value CpuBuilder::gather(Value base, Value offsets, Type elementType, Value mask) {
  int64_t width = widthOf(offsets);
  auto type = VectorType::get(width, memoryType(elementType));
  Value pointers = pointersAt(*this, base, offsets, elementType);
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(type));
  Value where = mask ? splat(mask, width) : allTrue(width);
  return fromMemory(LLVM::masked_gather::create(*this, type, pointers, where, zero, alignmentOf(elementType)),
                    elementType);
}

void CpuBuilder::scatter(Value value, Value base, Value offsets, Value mask) {
  int64_t width = widthOf(offsets);
  Type elementType = getElementTypeOrSelf(value.getType());
  Value pointers = pointersAt(*this, base, offsets, elementType);
  LLVM::masked_scatter::create(*this, toMemory(splat(value, width)), pointers,
                               mask ? splat(mask, width) : allTrue(width), alignmentOf(elementType));
}
