//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Walks a symbolic kernel and adds up its work.
//===----------------------------------------------------------------------===//
#include "helionc/Analysis/KernelSummary.h"

#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace helionc;
using namespace helionc::analysis;

namespace {

/// The loops around an operation, outermost first: (parameter or extent, dim summary).
struct Enclosing {
  Attribute extent;
  std::optional<int64_t> length;
  int64_t defaultBlock;
};

class Summarizer {
public:
  explicit Summarizer(hl::KernelOp kernel) : kernel(kernel), symbols(kernel) { summary.kernel = kernel.getSymName(); }
  KernelSummary run();

private:
  void addArguments();
  LoopSummary visitLoop(Operation *loop, ValueRange lowers, ValueRange uppers, ArrayAttr steps, Block &body);
  void visitBody(Block &body, LoopSummary &into);
  void visitOp(Operation &op, LoopSummary &into);
  OpSummary describe(hl::LoadOp op);
  OpSummary describe(hl::StoreOp op);
  OpSummary describe(hl::DotOp op);
  OpSummary describe(hl::ReduceOp op);
  OpSummary describe(hl::MapOp op);
  void markDims(LoopSummary &loop);

  int64_t defaultOf(Attribute dim);
  std::string nameOf(Attribute dim);
  std::string shapeText(ArrayRef<Attribute> dims);
  std::string tensorName(Value tensor);
  std::string indexText(Value tensor, ValueRange indices, ArrayRef<int32_t> kinds);
  /// Elements of `dims` over the whole launch: ragged edges are not counted twice, blocks of loops that do not appear
  /// in `dims` repeat them.
  double elementsOver(ArrayRef<Attribute> dims);
  bool isRagged(ArrayRef<Attribute> dims);

  hl::KernelOp kernel;
  SymbolTable symbols;
  KernelSummary summary;
  SmallVector<Enclosing> enclosing;
  /// Parameters seen as M, N, K or batch of a dot, and as a reduced dim.
  DenseMap<Attribute, StringRef> dotRoles;
  DenseSet<Attribute> reduced;
};

std::string dtypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1 ? "bool" : "i" + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

double elementBytes(Type type) { return type.isIndex() ? 8 : std::max(1u, type.getIntOrFloatBitWidth() / 8); }

bool isTranscendental(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log1pOp, math::Log10Op,
             math::TanhOp, math::SinOp, math::CosOp, math::TanOp, math::ErfOp, math::ErfcOp, math::PowFOp, math::SqrtOp,
             math::RsqrtOp>(op);
}

} // namespace

int64_t Summarizer::defaultOf(Attribute dim) {
  if (auto integer = dyn_cast<IntegerAttr>(dim))
    return integer.getInt();
  auto param = symbols.lookup<hl::ParamOp>(cast<FlatSymbolRefAttr>(dim).getValue());
  auto value = param ? dyn_cast<IntegerAttr>(param.getDefaultValue()) : IntegerAttr();
  return value ? value.getInt() : 1;
}

std::string Summarizer::nameOf(Attribute dim) {
  if (auto integer = dyn_cast<IntegerAttr>(dim))
    return std::to_string(integer.getInt());
  return cast<FlatSymbolRefAttr>(dim).getValue().str();
}

std::string Summarizer::shapeText(ArrayRef<Attribute> dims) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(dims, os, [&](Attribute dim) { os << nameOf(dim); });
  return text + "]";
}

std::string Summarizer::tensorName(Value tensor) {
  while (auto view = tensor.getDefiningOp<hl::ViewOp>())
    tensor = view.getSource();
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (argument.getOwner()->getParentOp() == kernel)
      return kernel.getArgName(argument.getArgNumber()).str();
  return "?";
}

std::string Summarizer::indexText(Value tensor, ValueRange indices, ArrayRef<int32_t> kinds) {
  std::string text = tensorName(tensor) + "[";
  llvm::raw_string_ostream os(text);
  auto next = indices.begin();
  llvm::interleaveComma(kinds, os, [&](int32_t kind) {
    switch (hl::IndexKind(kind)) {
    case hl::IndexKind::Full:
      os << ':';
      return;
    case hl::IndexKind::Span:
      os << nameOf(cast<hl::SpanType>((*next++).getType()).getExtent());
      return;
    case hl::IndexKind::Scalar:
      ++next;
      os << "scalar";
      return;
    case hl::IndexKind::Gather:
      ++next;
      os << "gather";
      return;
    }
  });
  return text + "]";
}

