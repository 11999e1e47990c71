//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Loops over tiles: hl.grid at the top of a kernel, hl.loop inside.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;

mlir::Value Evaluator::toIndex(const Value &value, SMLoc loc) {
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
    return mlir::arith::ConstantIndexOp::create(builder, location(loc), value.integer);
  if (value.is(ValueKind::Scalar)) {
    if (value.ssa.getType().isIndex())
      return value.ssa;
    if (value.ssa.getType().isInteger() && !value.ssa.getType().isInteger(1))
      return mlir::arith::IndexCastOp::create(builder, location(loc), builder.getIndexType(), value.ssa);
  }
  error(loc, "expected an integer, found " + describe(value));
  return {};
}

mlir::Attribute Evaluator::addBlockParam(int64_t min, int64_t max, std::string doc, bool isFixed) {
  std::string name = "block_sizes." + std::to_string(blockParams++);
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block &body = kernelOp.getBody().front();
  builder.setInsertionPointToStart(&body);
  for (mlir::Operation &op : body)
    if (mlir::isa<hl::ParamOp>(op))
      builder.setInsertionPointAfter(&op);
  bool powers = llvm::isPowerOf2_64(min) && llvm::isPowerOf2_64(max);
  hl::ParamOp::create(builder, kernelOp.getLoc(), builder.getStringAttr(name),
                      hl::ParamKindAttr::get(&context, powers ? hl::ParamKind::Pow2 : hl::ParamKind::Int),
                      builder.getI64IntegerAttr(min), builder.getI64IntegerAttr(max), mlir::ArrayAttr(),
                      builder.getI64IntegerAttr(isFixed ? min : max), builder.getStringAttr("block"),
                      builder.getStringAttr(doc));
  return mlir::FlatSymbolRefAttr::get(&context, name);
}

mlir::Attribute Evaluator::stepFor(const Value &blockSize, std::optional<int64_t> extent, SMLoc loc, int64_t line) {
  std::string where = "line " + std::to_string(line);
  if (blockSize.is(ValueKind::Block))
    return blockSize.block;
  if (blockSize.is(ValueKind::Int)) {
    if (blockSize.integer <= 0) {
      error(loc, "a block size must be positive, not " + std::to_string(blockSize.integer));
      return {};
    }
    // A parameter with one value: the dim of a tile names its loop.
    return blockSize.integer == 1 ? integerDim(1)
                                  : addBlockParam(blockSize.integer, blockSize.integer, "fixed in " + where, true);
  }
  constexpr int64_t largest = 16384;
  int64_t max = extent ? std::min<int64_t>(int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(*extent, 1))), largest) : 1024;
  std::string over = extent ? "of " + std::to_string(*extent) + " " : "";
  mlir::Attribute block = addBlockParam(1, max, "block " + over + "in the loop of " + where, false);
  return block;
}

