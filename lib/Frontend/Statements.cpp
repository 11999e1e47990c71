//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Evaluates statements.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;

Flow Evaluator::evalBlock(const std::vector<StmtPtr> &body) {
  for (const StmtPtr &stmt : body)
    if (Flow flow = evalStmt(*stmt); flow != Flow::Normal)
      return flow;
  return Flow::Normal;
}

static Flow flowOf(bool ok) { return ok ? Flow::Normal : Flow::Failed; }

Flow Evaluator::evalStmt(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Expr:
    return flowOf(stmt.value->kind == ExprKind::String || bool(eval(*stmt.value)));
  case StmtKind::Assign: {
    Value value = eval(*stmt.value);
    if (!value)
      return Flow::Failed;
    for (const ExprPtr &target : stmt.targets)
      if (!assign(*target, value))
        return Flow::Failed;
    return Flow::Normal;
  }
  case StmtKind::AugAssign:
    return flowOf(augmentedAssign(stmt));
  case StmtKind::Return:
    if (insideLoop() && callDepth == 0) {
      error(stmt.loc, "a kernel cannot return from inside a loop", "return after the loop");
      return Flow::Failed;
    }
    returned = stmt.value ? eval(*stmt.value) : Value::none();
    return returned ? Flow::Return : Flow::Failed;
  case StmtKind::If:
    return evalIf(stmt);
  case StmtKind::For:
    return evalFor(stmt);
  case StmtKind::Assert: {
    Value value = eval(*stmt.value);
    if (!value)
      return Flow::Failed;
    std::optional<bool> holds = truth(value, stmt.value->loc, "an assertion");
    if (holds && !*holds)
      error(stmt.value->loc, "this assertion does not hold for the given arguments");
    return flowOf(holds && *holds);
  }
  case StmtKind::Pass:
  case StmtKind::Import:
    return Flow::Normal;
  case StmtKind::Def: {
    Value function = Value::make(ValueKind::Function);
    function.text = stmt.text;
    function.closure = std::make_shared<Closure>();
    function.closure->params = &stmt.params;
    function.closure->definition = &stmt;
    function.closure->captured = scopes.back();
    scope()[stmt.text] = function;
    return Flow::Normal;
  }
  case StmtKind::While:
    error(stmt.loc, "'while' is not supported in a kernel yet", "loop with 'for … in hl.tile(…)' or range(…)");
    return Flow::Failed;
  case StmtKind::Break:
  case StmtKind::Continue:
    error(stmt.loc, stmt.kind == StmtKind::Break ? "'break' is not supported in a kernel yet"
                                                 : "'continue' is not supported in a kernel yet",
          "use torch.where, or bounds in hl.tile(begin, end)");
    return Flow::Failed;
  case StmtKind::Other:
    error(stmt.loc, "'" + stmt.text + "' is not supported in a kernel");
    return Flow::Failed;
  }
  return Flow::Failed;
}

Flow Evaluator::evalIf(const Stmt &stmt) {
  Value condition = eval(*stmt.value);
  if (!condition)
    return Flow::Failed;
  std::optional<bool> taken = truth(condition, stmt.value->loc, "an 'if'");
  if (!taken)
    return Flow::Failed;
  return evalBlock(*taken ? stmt.body : stmt.orElse);
}

bool Evaluator::assign(const Expr &target, const Value &value) {
  switch (target.kind) {
  case ExprKind::Name:
    scope()[target.text] = value;
    return true;
  case ExprKind::Tuple:
  case ExprKind::List: {
    if (!value.is(ValueKind::Sequence)) {
      error(target.loc, "cannot unpack " + describe(value));
      return false;
    }
    if (value.elements.size() != target.operands.size()) {
      error(target.loc, "cannot unpack " + std::to_string(value.elements.size()) + " values into " +
                            std::to_string(target.operands.size()) + " names");
      return false;
    }
    for (auto [name, element] : llvm::zip(target.operands, value.elements))
      if (!assign(*name, element))
        return false;
    return true;
  }
  case ExprKind::Subscript: {
    Value base = eval(*target.operands.front());
    std::vector<Value> indices;
    if (!base || !evalIndices(target, indices))
      return false;
    if (base.is(ValueKind::Tensor))
      return store(base, indices, value, nullptr, target.loc);
    error(target.loc, "cannot assign to an element of " + describe(base),
          base.is(ValueKind::Tile) ? "tiles are values: use torch.where, or store to a tensor" : "");
    return false;
  }
  default:
    error(target.loc, "cannot assign to this");
    return false;
  }
}

bool Evaluator::augmentedAssign(const Stmt &stmt) {
  const Expr &target = *stmt.targets.front();
  Value old = eval(target);
  if (!old)
    return false;
  Value operand = eval(*stmt.value);
  if (!operand)
    return false;
  Value result = binary(stmt.text, old, operand, stmt.loc);
  if (!result)
    return false;
  // An in-place operation keeps the dtype of what it changes.
  if (old.is(ValueKind::Tile) && result.is(ValueKind::Tile) &&
      old.tile().getElementType() != result.tile().getElementType()) {
    mlir::Type from = result.tile().getElementType(), to = old.tile().getElementType();
    if (mlir::isa<mlir::FloatType>(from) && !mlir::isa<mlir::FloatType>(to)) {
      error(stmt.loc, "the result of this operation is " + dtypeText(from) + ", which cannot be kept in " +
                          dtypeText(to),
            "write x = x " + stmt.text + " … to change the dtype");
      return false;
    }
    result = castTile(result, to, stmt.loc);
  }
  return result && assign(target, result);
}

Flow Evaluator::evalUnrolled(const Stmt &stmt, const std::vector<Value> &items) {
  constexpr size_t limit = 1024;
  if (items.size() > limit) {
    error(stmt.value->loc, "this loop of " + std::to_string(items.size()) + " steps would be unrolled",
          "loop with hl.tile or hl.grid, or make it at most " + std::to_string(limit) + " steps");
    return Flow::Failed;
  }
  for (const Value &item : items) {
    if (!assign(*stmt.targets.front(), item))
      return Flow::Failed;
    if (Flow flow = evalBlock(stmt.body); flow != Flow::Normal)
      return flow;
  }
  return Flow::Normal;
}

Flow Evaluator::evalFor(const Stmt &stmt) {
  if (!stmt.orElse.empty()) {
    error(stmt.loc, "'else' of a loop is not supported");
    return Flow::Failed;
  }
  const Expr &iterable = *stmt.value;
  if (iterable.kind == ExprKind::Call) {
    Value callee = eval(*iterable.operands.front());
    if (!callee)
      return Flow::Failed;
    if (callee.is(ValueKind::Builtin) && (callee.text == "hl.tile" || callee.text == "hl.grid")) {
      Arguments arguments;
      arguments.loc = iterable.loc;
      arguments.callee = callee.text;
      if (!evalArguments(iterable, arguments))
        return Flow::Failed;
      return evalTileLoop(stmt, arguments, callee.text == "hl.grid");
    }
  }
  Value items = eval(iterable);
  if (!items)
    return Flow::Failed;
  if (!items.is(ValueKind::Sequence)) {
    error(iterable.loc, "cannot loop over " + describe(items), "loop with hl.tile(…), hl.grid(…), range(…) or a list");
    return Flow::Failed;
  }
  return evalUnrolled(stmt, items.elements);
}