double Summarizer::elementsOver(ArrayRef<Attribute> dims) {
  double count = 1;
  SmallVector<bool> used(enclosing.size());
  for (Attribute dim : dims) {
    int64_t found = -1;
    for (int64_t i = int64_t(enclosing.size()) - 1; i >= 0 && found < 0; --i)
      if (enclosing[i].extent == dim && !used[i] && !isa<IntegerAttr>(dim))
        found = i;
    if (found < 0) {
      count *= defaultOf(dim);
      continue;
    }
    used[found] = true;
    count *= enclosing[found].length.value_or(enclosing[found].defaultBlock);
  }
  for (auto [loop, isUsed] : llvm::zip(enclosing, used))
    if (!isUsed && loop.length)
      count *= llvm::divideCeil(*loop.length, std::max<int64_t>(loop.defaultBlock, 1));
  return count;
}

bool Summarizer::isRagged(ArrayRef<Attribute> dims) {
  for (Attribute dim : dims)
    for (const Enclosing &loop : enclosing)
      if (loop.extent == dim && isa<FlatSymbolRefAttr>(dim) && (!loop.length || !llvm::isPowerOf2_64(*loop.length)))
        return true;
  return false;
}

OpSummary Summarizer::describe(hl::LoadOp op) {
  OpSummary result;
  hl::TileType type = op.getResult().getType();
  bool gather = llvm::is_contained(op.getKinds(), int32_t(hl::IndexKind::Gather));
  summary.hasGather |= gather;
  result.kind = gather ? OpSummary::Kind::Gather : OpSummary::Kind::Load;
  result.text =
      "load " + indexText(op.getSource(), op.getIndices(), op.getKinds()) + " " + dtypeName(type.getElementType());
  result.bytes = elementsOver(type.getDims()) * elementBytes(type.getElementType());
  result.isMasked = op.getMask() || isRagged(type.getDims());
  return result;
}

OpSummary Summarizer::describe(hl::StoreOp op) {
  OpSummary result;
  hl::TileType type = op.getValue().getType();
  result.kind = OpSummary::Kind::Store;
  result.text =
      "store " + indexText(op.getDest(), op.getIndices(), op.getKinds()) + " " + dtypeName(type.getElementType());
  result.bytes = elementsOver(type.getDims()) * elementBytes(type.getElementType());
  result.isMasked = op.getMask() || isRagged(type.getDims());
  return result;
}

OpSummary Summarizer::describe(hl::DotOp op) {
  OpSummary result;
  hl::TileType lhs = op.getLhs().getType(), acc = op.getAcc().getType();
  int64_t rank = acc.getRank();
  result.kind = OpSummary::Kind::Dot;
  result.text = "dot " + shapeText(lhs.getDims()) + " x " + shapeText(op.getRhs().getType().getDims()) + " " +
                dtypeName(lhs.getElementType()) + " into " + dtypeName(acc.getElementType());
  SmallVector<Attribute> dims(acc.getDims());
  dims.push_back(lhs.getDims().back());
  result.flops = 2 * elementsOver(dims);
  summary.hasDot = true;
  summary.dotDtype = dtypeName(lhs.getElementType());
  for (auto [dim, extent] : llvm::enumerate(acc.getDims()))
    dotRoles.try_emplace(extent, int64_t(dim) == rank - 2 ? "m" : int64_t(dim) == rank - 1 ? "n" : "batch");
  dotRoles.try_emplace(lhs.getDims().back(), "k");
  return result;
}

OpSummary Summarizer::describe(hl::ReduceOp op) {
  OpSummary result;
  hl::TileType type = op.getSource().getType();
  result.kind = OpSummary::Kind::Reduce;
  result.text = ("reduce " + hl::stringifyReduceKind(op.getKind()) + " " + shapeText(type.getDims()) + " along " +
                 nameOf(type.getDims()[op.getDim()]))
                    .str();
  result.flops = elementsOver(type.getDims());
  summary.hasReduction = true;
  reduced.insert(type.getDims()[op.getDim()]);
  return result;
}

OpSummary Summarizer::describe(hl::MapOp op) {
  OpSummary result;
  hl::TileType type = op.getResult().getType();
  int64_t operations = 0, transcendentals = 0;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>() ||
        isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::TruncIOp>(inner))
      continue;
    ++operations;
    transcendentals += isTranscendental(inner);
  }
  double elements = elementsOver(type.getDims());
  result.flops = operations * elements;
  result.transcendentals = transcendentals * elements;
  result.text = llvm::formatv(
      "map {0} with {1} operation{2} an element{3}", shapeText(type.getDims()), operations, operations == 1 ? "" : "s",
      transcendentals ? llvm::formatv(", {0} of them transcendental", transcendentals).str() : "");
  return result;
}

