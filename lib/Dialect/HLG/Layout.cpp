//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Layouts.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HLG/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace helionc::hlg;

static Index unit(int64_t rank, int64_t dim, int64_t step) {
  Index basis(rank, 0);
  basis[dim] = step;
  return basis;
}

Layout Layout::blocked(llvm::ArrayRef<int64_t> shape, int64_t warps, int64_t vector) {
  Layout layout;
  layout.rank = int64_t(shape.size());
  layout.repeat.assign(shape.size(), 1);
  Index covered(shape.size(), 1);
  // One more bit along `dim`, unless the dim is covered.
  auto extend = [&](std::vector<Index> &bases, int64_t dim) {
    if (covered[dim] >= shape[dim])
      return false;
    bases.push_back(unit(layout.rank, dim, covered[dim]));
    covered[dim] *= 2;
    return true;
  };
  int64_t last = layout.rank - 1;
  if (last >= 0)
    while (covered[last] < vector && covered[last] * 2 <= shape[last])
      extend(layout.reg, last);
  for (int bit = 0; bit < 5; ++bit) {
    bool placed = false;
    for (int64_t dim = last; dim >= 0 && !placed; --dim)
      placed = extend(layout.lane, dim);
    if (!placed)
      layout.lane.push_back(Index(layout.rank, 0));
  }
  for (int64_t bit = 1; bit < warps; bit *= 2) {
    bool placed = false;
    for (int64_t dim = last - 1; dim >= 0 && !placed; --dim)
      placed = extend(layout.warp, dim);
    if (!placed && !(last >= 0 && extend(layout.warp, last)))
      layout.warp.push_back(Index(layout.rank, 0));
  }
  for (int64_t dim = 0; dim < layout.rank; ++dim)
    layout.repeat[dim] = std::max<int64_t>(1, int64_t(llvm::divideCeil(shape[dim], covered[dim])));
  return layout;
}

Index Layout::atom() const {
  Index size(rank, 1);
  for (const std::vector<Index> *bases : {&reg, &lane, &warp})
    for (const Index &basis : *bases)
      for (int64_t dim = 0; dim < rank; ++dim)
        size[dim] = std::max(size[dim], 2 * basis[dim]);
  return size;
}

int64_t Layout::registerCount() const {
  int64_t count = int64_t(1) << reg.size();
  for (int64_t times : repeat)
    count *= times;
  return count;
}

static void addBits(Index &index, const std::vector<Index> &bases, int64_t bits) {
  for (size_t bit = 0; bit < bases.size(); ++bit)
    if (bits >> bit & 1)
      for (size_t dim = 0; dim < index.size(); ++dim)
        index[dim] += bases[bit][dim];
}

Index Layout::registerOffset(int64_t number) const {
  Index index(rank, 0), size = atom();
  addBits(index, reg, number & ((int64_t(1) << reg.size()) - 1));
  int64_t rest = number >> reg.size();
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    index[dim] += rest % repeat[dim] * size[dim];
    rest /= repeat[dim];
  }
  return index;
}

Index Layout::apply(int64_t regNumber, int64_t laneNumber, int64_t warpNumber) const {
  Index index = registerOffset(regNumber);
  addBits(index, lane, laneNumber);
  addBits(index, warp, warpNumber);
  return index;
}

bool Layout::covers(llvm::ArrayRef<int64_t> shape) const {
  Index size = atom();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (size[dim] * repeat[dim] < shape[dim])
      return false;
  return true;
}

int64_t Layout::findRegister(const Index &offset) const {
  for (int64_t number = 0, count = registerCount(); number < count; ++number)
    if (registerOffset(number) == offset)
      return number;
  return -1;
}

Layout Layout::flatten(int64_t dim) const {
  Layout result = *this;
  llvm::erase_if(result.reg, [&](const Index &basis) { return basis[dim] != 0; });
  for (std::vector<Index> *bases : {&result.lane, &result.warp})
    for (Index &basis : *bases)
      basis[dim] = 0;
  result.repeat[dim] = 1;
  return result;
}

Layout Layout::drop(int64_t dim) const {
  Layout result = flatten(dim);
  --result.rank;
  for (std::vector<Index> *bases : {&result.reg, &result.lane, &result.warp})
    for (Index &basis : *bases)
      basis.erase(basis.begin() + dim);
  result.repeat.erase(result.repeat.begin() + dim);
  return result;
}

Layout Layout::insert(int64_t dim) const {
  Layout result = *this;
  ++result.rank;
  for (std::vector<Index> *bases : {&result.reg, &result.lane, &result.warp})
    for (Index &basis : *bases)
      basis.insert(basis.begin() + dim, 0);
  result.repeat.insert(result.repeat.begin() + dim, 1);
  return result;
}

Layout Layout::permute(llvm::ArrayRef<int64_t> order) const {
  auto reorder = [&](const Index &from) {
    Index to;
    for (int64_t dim : order)
      to.push_back(from[dim]);
    return to;
  };
  Layout result = *this;
  for (std::vector<Index> *bases : {&result.reg, &result.lane, &result.warp})
    for (Index &basis : *bases)
      basis = reorder(basis);
  result.repeat = reorder(repeat);
  return result;
}
