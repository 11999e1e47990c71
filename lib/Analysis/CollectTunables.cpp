//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Adds the parameters that a target gives meaning to.
//===----------------------------------------------------------------------===//
#include "helionc/Analysis/CollectTunables.h"

#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::analysis;

namespace {

class TunableCollector {
public:
  TunableCollector(hl::KernelOp kernel, const TargetFacts &target)
      : kernel(kernel), target(target), builder(kernel.getContext()) {}
  void run();

private:
  void addCpu();
  void addGpu();
  void addGrouping();
  void addEnum(StringRef name, ArrayRef<int64_t> choices, int64_t defaultValue, StringRef role, StringRef doc);
  void require(const Twine &condition, const Twine &reason);
  /// The extents of every distinct tile, as products over parameters: "block_sizes.0 * block_sizes.1 * 64".
  SmallVector<std::string> tileSizes();
  static std::string product(ArrayRef<Attribute> dims);
  int64_t defaultWarps();
  int64_t elementsByDefault(hl::TileType tile);

  hl::KernelOp kernel;
  const TargetFacts &target;
  OpBuilder builder;
};

SmallVector<int64_t> powersUpTo(int64_t last) {
  SmallVector<int64_t> values;
  for (int64_t value = 1; value < last; value *= 2)
    values.push_back(value);
  values.push_back(last);
  return values;
}

} // namespace

void TunableCollector::addEnum(StringRef name, ArrayRef<int64_t> choices, int64_t defaultValue, StringRef role,
                               StringRef doc) {
  SmallVector<Attribute> attributes;
  for (int64_t choice : choices)
    attributes.push_back(builder.getI64IntegerAttr(choice));
  hl::ParamOp::create(builder, kernel.getLoc(), builder.getStringAttr(name),
                      hl::ParamKindAttr::get(builder.getContext(), hl::ParamKind::Enum), IntegerAttr(), IntegerAttr(),
                      builder.getArrayAttr(attributes), builder.getI64IntegerAttr(defaultValue),
                      builder.getStringAttr(role), builder.getStringAttr(doc));
}

void TunableCollector::require(const Twine &condition, const Twine &reason) {
  hl::RequireOp::create(builder, kernel.getLoc(), builder.getStringAttr(condition), builder.getStringAttr(reason));
}

std::string TunableCollector::product(ArrayRef<Attribute> dims) {
  std::string text;
  int64_t constant = 1;
  for (Attribute dim : dims) {
    if (auto integer = dyn_cast<IntegerAttr>(dim))
      constant *= int64_t(llvm::PowerOf2Ceil(integer.getInt()));
    else
      text += (text.empty() ? "" : " * ") + cast<FlatSymbolRefAttr>(dim).getValue().str();
  }
  if (text.empty())
    return std::to_string(constant);
  return constant == 1 ? text : text + " * " + std::to_string(constant);
}

SmallVector<std::string> TunableCollector::tileSizes() {
  SmallVector<std::string> sizes;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<hl::TileType>(type); tile && !tile.isConcrete())
        if (std::string size = product(tile.getDims()); !llvm::is_contained(sizes, size))
          sizes.push_back(size);
  });
  return sizes;
}

int64_t TunableCollector::elementsByDefault(hl::TileType tile) {
  SymbolTable symbols(kernel);
  int64_t count = 1;
  for (Attribute dim : tile.getDims()) {
    if (auto integer = dyn_cast<IntegerAttr>(dim)) {
      count *= integer.getInt();
      continue;
    }
    auto param = symbols.lookup<hl::ParamOp>(cast<FlatSymbolRefAttr>(dim).getValue());
    if (auto value = param ? dyn_cast<IntegerAttr>(param.getDefaultValue()) : IntegerAttr())
      count *= value.getInt();
  }
  return count;
}

void TunableCollector::addGrouping() {
  bool twoDims =
      llvm::any_of(kernel.getBody().getOps<hl::GridOp>(), [](hl::GridOp grid) { return grid.getSteps().size() >= 2; });
  if (twoDims)
    addEnum("l2_groupings", {1, 2, 4, 8, 16, 32, 64}, 1, "grouping",
            "how many blocks of the first grid dim run before the second moves on: reuse in the cache");
}

void TunableCollector::addCpu() {
  int64_t width = target.vectorBits / 32;
  addEnum("num_threads", powersUpTo(target.cores), target.cores, "threads", "threads that share the grid");
  SmallVector<int64_t> widths = powersUpTo(width);
  addEnum("vector_width", ArrayRef(widths).drop_front(std::min<size_t>(2, widths.size() - 1)), width, "vector",
          "f32 elements in a vector of the innermost loop");
  addGrouping();
  bool hasDot = false;
  kernel.walk([&](hl::DotOp) { hasDot = true; });
  if (hasDot) {
    addEnum("dot_tile_m", {1, 2, 4, 6, 8, 12}, target.vectorRegisters >= 32 ? 8 : 4, "dot_tile",
            "rows of the register block of a dot");
    addEnum("dot_tile_n", {1, 2, 3, 4}, 2, "dot_tile", "vectors in a row of the register block of a dot");
    addEnum("unroll", {1, 2, 4}, 1, "unroll", "steps of a dot's inner loop that are written out");
    require("dot_tile_m * dot_tile_n + dot_tile_n + 1 <= " + Twine(target.vectorRegisters),
            "the register block of a dot needs more vector registers than the processor has");
  }
  int64_t limit = 16 << 20;
  for (const std::string &size : tileSizes())
    require(size + " <= " + Twine(limit), "a tile has more than 16 Mi elements");
}

int64_t TunableCollector::defaultWarps() {
  int64_t largest = 1;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<hl::TileType>(type))
        largest = std::max(largest, elementsByDefault(tile));
  });
  int64_t warps = int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(largest, 32 * 32)));
  return std::clamp<int64_t>(warps, 1, 16);
}

void TunableCollector::addGpu() {
  addEnum("num_warps", {1, 2, 4, 8, 16, 32}, defaultWarps(), "warps", "warps of 32 threads that share one program");
  addGrouping();
  for (const std::string &size : tileSizes())
    require(size + " <= 4096 * num_warps", "a tile gives each thread more than 128 elements to hold in registers");
  SmallVector<std::string> seen;
  kernel.walk([&](hl::DotOp dot) {
    unsigned bytes = std::max(4u, dot.getLhs().getType().getElementType().getIntOrFloatBitWidth() / 8);
    std::string lhs = product(dot.getLhs().getType().getDims()), rhs = product(dot.getRhs().getType().getDims());
    std::string size = "(" + lhs + " + " + rhs + ") * " + std::to_string(bytes);
    if (llvm::is_contained(seen, size))
      return;
    seen.push_back(size);
    require(size + " <= " + Twine(target.smemBytes),
            "the operands of a dot take more shared memory than a block may have");
  });
}

void TunableCollector::run() {
  SymbolTable symbols(kernel);
  if (symbols.lookup(target.isGpu ? "num_warps" : "num_threads"))
    return;
  Block &body = kernel.getBody().front();
  builder.setInsertionPointToStart(&body);
  for (Operation &op : body)
    if (isa<hl::ParamOp, hl::RequireOp>(op))
      builder.setInsertionPointAfter(&op);
  if (target.isGpu)
    addGpu();
  else
    addCpu();
}

void helionc::analysis::collectTunables(hl::KernelOp kernel, const TargetFacts &target) {
  TunableCollector(kernel, target).run();
}
