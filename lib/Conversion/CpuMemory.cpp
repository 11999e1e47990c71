//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loads and stores of tensors and buffers.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

SmallVector<IndexUse> helionc::conversion::cpu::indexUses(ArrayRef<int32_t> kinds, ValueRange operands) {
  SmallVector<IndexUse> uses;
  unsigned dim = 0, operand = 0;
  std::optional<unsigned> gatherDim;
  for (int32_t raw : kinds) {
    IndexUse use{hl::IndexKind(raw), {}, dim};
    if (use.kind != hl::IndexKind::Full)
      use.operand = operands[operand++];
    if (use.kind == hl::IndexKind::Gather) {
      if (!gatherDim) {
        gatherDim = dim;
        dim += cast<hl::TileType>(use.operand.getType()).getRank();
      }
      use.dim = *gatherDim;
    } else if (use.kind != hl::IndexKind::Scalar) {
      ++dim;
    }
    uses.push_back(use);
  }
  return uses;
}

Value LaunchEmitter::isReal(Value span, const Coord &coord, Lanes lanes) {
  const SpanInfo &info = spans[span];
  if (info.isExact || llvm::is_contained(coord.realOf, span))
    return {};
  return b.lanesBelow(coord.base, info.real, coord.isVector ? lanes.width : 1);
}

static Value toIndex(CpuBuilder &b, Value value) {
  if (getElementTypeOrSelf(value.getType()).isIndex())
    return value;
  return b.createOrFold<arith::IndexCastOp>(laneType(b.getIndexType(), widthOf(value)), value);
}

/// A gathered index: for a load moved into the tensor, since padding may hold anything; for a store it must lie inside.
static Value gatheredIndex(CpuBuilder &b, Value value, int64_t size, bool isStore, Access &access) {
  value = toIndex(b, value);
  int64_t width = widthOf(value);
  Value zero = b.splat(b.index(0), width), last = b.splat(b.index(size - 1), width);
  if (!isStore)
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, value, last), zero);
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, value, last);
  access.mask = b.both(access.mask, inside);
  return value;
}

Access LaunchEmitter::locate(const TensorInfo &tensor, ArrayRef<IndexUse> uses, const Coords &coords,
                             ArrayRef<Value> gathered, Lanes lanes, bool isStore) {
  Access access;
  access.base = tensor.base;
  access.offset = b.index(0);
  unsigned nextGather = 0;
  for (auto [dim, use] : llvm::enumerate(uses)) {
    int64_t stride = tensor.type.getStrides()[dim];
    if (use.kind == hl::IndexKind::Scalar) {
      access.offset = b.add(access.offset, b.mul(scalars.lookup(use.operand), stride));
      continue;
    }
    if (use.kind == hl::IndexKind::Gather) {
      Value index = gatheredIndex(b, gathered[nextGather++], tensor.type.getShape()[dim], isStore, access);
      if (widthOf(index) == 1) {
        access.offset = b.add(access.offset, b.mul(index, stride));
        continue;
      }
      Value scaled = arith::MulIOp::create(b, index, b.splat(b.index(stride), widthOf(index)));
      access.vectorOffset = access.vectorOffset ? arith::AddIOp::create(b, access.vectorOffset, scaled) : scaled;
      continue;
    }
    const Coord &coord = coords[use.dim];
    Value index = coord.base;
    if (use.kind == hl::IndexKind::Span) {
      index = b.add(spans[use.operand].begin, index);
      access.mask = b.both(access.mask, isReal(use.operand, coord, lanes));
    }
    access.offset = b.add(access.offset, b.mul(index, stride));
    if (coord.isVector && lanes.width > 1)
      access.laneStride += stride;
  }
  return access;
}

/// Offsets of the lanes from base + offset.
static Value laneOffsets(CpuBuilder &b, const Access &access, int64_t width) {
  Value offsets = access.vectorOffset;
  if (access.laneStride == 0 && offsets)
    return offsets;
  Value scaled = arith::MulIOp::create(b, b.lanes(width), b.splat(b.index(access.laneStride), width));
  return offsets ? Value(arith::AddIOp::create(b, offsets, scaled)) : scaled;
}

