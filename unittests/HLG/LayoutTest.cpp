//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of the layout algebra: who holds which element.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HLG/Layout.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace helionc::hlg;

namespace {

/// How many (register, lane, warp) hold each element of `shape`; what lies beyond it is left out.
std::map<Index, int64_t> holders(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  std::map<Index, int64_t> counts;
  for (int64_t warp = 0; warp < int64_t(1) << layout.warp.size(); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
        Index index = layout.apply(reg, lane, warp);
        bool isInside = true;
        for (size_t dim = 0; dim < shape.size(); ++dim)
          isInside &= index[dim] < shape[dim];
        if (isInside)
          ++counts[index];
      }
  return counts;
}

int64_t elements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// How many threads hold the same element, by the zero bases of lanes and warps.
int64_t copies(const Layout &layout) {
  int64_t count = 1;
  for (const std::vector<Index> *bases : {&layout.lane, &layout.warp})
    for (const Index &basis : *bases)
      if (Index(basis.size(), 0) == basis)
        count *= 2;
  return count;
}

TEST(Layout, BlockedHoldsEveryElementOnceACopy) {
  const Index shapes[] = {{1},       {8},       {80},     {1000},   {4096},    {1, 64},     {64, 1},
                          {64, 128}, {80, 192}, {16, 16}, {8, 256}, {3, 1000}, {1, 64, 64}, {4, 4, 128}};
  for (const Index &shape : shapes)
    for (int64_t warps : {1, 2, 4, 8, 16})
      for (int64_t vector : {1, 4, 8}) {
        Layout layout = Layout::blocked(shape, warps, vector);
        ASSERT_TRUE(layout.covers(shape));
        ASSERT_EQ(layout.lane.size(), 5u);
        ASSERT_EQ(int64_t(1) << layout.warp.size(), warps);
        std::map<Index, int64_t> counts = holders(layout, shape);
        ASSERT_EQ(int64_t(counts.size()), elements(shape));
        for (const auto &[index, count] : counts)
          ASSERT_EQ(count, copies(layout));
      }
}

TEST(Layout, BlockedPutsNeighboursInOneThread) {
  Layout layout = Layout::blocked({64, 128}, 4, 8);
  for (int64_t reg = 0; reg < 8; ++reg)
    EXPECT_EQ(layout.apply(reg, 0, 0), (Index{0, reg}));
  EXPECT_EQ(layout.apply(0, 1, 0), (Index{0, 8}));
}

TEST(Layout, OfAScalarHasOneRegister) {
  Layout layout = Layout::blocked({}, 4, 8);
  EXPECT_EQ(layout.registerCount(), 1);
  EXPECT_EQ(layout.apply(0, 31, 3), Index{});
  EXPECT_EQ(copies(layout), 128);
}

TEST(Layout, FindRegisterTurnsRegisterOffsetAround) {
  Layout layout = Layout::blocked({80, 192}, 4, 4);
  std::set<Index> offsets;
  for (int64_t reg = 0; reg < layout.registerCount(); ++reg) {
    EXPECT_EQ(layout.findRegister(layout.registerOffset(reg)), reg);
    offsets.insert(layout.registerOffset(reg));
  }
  EXPECT_EQ(int64_t(offsets.size()), layout.registerCount());
  EXPECT_EQ(layout.findRegister({1, 1}), -1);
}

TEST(Layout, DropKeepsTheOtherDimsOfEveryThread) {
  for (const Index &shape : {Index{64, 128}, Index{80, 192}, Index{8, 256}})
    for (int64_t dim : {0, 1}) {
      Layout layout = Layout::blocked(shape, 4, 4), dropped = layout.drop(dim);
      ASSERT_TRUE(dropped.covers({shape[1 - dim]}));
      for (int64_t warp = 0; warp < 4; ++warp)
        for (int64_t lane = 0; lane < 32; ++lane) {
          std::set<int64_t> expected, found;
          for (int64_t reg = 0; reg < layout.registerCount(); ++reg)
            expected.insert(layout.apply(reg, lane, warp)[1 - dim]);
          for (int64_t reg = 0; reg < dropped.registerCount(); ++reg)
            found.insert(dropped.apply(reg, lane, warp)[0]);
          ASSERT_EQ(expected, found);
          ASSERT_EQ(int64_t(found.size()), dropped.registerCount());
        }
    }
}

TEST(Layout, FlattenIsDropAndInsert) {
  Layout layout = Layout::blocked({4, 16, 80}, 8, 4);
  for (int64_t dim : {0, 1, 2})
    EXPECT_TRUE(layout.flatten(dim) == layout.drop(dim).insert(dim));
}

TEST(Layout, PermuteReordersTheIndexOfEveryThread) {
  Layout layout = Layout::blocked({4, 16, 80}, 2, 4);
  const Index order = {2, 0, 1}, inverse = {1, 2, 0};
  Layout turned = layout.permute(order);
  EXPECT_TRUE(turned.permute(inverse) == layout);
  auto counts = holders(layout, {4, 16, 80}), turnedCounts = holders(turned, {80, 4, 16});
  ASSERT_EQ(counts.size(), turnedCounts.size());
  for (const auto &[index, count] : counts)
    EXPECT_EQ((turnedCounts[{index[2], index[0], index[1]}]), count);
}

} // namespace
