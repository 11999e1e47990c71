//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Addresses, loads, stores and scratch memory.
//===----------------------------------------------------------------------===//
#include "CpuEmitter.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion;

/// A bool takes a byte, an index eight.
Type CpuEmitter::memoryType(Type type) {
  return type.isInteger(1) ? b.getI8Type() : type.isIndex() ? b.getI64Type() : type;
}

static unsigned bytesOf(Type type) { return std::max(1u, type.getIntOrFloatBitWidth() / 8); }

Buffer CpuEmitter::allocate(hl::TileType type, Type elementType) {
  Buffer buffer;
  buffer.elementType = elementType;
  SmallVector<int64_t> shape = type.getShape();
  buffer.strides = hl::TensorType::contiguousStrides(shape);
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  // A vector of lanes may be read past the end of a row.
  int64_t bytes = (elements + config.vectorWidth) * bytesOf(memoryType(elementType));
  Value offset = arith::ConstantIntOp::create(b, b.getI64Type(), scratchBytes);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  buffer.pointer = LLVM::GEPOp::create(b, pointer, b.getI8Type(), scratch, ValueRange(offset));
  scratchBytes += int64_t(llvm::alignTo(bytes, 64));
  return buffer;
}

Value CpuEmitter::pointerAt(const Address &address, Value offset) {
  Value bytes = arith::IndexCastOp::create(b, b.getI64Type(), offset);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, pointer, memoryType(address.elementType), address.pointer, ValueRange(bytes));
}

/// The element offset of a tile's element: the sum over the tensor's dims of its index times its stride.
FailureOr<CpuEmitter::Address> CpuEmitter::tensorAddress(Value tensor, ValueRange operands, llvm::ArrayRef<int32_t> kinds,
                                                         const Indices &tileIndices, int64_t vectorDim) {
  auto type = cast<hl::TensorType>(tensor.getType());
  Address address;
  address.pointer = pointers.lookup(tensor);
  address.elementType = type.getElementType();
  address.offset = index(0);
  auto next = operands.begin();
  int64_t tileDim = 0;
  for (auto [dim, kind] : llvm::enumerate(kinds)) {
    int64_t stride = type.getStrides()[dim];
    Value at;
    switch (hl::IndexKind(kind)) {
    case hl::IndexKind::Scalar:
      at = scalarOf(*next++);
      break;
    case hl::IndexKind::Span:
    case hl::IndexKind::Full:
      at = tileIndices[tileDim];
      if (hl::IndexKind(kind) == hl::IndexKind::Span)
        at = arith::AddIOp::create(b, spans[*next++].begin, at);
      if (tileDim == vectorDim)
        address.laneStride = stride;
      ++tileDim;
      break;
    case hl::IndexKind::Gather: {
      Value tile = *next++;
      int64_t rank = cast<hl::TileType>(tile.getType()).getRank();
      if (vectorDim >= tileDim && vectorDim < tileDim + rank) {
        tensor.getDefiningOp() ? tensor.getDefiningOp()->emitError("gathering along the last dim is not supported on the CPU yet")
                               : emitError(b.getLoc(), "gathering along the last dim is not supported on the CPU yet");
        failed = true;
        return failure();
      }
      Indices part(tileIndices.begin() + tileDim, tileIndices.begin() + tileDim + rank);
      at = evaluate(tile, part, -1, {});
      if (!at.getType().isIndex())
        at = arith::IndexCastOp::create(b, b.getIndexType(), at);
      tileDim += rank;
      break;
    }
    }
    if (stride == 0)
      continue;
    Value term = stride == 1 ? at : arith::MulIOp::create(b, at, index(stride)).getResult();
    address.offset = arith::AddIOp::create(b, address.offset, term);
  }
  return address;
}