void Summarizer::visitOp(Operation &op, LoopSummary &into) {
  if (auto loop = dyn_cast<hl::LoopOp>(op)) {
    into.inner.push_back(visitLoop(loop, loop.getLowers(), loop.getUppers(), loop.getSteps(), loop.getBody().front()));
    return;
  }
  if (auto branch = dyn_cast<hl::IfOp>(op)) {
    visitBody(branch.getThenRegion().front(), into);
    visitBody(branch.getElseRegion().front(), into);
    return;
  }
  if (auto load = dyn_cast<hl::LoadOp>(op))
    into.ops.push_back(describe(load));
  else if (auto store = dyn_cast<hl::StoreOp>(op))
    into.ops.push_back(describe(store));
  else if (auto dot = dyn_cast<hl::DotOp>(op))
    into.ops.push_back(describe(dot));
  else if (auto reduce = dyn_cast<hl::ReduceOp>(op))
    into.ops.push_back(describe(reduce));
  else if (auto map = dyn_cast<hl::MapOp>(op))
    into.ops.push_back(describe(map));
  else
    return;
  const OpSummary &added = into.ops.back();
  summary.flops += added.flops;
  summary.transcendentals += added.transcendentals;
  summary.movedBytes += added.bytes;
}

void Summarizer::visitBody(Block &body, LoopSummary &into) {
  for (Operation &op : body)
    visitOp(op, into);
}

LoopSummary Summarizer::visitLoop(Operation *op, ValueRange lowers, ValueRange uppers, ArrayAttr steps, Block &body) {
  LoopSummary loop;
  loop.isGrid = isa<hl::GridOp>(op);
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    loop.line = loc.getLine();
  size_t depth = enclosing.size();
  for (auto [lower, upper, step] : llvm::zip(lowers, uppers, steps)) {
    APInt begin, end;
    LoopDim dim;
    dim.param = isa<FlatSymbolRefAttr>(step) ? nameOf(step) : "";
    dim.defaultBlock = defaultOf(step);
    if (matchPattern(lower, m_ConstantInt(&begin)) && matchPattern(upper, m_ConstantInt(&end)))
      dim.extent = std::max<int64_t>(end.getSExtValue() - begin.getSExtValue(), 0);
    enclosing.push_back({step, dim.extent, dim.defaultBlock});
    loop.dims.push_back(std::move(dim));
  }
  visitBody(body, loop);
  enclosing.resize(depth);
  return loop;
}

void Summarizer::markDims(LoopSummary &loop) {
  for (LoopDim &dim : loop.dims) {
    if (dim.param.empty())
      continue;
    Attribute name = FlatSymbolRefAttr::get(kernel.getContext(), dim.param);
    if (auto role = dotRoles.find(name); role != dotRoles.end())
      dim.dotRole = role->second.str();
    dim.isReduced = reduced.contains(name);
  }
  for (LoopSummary &inner : loop.inner)
    markDims(inner);
}

void Summarizer::addArguments() {
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    auto type = dyn_cast<hl::TensorType>(kernel.getArgumentTypes()[i]);
    if (!type) {
      summary.scalars.push_back((kernel.getArgName(i) + ": " + dtypeName(kernel.getArgumentTypes()[i])).str());
      continue;
    }
    TensorSummary tensor;
    tensor.name = kernel.getArgName(i);
    tensor.role = kernel.getArgRole(i);
    tensor.dtype = dtypeName(type.getElementType());
    tensor.shape.assign(type.getShape().begin(), type.getShape().end());
    tensor.strides.assign(type.getStrides().begin(), type.getStrides().end());
    tensor.bytes = type.getNumElements() * int64_t(elementBytes(type.getElementType()));
    summary.uniqueBytes += tensor.role == "temp" ? 0 : tensor.role == "inout" ? 2 * tensor.bytes : tensor.bytes;
    summary.tensors.push_back(std::move(tensor));
  }
}

KernelSummary Summarizer::run() {
  addArguments();
  for (auto grid : kernel.getBody().getOps<hl::GridOp>())
    summary.launches.push_back(
        visitLoop(grid, grid.getLowers(), grid.getUppers(), grid.getSteps(), grid.getBody().front()));
  for (LoopSummary &launch : summary.launches)
    markDims(launch);
  return std::move(summary);
}

KernelSummary helionc::analysis::summarizeKernel(hl::KernelOp kernel) { return Summarizer(kernel).run(); }