Value LaunchEmitter::readLoad(hl::LoadOp load, const Coords &coords, ArrayRef<Value> gathered, Value mask,
                              Lanes lanes) {
  const TensorInfo tensor = tensors[load.getSource()];
  Access access = locate(tensor, indexUses(load.getKinds(), load.getIndices()), coords, gathered, lanes, false);
  Type elementType = tensor.type.getElementType();
  access.mask = b.both(access.mask, mask);
  if (lanes.width > 1)
    access.mask = b.both(access.mask, lanes.mask);
  Value address = b.address(access.base, access.offset, elementType);
  if (lanes.width == 1)
    return b.load(address, elementType, 1, access.mask);
  if (!access.vectorOffset && access.laneStride == 1)
    return b.load(address, elementType, lanes.width, access.mask);
  if (!access.vectorOffset && access.laneStride == 0 && !access.mask)
    return b.load(address, elementType, 1);
  return b.gather(address, laneOffsets(b, access, lanes.width), elementType, access.mask);
}

Value LaunchEmitter::readBuffer(const Buffer &buffer, const Coords &coords, Lanes lanes) {
  int64_t laneStride;
  Value offset = bufferAddress(buffer, coords, laneStride);
  Value address = b.address(buffer.base, offset, buffer.elementType);
  if (lanes.width == 1)
    return b.load(address, buffer.elementType, 1);
  if (laneStride == 1)
    return b.load(address, buffer.elementType, lanes.width);
  Access access;
  access.laneStride = laneStride;
  return b.gather(address, laneOffsets(b, access, lanes.width), buffer.elementType, lanes.mask);
}

/// The dims of a stored tile: clipped to what is real.
static SmallVector<Bound> storeBounds(LaunchEmitter &launch, ArrayRef<IndexUse> uses, ArrayRef<int64_t> shape) {
  SmallVector<Bound> bounds;
  for (int64_t extent : shape)
    bounds.push_back({extent, {}});
  for (const IndexUse &use : uses) {
    if (use.kind == hl::IndexKind::Span)
      bounds[use.dim].span = use.operand;
    if (use.kind != hl::IndexKind::Gather)
      continue;
    for (int64_t i = 0, e = cast<hl::TileType>(use.operand.getType()).getRank(); i < e; ++i)
      if (SmallVector<Value> found = launch.spansOf(use.operand, i); !found.empty())
        bounds[use.dim + i].span = found.front();
  }
  return bounds;
}

/// The dim along which memory is consecutive, else the last one that is not 1.
static unsigned storeVectorDim(const TensorInfo &tensor, ArrayRef<IndexUse> uses, ArrayRef<int64_t> shape) {
  for (auto [dim, use] : llvm::enumerate(uses)) {
    bool hasDim = use.kind == hl::IndexKind::Span || use.kind == hl::IndexKind::Full;
    if (hasDim && tensor.type.getStrides()[dim] == 1 && shape[use.dim] > 1)
      return use.dim;
  }
  return lastWideDim(shape);
}

LogicalResult LaunchEmitter::emitStore(hl::StoreOp store) {
  const TensorInfo tensor = tensors[store.getDest()];
  SmallVector<IndexUse> uses = indexUses(store.getKinds(), store.getIndices());
  SmallVector<int64_t> shape = store.getValue().getType().getShape();
  SmallVector<Bound> bounds = storeBounds(*this, uses, shape);
  SmallVector<Value> roots{store.getValue()};
  if (store.getMask())
    roots.push_back(store.getMask());
  forEachVector(bounds, storeVectorDim(tensor, uses, shape), roots, [&](const Coords &coords, TileReader &reader) {
    Lanes lanes = reader.lanes;
    SmallVector<Value> gathered;
    for (const IndexUse &use : uses)
      if (use.kind == hl::IndexKind::Gather) {
        unsigned rank = cast<hl::TileType>(use.operand.getType()).getRank();
        gathered.push_back(reader.read(use.operand, Coords(ArrayRef(coords).slice(use.dim, rank))));
      }
    Value value = b.splat(reader.read(store.getValue(), coords), lanes.width);
    Access access = locate(tensor, uses, coords, gathered, lanes, /*isStore=*/true);
    access.mask = b.both(access.mask, lanes.mask);
    if (store.getMask())
      access.mask = b.both(access.mask, reader.read(store.getMask(), coords));
    Value address = b.address(access.base, access.offset, tensor.type.getElementType());
    if (lanes.width == 1 || (!access.vectorOffset && access.laneStride == 1))
      b.store(value, address, access.mask);
    else
      b.scatter(value, address, laneOffsets(b, access, lanes.width), access.mask);
  });
  return success();
}
