//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Recipes for the CPU: what fits the caches, feeds the vector units and leaves work for every thread.
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

static int64_t pow2Floor(int64_t value) { return int64_t(llvm::bit_floor(uint64_t(std::max<int64_t>(1, value)))); }

static void setAll(Wish &wish, const std::vector<std::string> &names, int64_t value) {
  for (const std::string &name : names)
    wish.values[name] = value;
}

/// All threads and the full vector width: what every CPU recipe starts from.
static Wish fullMachine(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  Wish wish;
  setAll(wish, withRole(space, "threads"), facts.cores);
  setAll(wish, withRole(space, "vector"), facts.vectorBits / 32);
  return wish;
}

static double work(const KernelFacts &facts) { return std::max(facts.flops / 20, facts.bytes / 8); }

/// A kernel of a few tens of microseconds: waking every thread costs more than it gives.
static bool isTiny(const KernelFacts &facts) { return work(facts) > 0 && work(facts) < 2e5; }

/// Variants with fewer threads: for tiny kernels, and where one thread a core already fills the memory bus.
static void addThreadVariants(std::vector<Wish> &wishes, const tuning::ConfigSpace &space, const KernelFacts &facts) {
  std::vector<std::string> threads = withRole(space, "threads");
  if (threads.empty() || wishes.empty() || facts.cores < 2)
    return;
  Wish base = wishes.front();
  for (int64_t count : {int64_t(1), std::max<int64_t>(1, facts.cores / 2)}) {
    Wish wish = base;
    setAll(wish, threads, count);
    wish.rationale = llvm::formatv("{0} threads: less to wake and to share the memory bus", count);
    wishes.insert(isTiny(facts) ? wishes.begin() + (count == 1 ? 0 : 1) : wishes.end(), wish);
  }
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

namespace {

/// A blocking of a dot and how good it looks, from 0 to 1.
struct DotBlocking {
  int64_t m, n, k, tileM, tileN;
  double score;
};

/// Multiplies what each level of the machine keeps of its peak. The factors are rough on purpose: they order the
/// candidates, the measurements decide.
class DotScorer {
public:
  DotScorer(const KernelFacts &facts, const LoopRoles &roles) : facts(facts), roles(roles) {}
  double score(const DotBlocking &b) const {
    return registers(b) * remainders(b) * caches(b) * traffic(b) * balance(b);
  }

private:
  double lanes() const { return double(facts.vectorBits) / 32; }
  /// Enough accumulators to hide the latency of two multiply-adds a cycle, few loads for each.
  double registers(const DotBlocking &b) const {
    double accumulators = double(b.tileM * b.tileN), loads = double(b.tileM + b.tileN);
    if (accumulators + double(b.tileN) + 1 > double(facts.vectorRegisters))
      return 0.01;
    return std::min(1.0, accumulators / 10) * std::min(1.0, 1.3 * accumulators / (accumulators / 2 + loads));
  }
  /// Work lost where blocks are no multiple of the register tile, and extents none of the blocks.
  double remainders(const DotBlocking &b) const {
    auto used = [](double extent, double step) { return extent / (std::ceil(extent / step) * step); };
    double vectorTile = double(b.tileN) * lanes();
    double result = used(double(b.m), double(b.tileM)) * used(double(b.n), vectorTile);
    for (auto [loop, block] : {std::pair(roles.m, b.m), {roles.n, b.n}, {roles.k, b.k}})
      if (loop && loop->extent > 0)
        result *= used(double(loop->extent), double(block));
    return result;
  }
  /// The three tiles in the second-level cache; a sliver of B in the first.
  double caches(const DotBlocking &b) const {
    double footprint = 4.0 * double(b.m * b.k + b.k * b.n + b.m * b.n);
    double l2 = 0.75 * double(facts.l2Bytes), sliver = 4.0 * double(b.k * b.tileN) * lanes();
    double l1 = 0.75 * double(facts.l1Bytes);
    return std::min(1.0, std::sqrt(l2 / footprint)) * std::min(1.0, std::pow(l1 / sliver, 0.25));
  }
  /// Operands read again by every block, accumulators by every step of K.
  double traffic(const DotBlocking &b) const {
    double reuse = double(b.m) * double(b.n) / double(b.m + b.n);
    return 1 / (1 + 6 / reuse) / (1 + 16 / double(b.k));
  }
  double balance(const DotBlocking &b) const {
    std::map<std::string, int64_t> values;
    for (auto [loop, block] : {std::pair(roles.m, b.m), {roles.n, b.n}, {roles.k, b.k}})
      if (loop)
        values[loop->blockParam] = block;
    double programs = gridPrograms(facts, values), threads = double(facts.cores);
    return programs / (std::ceil(programs / threads) * threads);
  }

  const KernelFacts &facts;
  const LoopRoles &roles;
};

} // namespace

static std::vector<int64_t> integerValues(const tuning::ConfigSpace &space, llvm::StringRef name, int64_t otherwise) {
  std::vector<int64_t> values;
  if (const tuning::Parameter *parameter = space.find(name))
    for (const tuning::Value &value : parameter->values(32))
      if (auto *integer = std::get_if<int64_t>(&value))
        values.push_back(*integer);
  if (values.empty())
    values.push_back(otherwise);
  return values;
}

static std::vector<DotBlocking> scoreAll(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  DotScorer scorer(facts, roles);
  auto blocks = [&](const LoopFact *loop) { return integerValues(space, loop ? loop->blockParam : "", 64); };
  std::vector<DotBlocking> all;
  for (int64_t m : blocks(roles.m))
    for (int64_t n : blocks(roles.n))
      for (int64_t k : blocks(roles.k))
        for (int64_t tileM : integerValues(space, "dot_tile_m", 4))
          for (int64_t tileN : integerValues(space, "dot_tile_n", 2)) {
            DotBlocking blocking{m, n, k, tileM, tileN, 0};
            blocking.score = scorer.score(blocking);
            all.push_back(blocking);
          }
  sortByScore(all, [](const DotBlocking &blocking) { return blocking.score; });
  return all;
}

/// The best few that differ: each one taken makes its like less attractive.
static std::vector<DotBlocking> diversify(std::vector<DotBlocking> all, size_t count) {
  constexpr size_t pool = 400;
  if (all.size() > pool)
    all.resize(pool);
  std::vector<DotBlocking> chosen;
  while (chosen.size() < count && !all.empty()) {
    auto best = std::max_element(all.begin(), all.end(), [](auto &a, auto &b) { return a.score < b.score; });
    DotBlocking taken = *best;
    all.erase(best);
    for (DotBlocking &other : all) {
      int same = (other.m == taken.m) + (other.n == taken.n) + (other.k == taken.k) +
                 (other.tileM == taken.tileM && other.tileN == taken.tileN);
      other.score *= std::pow(0.985, same);
    }
    chosen.push_back(taken);
  }
  return chosen;
}

std::vector<Wish> helionc::autotune::cpuDotWishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  std::vector<Wish> wishes;
  size_t number = 0;
  for (const DotBlocking &b : diversify(scoreAll(space, facts), 18)) {
    Wish wish = fullMachine(space, facts);
    for (auto [loop, block] : {std::pair(roles.m, b.m), {roles.n, b.n}, {roles.k, b.k}})
      if (loop)
        wish.values[loop->blockParam] = block;
    wish.values["dot_tile_m"] = b.tileM;
    wish.values["dot_tile_n"] = b.tileN;
    int64_t unroll = number % 3 == 1 ? 2 : number % 3 == 2 ? 4 : 1, grouping = number % 2 ? 4 : 1;
    setAll(wish, withRole(space, "unroll"), unroll);
    setAll(wish, withRole(space, "grouping"), grouping);
    wish.rationale = llvm::formatv("{0}x{1}x{2} tiles take {3} KiB of the {4} KiB L2; a {5}x{6} register tile keeps "
                                   "{7} multiply-adds in flight",
                                   b.m, b.n, b.k, (4 * (b.m * b.k + b.k * b.n + b.m * b.n)) >> 10, facts.l2Bytes >> 10,
                                   b.tileM, b.tileN, b.tileM * b.tileN);
    wishes.push_back(std::move(wish));
    ++number;
  }
  if (isTiny(facts))
    addThreadVariants(wishes, space, facts);
  return wishes;
}

