//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loop nests over the elements of tiles.
//===----------------------------------------------------------------------===//
#include "CpuLaunch.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::conversion::cpu;

Value LaunchEmitter::countOf(const Bound &bound) {
  if (!bound.span || spans[bound.span].isExact)
    return b.index(bound.extent);
  return spans[bound.span].real;
}

int64_t LaunchEmitter::vectorWidthFor(int64_t extent) const {
  return std::min<int64_t>(options.vectorWidth, llvm::PowerOf2Ceil(extent));
}

static Coord coordAt(Value base, const Bound &bound) {
  Coord coord;
  coord.base = base;
  if (bound.span)
    coord.realOf.push_back(bound.span);
  return coord;
}

void LaunchEmitter::forEachRow(ArrayRef<Bound> bounds, std::optional<unsigned> skip, RowBody body) {
  Coords coords(bounds.size());
  std::function<void(unsigned)> nest = [&](unsigned dim) {
    if (dim == bounds.size())
      return body(coords);
    if (dim == skip)
      return nest(dim + 1);
    if (bounds[dim].extent == 1) {
      coords[dim] = coordAt(b.index(0), bounds[dim]);
      return nest(dim + 1);
    }
    b.loop(b.index(0), countOf(bounds[dim]), 1, [&](Value iv) {
      coords[dim] = coordAt(iv, bounds[dim]);
      nest(dim + 1);
    });
  };
  nest(0);
}

void LaunchEmitter::forEachChunk(const Bound &bound, llvm::function_ref<void(Coord, Lanes)> body, int64_t width) {
  if (width == 0)
    width = vectorWidthFor(bound.extent);
  Value count = countOf(bound);
  std::optional<int64_t> fixed = constantOf(count);
  auto at = [&](Value base, Value mask) {
    Coord coord = coordAt(base, bound);
    coord.isVector = width > 1;
    body(coord, Lanes{width, mask});
  };
  if (fixed == width)
    return at(b.index(0), {});
  // Whole vectors, then one with a mask.
  Value whole = fixed ? b.index(*fixed / width * width) : b.sub(count, b.rem(count, width));
  if (!fixed || *fixed >= width)
    b.loop(b.index(0), whole, width, [&](Value iv) { at(iv, {}); });
  if (width == 1 || (fixed && *fixed % width == 0))
    return;
  auto tail = [&] { at(whole, b.lanesBelow(whole, count, width)); };
  if (fixed)
    return tail();
  b.when(b.less(whole, count), tail);
}

void LaunchEmitter::forEachVector(ArrayRef<Bound> bounds, unsigned vectorDim, ArrayRef<Value> roots, VectorBody body) {
  if (bounds.empty()) {
    TileReader reader(*this, {});
    return body({}, reader);
  }
  forEachRow(bounds, vectorDim, [&](Coords &coords) {
    TileReader reader(*this, {});
    coords[vectorDim] = coordAt({}, bounds[vectorDim]);
    coords[vectorDim].isVector = true;
    if (vectorWidthFor(bounds[vectorDim].extent) > 1)
      for (Value root : roots)
        reader.hoist(root, coords);
    forEachChunk(bounds[vectorDim], [&](Coord coord, Lanes lanes) {
      coords[vectorDim] = coord;
      reader.lanes = lanes;
      body(coords, reader);
    });
  });
}