Value CpuEmitter::loadLanes(const Address &address, bool isVector, const Lanes &lanes) {
  Type memory = memoryType(address.elementType);
  unsigned alignment = bytesOf(memory);
  auto fromMemory = [&](Value value) -> Value {
    Type wanted = isa<VectorType>(value.getType()) ? lanesType(address.elementType, lanes.width) : address.elementType;
    if (address.elementType.isInteger(1)) {
      Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
    }
    return address.elementType.isIndex() ? arith::IndexCastOp::create(b, wanted, value).getResult() : value;
  };
  if (!isVector || lanes.width == 1 || address.laneStride == 0)
    return fromMemory(LLVM::LoadOp::create(b, memory, pointerAt(address, address.offset), alignment));
  auto type = VectorType::get(lanes.width, memory);
  if (address.laneStride == 1) {
    Value pointer = pointerAt(address, address.offset);
    if (!lanes.mask)
      return fromMemory(LLVM::LoadOp::create(b, type, pointer, alignment));
    Value zero = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
    return fromMemory(LLVM::MaskedLoadOp::create(b, type, pointer, lanes.mask, zero, alignment));
  }
  // One by one; a lane that does not count reads the last one that does.
  Value result = arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
  Value left;
  if (lanes.mask) {
    SmallVector<Value> bits;
    Value mask = arith::ExtUIOp::create(b, VectorType::get(lanes.width, b.getI64Type()), lanes.mask);
    Value count = vector::ReductionOp::create(b, vector::CombiningKind::ADD, mask);
    left = arith::IndexCastOp::create(b, b.getIndexType(), count);
    left = arith::MaxSIOp::create(b, arith::SubIOp::create(b, left, index(1)), index(0));
  }
  for (int64_t lane = 0; lane < lanes.width; ++lane) {
    Value place = index(lane);
    if (left)
      place = arith::MinSIOp::create(b, place, left);
    Value offset = arith::AddIOp::create(b, address.offset, arith::MulIOp::create(b, place, index(address.laneStride)));
    Value element = LLVM::LoadOp::create(b, memory, pointerAt(address, offset), alignment);
    result = vector::InsertOp::create(b, element, result, llvm::ArrayRef<int64_t>{lane});
  }
  return fromMemory(result);
}

void CpuEmitter::storeLanes(const Address &address, Value value, const Lanes &lanes) {
  Type memory = memoryType(address.elementType);
  unsigned alignment = bytesOf(memory);
  bool isVector = isa<VectorType>(value.getType());
  Type stored = isVector ? lanesType(memory, lanes.width) : memory;
  if (address.elementType.isInteger(1))
    value = arith::ExtUIOp::create(b, stored, value);
  if (address.elementType.isIndex())
    value = arith::IndexCastOp::create(b, stored, value);
  if (!isVector) {
    LLVM::StoreOp::create(b, value, pointerAt(address, address.offset), alignment);
    return;
  }
  if (address.laneStride == 1) {
    Value pointer = pointerAt(address, address.offset);
    if (lanes.mask)
      LLVM::MaskedStoreOp::create(b, value, pointer, lanes.mask, alignment);
    else
      LLVM::StoreOp::create(b, value, pointer, alignment);
    return;
  }
  for (int64_t lane = 0; lane < lanes.width; ++lane) {
    OpBuilder::InsertionGuard guard(b);
    if (lanes.mask) {
      Value counts = vector::ExtractOp::create(b, lanes.mask, llvm::ArrayRef<int64_t>{lane});
      auto branch = scf::IfOp::create(b, counts, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Value offset = arith::AddIOp::create(b, address.offset, index(lane * address.laneStride));
    Value element = vector::ExtractOp::create(b, value, llvm::ArrayRef<int64_t>{lane});
    LLVM::StoreOp::create(b, element, pointerAt(address, offset), alignment);
  }
}

static Value bufferOffset(ImplicitLocOpBuilder &b, const Buffer &buffer, llvm::ArrayRef<Value> indices) {
  Value offset = arith::ConstantIndexOp::create(b, 0);
  for (auto [at, stride] : llvm::zip(indices, buffer.strides)) {
    Value term = stride == 1 ? at : arith::MulIOp::create(b, at, arith::ConstantIndexOp::create(b, stride)).getResult();
    offset = arith::AddIOp::create(b, offset, term);
  }
  return offset;
}

Value CpuEmitter::readBuffer(const Buffer &buffer, const Indices &indices, int64_t vectorDim, const Lanes &lanes) {
  Address address{buffer.pointer, bufferOffset(b, buffer, indices), buffer.elementType,
                  vectorDim >= 0 ? buffer.strides[vectorDim] : 0};
  return loadLanes(address, vectorDim >= 0, lanes);
}

void CpuEmitter::writeBuffer(const Buffer &buffer, const Indices &indices, Value value, const Lanes &lanes) {
  Address address{buffer.pointer, bufferOffset(b, buffer, indices), buffer.elementType, 1};
  storeLanes(address, value, lanes);
}
