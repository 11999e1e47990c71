//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tiles in memory private to the thread.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

int64_t helionc::conversion::cpu::elementsOf(hl::TileType type) {
  int64_t count = 1;
  for (int64_t dim : type.getShape())
    count *= dim;
  return count;
}

unsigned helionc::conversion::cpu::lastWideDim(ArrayRef<int64_t> shape) {
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (shape[dim] != 1)
      return dim;
  return 0;
}

Value LaunchEmitter::allocateBytes(int64_t bytes) {
  // One vector (of the widest elements) more than asked for, so that whole vectors may be read at the end.
  int64_t offset = scratchTop;
  scratchTop += llvm::alignTo(bytes + options.vectorWidth * 8, 64);
  scratchPeak = std::max(scratchPeak, scratchTop);
  return b.address(scratch, b.index(offset), b.getI8Type());
}

/// Rows start at a multiple of the vector width, so that whole vectors may be written; rows whose distance is a
/// multiple of 4 KiB would share few sets of the cache, so they get one more cache line.
Buffer LaunchEmitter::allocate(ArrayRef<int64_t> shape, Type elementType, bool isContiguous) {
  Buffer buffer;
  buffer.elementType = elementType;
  buffer.strides.assign(shape.size(), 0);
  int64_t stride = 1, bytes = memoryBytes(elementType);
  unsigned wide = lastWideDim(shape);
  for (unsigned dim = shape.size(); dim-- > 0;) {
    buffer.strides[dim] = stride;
    stride *= shape[dim];
    if (isContiguous || dim != wide)
      continue;
    stride = llvm::alignTo(stride, vectorWidthFor(shape[dim]));
    if (stride * bytes % 4096 == 0 && elementsOf(hl::TileType::get(b.getContext(), shape, elementType)) > stride)
      stride += std::max<int64_t>(64 / bytes, options.vectorWidth);
  }
  buffer.base = allocateBytes(stride * bytes);
  return buffer;
}

Value LaunchEmitter::bufferAddress(const Buffer &buffer, const Coords &coords, int64_t &laneStride) {
  Value offset = b.index(0);
  laneStride = 0;
  for (auto [coord, stride] : llvm::zip(coords, buffer.strides)) {
    offset = b.add(offset, b.mul(coord.base, stride));
    if (coord.isVector)
      laneStride = stride;
  }
  return offset;
}

static Value convertTo(CpuBuilder &b, Value value, Type elementType) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == elementType)
    return value;
  Type type = laneType(elementType, widthOf(value));
  if (isa<FloatType>(elementType) && isa<FloatType>(from)) {
    if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, type, value);
    return arith::TruncFOp::create(b, type, value);
  }
  if (isa<FloatType>(elementType))
    return arith::SIToFPOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

void LaunchEmitter::writeTile(Value tile, const Buffer &buffer, ArrayRef<Bound> bounds) {
  SmallVector<int64_t> shape = cast<hl::TileType>(tile.getType()).getShape();
  SmallVector<Bound> whole;
  for (int64_t extent : shape)
    whole.push_back({extent, {}});
  forEachVector(bounds.empty() ? ArrayRef<Bound>(whole) : bounds, lastWideDim(shape), tile,
                [&](const Coords &coords, TileReader &reader) {
                  Value value = convertTo(b, reader.read(tile, coords), buffer.elementType);
                  int64_t laneStride;
                  Value offset = bufferAddress(buffer, coords, laneStride);
                  b.store(b.splat(value, reader.lanes.width), b.address(buffer.base, offset, buffer.elementType),
                          reader.lanes.mask);
                });
}

void LaunchEmitter::materialize(Value tile, bool isContiguous) {
  if (!isLazy(tile))
    return;
  auto type = cast<hl::TileType>(tile.getType());
  Buffer buffer = allocate(type.getShape(), type.getElementType(), isContiguous);
  writeTile(tile, buffer);
  buffers[tile] = buffer;
}

void LaunchEmitter::copyBuffer(const Buffer &from, const Buffer &to, ArrayRef<int64_t> shape) {
  SmallVector<Bound> bounds;
  for (int64_t extent : shape)
    bounds.push_back({extent, {}});
  forEachVector(bounds, lastWideDim(shape), {}, [&](const Coords &coords, TileReader &reader) {
    Value value = readBuffer(from, coords, reader.lanes);
    int64_t laneStride;
    Value offset = bufferAddress(to, coords, laneStride);
    b.store(value, b.address(to.base, offset, to.elementType), reader.lanes.mask);
  });
}