//===----------------------------------------------------------------------===//
// Rows and elementwise
//===----------------------------------------------------------------------===//

/// Blocks for the outer dims such that `elements` remain for all of them together, the innermost taking the most.
static void spread(Wish &wish, const std::vector<const LoopFact *> &loops, int64_t elements) {
  for (const LoopFact *loop : llvm::reverse(loops)) {
    int64_t most = loop->extent > 0 ? pow2Ceil(loop->extent) : elements;
    int64_t block = std::clamp<int64_t>(pow2Floor(elements), 1, most);
    wish.values[loop->blockParam] = block;
    elements = std::max<int64_t>(1, elements / block);
  }
}

/// Rows a program may take so that every thread has at least four programs.
static int64_t rowsForBalance(const KernelFacts &facts, const std::vector<const LoopFact *> &rows) {
  double total = 1;
  for (const LoopFact *row : rows)
    total *= double(std::max<int64_t>(1, row->extent));
  return pow2Floor(int64_t(std::max(1.0, total / (4.0 * double(facts.cores)))));
}

std::vector<Wish> helionc::autotune::cpuRowWishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  int64_t l1Elements = facts.l1Bytes / 4 / 2, l2Elements = facts.l2Bytes / 4 / 2;
  int64_t balance = rowsForBalance(facts, roles.rows);
  std::vector<Wish> wishes;
  auto add = [&](int64_t rows, int64_t columns, const char *why) {
    Wish wish = fullMachine(space, facts);
    spread(wish, roles.rows, std::min(rows, balance));
    spread(wish, roles.columns, columns);
    wish.rationale = llvm::formatv("{0} rows by {1} columns: {2}", std::min(rows, balance), columns, why);
    wishes.push_back(std::move(wish));
  };
  add(1, l1Elements, "one row at a time stays in the first-level cache between its passes");
  add(4, l1Elements / 4, "four rows share the loop overhead and still fit the first-level cache");
  add(1, l2Elements, "whole rows: one pass over memory, the rest from the second-level cache");
  add(8, l1Elements / 8, "eight rows: independent reductions hide each other's latency");
  add(2, l1Elements / 2, "two rows interleaved");
  add(16, 256, "short, tall tiles: many independent sums");
  add(1, 1024, "a short strip of one row");
  add(32, l2Elements / 32, "tall tiles in the second-level cache: few, large programs");
  add(64, 64, "square tiles");
  addThreadVariants(wishes, space, facts);
  return wishes;
}

