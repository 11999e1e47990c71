//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Recipes for GPUs: tiles that feed the multiprocessors, warps by the work of a program.
//===----------------------------------------------------------------------===//
#include "ExpertRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace helionc;
using namespace helionc::autotune;

static int64_t pow2Ceil(int64_t value) { return int64_t(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(1, value)))); }

static void setAll(Wish &wish, const std::vector<std::string> &names, int64_t value) {
  for (const std::string &name : names)
    wish.values[name] = value;
}

/// A tile of a dot with its warps, pipeline stages and grouping.
namespace {
struct DotTile {
  int64_t m, n, k, warps, stages, grouping;
};
} // namespace

/// Tiles that win on recent cards, the generally best first.
static constexpr DotTile dotTiles[] = {
    {128, 128, 64, 8, 3, 8}, {128, 128, 32, 4, 4, 8}, {64, 128, 32, 4, 4, 8},  {128, 256, 64, 8, 3, 8},
    {64, 64, 64, 4, 3, 8},   {128, 64, 64, 4, 4, 8},  {256, 128, 32, 8, 3, 8}, {64, 64, 32, 4, 5, 4},
    {32, 64, 64, 4, 4, 4},   {64, 32, 64, 2, 4, 4},   {32, 32, 64, 2, 4, 1},   {16, 64, 128, 4, 4, 1},
    {64, 128, 64, 8, 3, 16}, {128, 64, 32, 8, 4, 16}, {16, 32, 128, 2, 4, 1},  {32, 128, 32, 4, 4, 8}};

static Wish dotWish(const tuning::ConfigSpace &space, const LoopRoles &roles, const DotTile &tile) {
  Wish wish;
  for (auto [loop, block] : {std::pair(roles.m, tile.m), {roles.n, tile.n}, {roles.k, tile.k}})
    if (loop)
      wish.values[loop->blockParam] = loop->extent > 0 ? std::min(block, pow2Ceil(loop->extent)) : block;
  setAll(wish, withRole(space, "warps"), tile.warps);
  setAll(wish, withRole(space, "stages"), tile.stages);
  setAll(wish, withRole(space, "grouping"), tile.grouping);
  return wish;
}

/// The share of the multiprocessors that work over all waves; a part of a wave on a large grid costs little.
static double waveEfficiency(const KernelFacts &facts, const Wish &wish) {
  double programs = gridPrograms(facts, wish.values), slots = double(std::max<int64_t>(1, facts.cores));
  return programs / (std::ceil(programs / slots) * slots);
}

std::vector<Wish> helionc::autotune::gpuDotWishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  std::vector<std::pair<double, Wish>> scored;
  for (const DotTile &tile : dotTiles) {
    Wish wish = dotWish(space, roles, tile);
    double waves = waveEfficiency(facts, wish);
    double reuse = double(tile.m) * double(tile.n) / double(tile.m + tile.n);
    wish.rationale = llvm::formatv("{0}x{1}x{2} with {3} warps: each operand element is used {4:f0} times, the waves "
                                   "are {5:f0} % full",
                                   tile.m, tile.n, tile.k, tile.warps, reuse, 100 * waves);
    scored.push_back({waves / (1 + 12 / reuse), std::move(wish)});
  }
  sortByScore(scored, [](const auto &entry) { return entry.first; });
  std::vector<Wish> wishes;
  for (auto &entry : scored)
    wishes.push_back(std::move(entry.second));
  return wishes;
}

std::vector<Wish> helionc::autotune::gpuRowWishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  int64_t length = 0;
  for (const LoopFact *column : roles.columns)
    length = std::max(length, column->extent);
  // A row kept whole has no loop over columns: its length is what the grid's rows leave of the bytes.
  double rowCount = 1;
  for (const LoopFact *row : roles.rows)
    rowCount *= double(std::max<int64_t>(1, row->extent));
  if (length == 0 && facts.bytes > 0)
    length = int64_t(facts.bytes / double(std::max<int64_t>(1, facts.elementBytes)) / rowCount / 2);
  length = std::max<int64_t>(length, 32);
  std::vector<Wish> wishes;
  auto add = [&](int64_t rows, int64_t columns, int64_t perThread) {
    Wish wish;
    for (size_t i = 0; i < roles.rows.size(); ++i)
      wish.values[roles.rows[i]->blockParam] = i + 1 == roles.rows.size() ? rows : 1;
    for (const LoopFact *column : roles.columns)
      wish.values[column->blockParam] = columns;
    int64_t warps = std::clamp<int64_t>(pow2Ceil(rows * std::min(columns, pow2Ceil(length)) / (32 * perThread)), 1, 32);
    setAll(wish, withRole(space, "warps"), warps);
    wish.rationale = llvm::formatv("{0} rows by {1} columns a program, {2} warps: about {3} elements a thread", rows,
                                   columns, warps, perThread);
    wishes.push_back(std::move(wish));
  };
  int64_t whole = pow2Ceil(length);
  add(1, whole, 16);
  add(1, whole, 8);
  add(1, whole, 32);
  add(1, std::min<int64_t>(whole, 4096), 16);
  add(1, std::min<int64_t>(whole, 2048), 8);
  if (length <= 2048) {
    add(4, whole, 16);
    add(2, whole, 8);
    add(8, whole, 32);
  }
  add(1, std::min<int64_t>(whole, 1024), 8);
  add(2, std::min<int64_t>(whole, 1024), 16);
  add(1, whole, 4);
  return wishes;
}

std::vector<Wish> helionc::autotune::gpuElementwiseWishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  std::vector<const LoopFact *> loops = roles.rows;
  llvm::append_range(loops, roles.columns);
  std::vector<Wish> wishes;
  auto add = [&](int64_t elements, int64_t warps) {
    Wish wish;
    int64_t left = elements;
    for (const LoopFact *loop : llvm::reverse(loops)) {
      int64_t most = loop->extent > 0 ? pow2Ceil(loop->extent) : left;
      int64_t block = std::clamp<int64_t>(left, 1, most);
      wish.values[loop->blockParam] = block;
      left = std::max<int64_t>(1, left / block);
    }
    setAll(wish, withRole(space, "warps"), warps);
    wish.rationale = llvm::formatv("{0} elements by {1} warps: {2} a thread in wide accesses", elements, warps,
                                   elements / (32 * warps));
    wishes.push_back(std::move(wish));
  };
  for (auto [elements, warps] : {std::pair<int64_t, int64_t>{1024, 4},
                                 {2048, 8},
                                 {2048, 4},
                                 {512, 4},
                                 {4096, 8},
                                 {1024, 8},
                                 {512, 2},
                                 {4096, 4},
                                 {8192, 8},
                                 {256, 4},
                                 {256, 1}})
    add(elements, warps);
  return wishes;
}