/// hl.tile(n), hl.tile([m, n]), hl.tile(begin, end), each with block_size; hl.grid likewise with steps of 1.
bool Evaluator::loopDims(const Arguments &call, bool isGrid, LoopDims &dims, int64_t line) {
  if (!takes(call, 1, 3, {"block_size", "begin", "end", "begin_or_end", "end_or_none", "step"}))
    return false;
  auto asList = [](const Value &value) {
    return value.is(ValueKind::Sequence) ? value.elements : std::vector<Value>{value};
  };
  Value first = call.positional.front();
  const Value *second = argument(call, 1, "end");
  const Value *block = argument(call, 2, "block_size");
  if (call.keywords.count("step")) {
    error(call.loc, "a step is not supported in " + call.callee + " yet");
    return false;
  }
  bool hasEnd = second && !second->is(ValueKind::None);
  dims.isSequence = first.is(ValueKind::Sequence);
  dims.isGrid = isGrid;
  std::vector<Value> begins = asList(first), ends = hasEnd ? asList(*second) : begins, blocks;
  if (hasEnd && (second->is(ValueKind::Sequence) != dims.isSequence || ends.size() != begins.size())) {
    error(call.loc, "the bounds of " + call.callee + " must both be numbers, or lists of one length");
    return false;
  }
  if (block && !block->is(ValueKind::None))
    blocks = asList(*block);
  if (!blocks.empty() && blocks.size() != ends.size()) {
    error(call.loc, std::to_string(blocks.size()) + " block sizes for " + std::to_string(ends.size()) + " dims");
    return false;
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    Value begin = hasEnd ? begins[i] : Value::of(int64_t(0));
    mlir::Value lower = toIndex(begin, call.loc), upper = lower ? toIndex(ends[i], call.loc) : mlir::Value();
    if (!upper)
      return false;
    std::optional<int64_t> extent;
    if (begin.is(ValueKind::Int) && ends[i].is(ValueKind::Int))
      extent = std::max<int64_t>(ends[i].integer - begin.integer, 0);
    mlir::Attribute step = isGrid ? integerDim(1)
                                  : stepFor(blocks.empty() ? Value::none() : blocks[i], extent, call.loc, line);
    if (!step)
      return false;
    if (extent && mlir::isa<mlir::FlatSymbolRefAttr>(step))
      blockExtents[step] = std::max(*extent, blockExtents.lookup(step));
    dims.lowers.push_back(lower);
    dims.uppers.push_back(upper);
    dims.steps.push_back(step);
  }
  if (dims.steps.empty())
    error(call.loc, call.callee + " needs at least one dim");
  return !dims.steps.empty();
}

bool Evaluator::bindLoopTarget(const Expr &target, const LoopDims &dims, mlir::ValueRange spans) {
  std::vector<Value> values;
  for (mlir::Value span : spans) {
    if (dims.isGrid)
      values.push_back(Value::of(hl::BeginOp::create(builder, location(target.loc), span).getResult()));
    else
      values.push_back(Value::of(span));
  }
  if (!dims.isSequence)
    return assign(target, values.front());
  return assign(target, Value::of(std::move(values)));
}

Flow Evaluator::evalTileLoop(const Stmt &stmt, const Arguments &call, bool isGrid) {
  auto [line, column] = file.sourceManager().getLineAndColumn(stmt.loc, file.sourceManager().getMainFileID());
  (void)column;
  LoopDims dims;
  if (!loopDims(call, isGrid, dims, line))
    return Flow::Failed;
  if (stmt.targets.front()->kind == ExprKind::Tuple && !dims.isSequence) {
    error(stmt.targets.front()->loc, "this loop has one dim, but its variable is a tuple",
          "write hl.tile([…]) for several dims");
    return Flow::Failed;
  }
  return insideLoop() ? evalSequentialLoop(stmt, std::move(dims)) : evalParallelLoop(stmt, std::move(dims));
}

Flow Evaluator::evalParallelLoop(const Stmt &stmt, LoopDims dims) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&kernelOp.getBody().front());
  auto grid = hl::GridOp::create(builder, location(stmt.loc), dims.lowers, dims.uppers, builder.getArrayAttr(dims.steps));
  mlir::Block &body = grid.getBody().emplaceBlock();
  for (mlir::Attribute step : dims.steps)
    body.addArgument(hl::SpanType::get(&context, step), location(stmt.loc));
  builder.setInsertionPointToStart(&body);
  auto saved = std::make_shared<Environment>(scope());
  size_t activeBefore = activeSpans.size();
  for (auto [step, span] : llvm::zip(dims.steps, body.getArguments()))
    activeSpans.emplace_back(step, span);
  ++loopDepth;
  bool emptyBefore = std::exchange(sawEmptyDim, false);
  bool ok = bindLoopTarget(*stmt.targets.front(), dims, body.getArguments()) && evalBlock(stmt.body) == Flow::Normal;
  --loopDepth;
  activeSpans.resize(activeBefore);
  *scopes.back() = *saved;
  if (sawEmptyDim) {
    grid.erase();
    return Flow::Normal;
  }
  sawEmptyDim = emptyBefore;
  return ok ? Flow::Normal : Flow::Failed;
}