std::vector<Wish> helionc::autotune::cpuElementwiseWishes(const tuning::ConfigSpace &space, const KernelFacts &facts) {
  LoopRoles roles = classifyLoops(facts);
  std::vector<const LoopFact *> loops = roles.rows;
  llvm::append_range(loops, roles.columns);
  double total = 1;
  for (const LoopFact *loop : loops)
    total *= double(std::max<int64_t>(1, loop->extent));
  int64_t share = pow2Ceil(int64_t(total / double(facts.cores)));
  std::vector<Wish> wishes;
  auto add = [&](int64_t elements, const char *why) {
    Wish wish = fullMachine(space, facts);
    spread(wish, loops, elements);
    wish.rationale = llvm::formatv("{0} elements a block: {1}", elements, why);
    wishes.push_back(std::move(wish));
  };
  add(facts.l1Bytes / 16, "intermediate tiles stay in the first-level cache");
  add(std::min<int64_t>(share, 1 << 16), "few large blocks, all threads streaming");
  add(share, "one block a thread: the longest streams there are");
  add(facts.l1Bytes / 32, "half of the first-level cache");
  add(1 << 14, "amortizes the block's start over more elements");
  add(std::max<int64_t>(1, share / 4), "four blocks a thread: balanced");
  add(1 << 10, "small blocks, everything in registers and L1");
  add(1 << 18, "very large blocks");
  addThreadVariants(wishes, space, facts);
  return wishes;
}
