//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The algebra of layouts: linear maps over bits from (register, lane, warp) to indices.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HLG_LAYOUT_H
#define HELIONC_DIALECT_HLG_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace helionc::hlg {

using Index = std::vector<int64_t>;

/// See #hlg.layout. Every basis vector moves one dim by a power of two, or is zero.
struct Layout {
  int64_t rank = 0;
  std::vector<Index> reg, lane, warp;
  std::vector<int64_t> repeat;

  /// The layout of a tile of `shape` for `warps` warps: `vector` neighbours of the last dim in a thread's registers,
  /// then lanes along the last dims, then warps along the dims before the last, then repetition.
  static Layout blocked(llvm::ArrayRef<int64_t> shape, int64_t warps, int64_t vector);

  /// How far the pattern reaches along each dim before it repeats.
  Index atom() const;
  /// Registers of a thread.
  int64_t registerCount() const;
  /// The part of the index that register `number` contributes: repetition (last dim fastest), then bits.
  Index registerOffset(int64_t number) const;
  /// The index of an element.
  Index apply(int64_t reg, int64_t lane, int64_t warp) const;
  /// Whether the pattern covers `shape`.
  bool covers(llvm::ArrayRef<int64_t> shape) const;
  /// The register whose offset is `offset`, -1 when there is none.
  int64_t findRegister(const Index &offset) const;

  /// Without dim `dim`: registers that differ in it alone become one, lanes and warps hold copies.
  Layout drop(int64_t dim) const;
  /// With dim `dim` made of size 1: as drop, but the rank stays.
  Layout flatten(int64_t dim) const;
  /// With a dim of size 1 inserted at `dim`.
  Layout insert(int64_t dim) const;
  /// Dim i of the result is dim order[i] of this.
  Layout permute(llvm::ArrayRef<int64_t> order) const;
  bool operator==(const Layout &other) const {
    return rank == other.rank && reg == other.reg && lane == other.lane && warp == other.warp && repeat == other.repeat;
  }
};

} // namespace helionc::hlg

#endif // HELIONC_DIALECT_HLG_LAYOUT_H