static void collectTargets(const Expr &target, std::set<std::string> &names) {
  if (target.kind == ExprKind::Name)
    names.insert(target.text);
  if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List)
    for (const ExprPtr &element : target.operands)
      collectTargets(*element, names);
}

static void collectAssigned(const std::vector<StmtPtr> &body, std::set<std::string> &names) {
  for (const StmtPtr &stmt : body) {
    if (stmt->kind == StmtKind::Assign || stmt->kind == StmtKind::AugAssign || stmt->kind == StmtKind::For)
      for (const ExprPtr &target : stmt->targets)
        collectTargets(*target, names);
    collectAssigned(stmt->body, names);
    collectAssigned(stmt->orElse, names);
  }
}

/// The names that the body assigns and that have a value before it, in order.
std::vector<std::string> Evaluator::carriedNames(const std::vector<StmtPtr> &body) {
  std::set<std::string> assigned;
  collectAssigned(body, assigned);
  std::vector<std::string> carried;
  for (const std::string &name : assigned)
    if (scope().count(name))
      carried.push_back(name);
  return carried;
}

Flow Evaluator::evalSequentialLoop(const Stmt &stmt, LoopDims dims) {
  mlir::Location loc = location(stmt.loc);
  std::set<std::string> targets;
  collectTargets(*stmt.targets.front(), targets);
  std::vector<std::string> names;
  std::vector<mlir::Value> inits;
  for (const std::string &name : carriedNames(stmt.body)) {
    const Value &value = scope()[name];
    if (targets.count(name))
      continue;
    if (value.isNumber()) {
      // A Python number that the loop changes becomes a device scalar.
      mlir::Type type = value.is(ValueKind::Float) ? mlir::Type(builder.getF32Type()) : builder.getI64Type();
      inits.push_back(constant(builder, loc, type, value));
    } else if (value.isDevice()) {
      inits.push_back(value.ssa);
    } else {
      continue; // Assigned anew in each step before it is read, or an error where it is read.
    }
    names.push_back(name);
  }
  auto loop = hl::LoopOp::create(builder, loc, mlir::ValueRange(inits).getTypes(), dims.lowers, dims.uppers, inits,
                                 builder.getArrayAttr(dims.steps));
  mlir::Block &body = loop.getBody().emplaceBlock();
  for (mlir::Attribute step : dims.steps)
    body.addArgument(hl::SpanType::get(&context, step), loc);
  for (mlir::Value init : inits)
    body.addArgument(init.getType(), loc);
  auto spans = body.getArguments().take_front(dims.steps.size());
  auto carried = body.getArguments().drop_front(dims.steps.size());

  Environment before = scope();
  for (auto [name, argument] : llvm::zip(names, carried))
    scope()[name] = Value::of(argument);
  size_t activeBefore = activeSpans.size();
  for (auto [step, span] : llvm::zip(dims.steps, spans))
    activeSpans.emplace_back(step, span);
  ++loopDepth;
  std::vector<mlir::Value> next;
  bool ok;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&body);
    ok = bindLoopTarget(*stmt.targets.front(), dims, spans) && evalBlock(stmt.body) == Flow::Normal;
    for (auto [name, argument] : llvm::zip(names, carried)) {
      if (!ok)
        break;
      Value value = scope()[name];
      if (value.isNumber())
        value = Value::of(constant(builder, loc, argument.getType(), value));
      if (!value.isDevice() || value.ssa.getType() != argument.getType()) {
        error(stmt.loc, "'" + name + "' is " + describe(Value::of(argument)) + " before this loop and " +
                            describe(value) + " after a step of it",
              "give it the same shape and dtype, for example with .to(…)");
        ok = false;
        break;
      }
      next.push_back(value.ssa);
    }
    if (ok)
      hl::YieldOp::create(builder, loc, next);
  }
  --loopDepth;
  activeSpans.resize(activeBefore);
  scope() = before;
  if (!ok)
    return Flow::Failed;
  for (auto [name, result] : llvm::zip(names, loop.getResults()))
    scope()[name] = Value::of(result);
  return Flow::Normal;
}
