//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Evaluates expressions.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

Value Evaluator::eval(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Name:
    return evalName(expr);
  case ExprKind::Int:
    return Value::of(expr.integer);
  case ExprKind::Float:
    return Value::of(expr.number);
  case ExprKind::String:
    return Value::of(expr.text);
  case ExprKind::FString: {
    Value text = Value::of(expr.text);
    return text;
  }
  case ExprKind::Bool:
    return Value::of(bool(expr.integer));
  case ExprKind::None:
    return Value::none();
  case ExprKind::Ellipsis:
    return Value::make(ValueKind::Ellipsis);
  case ExprKind::Tuple:
  case ExprKind::List:
    return evalSequence(expr);
  case ExprKind::Dict:
    return error(expr.loc, "a dict is not supported in a kernel");
  case ExprKind::Call:
    return evalCall(expr);
  case ExprKind::Attribute:
    return evalAttribute(expr);
  case ExprKind::Subscript:
    return evalSubscript(expr);
  case ExprKind::Slice:
    return error(expr.loc, "a slice belongs in an index");
  case ExprKind::Unary:
    return evalUnary(expr);
  case ExprKind::Binary:
    return evalBinary(expr);
  case ExprKind::Compare:
    return evalCompare(expr);
  case ExprKind::BoolOp:
    return evalBoolOp(expr);
  case ExprKind::Conditional:
    return evalConditional(expr);
  case ExprKind::Lambda: {
    Value function = Value::make(ValueKind::Function);
    function.text = "lambda";
    function.closure = std::make_shared<Closure>();
    function.closure->params = &expr.params;
    function.closure->lambda = &expr;
    function.closure->captured = scopes.back();
    return function;
  }
  case ExprKind::Starred:
    return error(expr.loc, "'*' is not supported here");
  case ExprKind::Comprehension:
    return evalComprehension(expr);
  }
  return Value();
}

Value Evaluator::evalSequence(const Expr &expr) {
  std::vector<Value> elements;
  for (const ExprPtr &operand : expr.operands) {
    bool starred = operand->kind == ExprKind::Starred;
    Value value = eval(starred ? *operand->operands.front() : *operand);
    if (!value)
      return value;
    if (!starred) {
      elements.push_back(std::move(value));
      continue;
    }
    if (!value.is(ValueKind::Sequence))
      return error(operand->loc, "cannot unpack " + describe(value));
    llvm::append_range(elements, value.elements);
  }
  return Value::of(std::move(elements));
}

Value Evaluator::evalComprehension(const Expr &expr) {
  Value items = eval(*expr.operands[2]);
  if (!items)
    return items;
  if (!items.is(ValueKind::Sequence))
    return error(expr.operands[2]->loc, "cannot loop over " + describe(items));
  Environment before = scope();
  std::vector<Value> results;
  for (const Value &item : items.elements) {
    if (!assign(*expr.operands[1], item))
      return Value();
    if (expr.operands[3]) {
      Value condition = eval(*expr.operands[3]);
      std::optional<bool> kept = condition ? truth(condition, expr.loc, "an 'if'") : std::nullopt;
      if (!kept)
        return Value();
      if (!*kept)
        continue;
    }
    results.push_back(eval(*expr.operands[0]));
    if (!results.back())
      return Value();
  }
  scope() = before;
  return Value::of(std::move(results));
}

//===----------------------------------------------------------------------===//
// Names and attributes
//===----------------------------------------------------------------------===//

/// A name at the top of the file: a helper or a constant.
Value Evaluator::lookupGlobal(const std::string &name) {
  if (auto known = globals.find(name); known != globals.end())
    return known->second;
  for (const StmtPtr &stmt : file.module().body) {
    if (stmt->kind == StmtKind::Def && stmt->text == name) {
      if (!stmt->broken.empty())
        return error(stmt->brokenLoc, stmt->broken);
      Value function = Value::make(ValueKind::Function);
      function.text = name;
      function.closure = std::make_shared<Closure>();
      function.closure->params = &stmt->params;
      function.closure->definition = stmt.get();
      function.closure->captured = std::make_shared<Environment>();
      return globals[name] = function;
    }
    if (stmt->kind != StmtKind::Assign || stmt->targets.front()->kind != ExprKind::Name ||
        stmt->targets.front()->text != name)
      continue;
    globals[name] = Value::none(); // A constant that names itself ends here.
    return globals[name] = eval(*stmt->value);
  }
  return Value::none();
}

Value Evaluator::evalName(const Expr &expr) {
  if (auto found = scope().find(expr.text); found != scope().end())
    return found->second;
  bool known = globals.count(expr.text) || llvm::any_of(file.module().body, [&](const StmtPtr &stmt) {
                 return (stmt->kind == StmtKind::Def && stmt->text == expr.text) ||
                        (stmt->kind == StmtKind::Assign && stmt->targets.front()->kind == ExprKind::Name &&
                         stmt->targets.front()->text == expr.text);
               });
  if (known)
    return lookupGlobal(expr.text);
  static constexpr StringRef builtins[] = {"torch", "hl",    "helion", "math",  "range", "len", "min", "max",
                                           "abs",   "int",   "float",  "bool",  "tuple", "list", "zip", "enumerate",
                                           "isinstance", "sum", "round", "print", "F", "callable", "any", "all"};
  if (llvm::is_contained(builtins, expr.text))
    return Value::builtin(expr.text == "F" ? "torch.nn.functional" : expr.text);
  if (std::string dtype = canonicalDType(expr.text); !dtype.empty())
    return Value::of(floatOrIntType(dtype));
  std::vector<StringRef> names(std::begin(builtins), std::end(builtins));
  for (const auto &[name, value] : scope())
    names.push_back(name);
  for (const StmtPtr &stmt : file.module().body)
    if (stmt->kind == StmtKind::Def)
      names.push_back(stmt->text);
  std::string nearest = support::didYouMean(expr.text, names);
  return error(expr.loc, "unknown name '" + expr.text + "'",
               nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

Value Evaluator::evalAttribute(const Expr &expr) {
  Value base = eval(*expr.operands.front());
  return base ? attributeOf(base, expr.text, expr.loc) : base;
}

Value Evaluator::attributeOf(const Value &base, const std::string &name, SMLoc loc) {
  auto method = [&] {
    Value value = Value::make(ValueKind::Method);
    value.text = name;
    value.elements = {base};
    return value;
  };
  switch (base.kind) {
  case ValueKind::Builtin: {
    std::string full = base.text + "." + name;
    if (base.text == "torch")
      if (std::string dtype = canonicalDType(name); !dtype.empty() && name != "int" && name != "float")
        return Value::of(floatOrIntType(dtype));
    if (full == "torch.Tensor" || full == "torch.nn" || full == "torch.nn.functional" || full == "torch.special")
      return Value::builtin(full);
    if (full == "math.pi")
      return Value::of(3.14159265358979323846);
    if (full == "math.e")
      return Value::of(2.71828182845904523536);
    if (full == "math.inf" || full == "torch.inf")
      return Value::of(std::numeric_limits<double>::infinity());
    if (full == "math.nan" || full == "torch.nan")
      return Value::of(std::numeric_limits<double>::quiet_NaN());
    return Value::builtin(full);
  }
  case ValueKind::Tensor:
  case ValueKind::Tile: {
    mlir::Type element = elementType(base);
    if (name == "dtype")
      return Value::of(element);
    if (name == "device" || name == "layout") {
      Value value = Value::make(ValueKind::Opaque);
      value.text = "a " + name;
      return value;
    }
    if (name == "ndim")
      return Value::of(base.is(ValueKind::Tile) ? base.tile().getRank() : base.tensor().getRank());
    if (name == "shape") {
      std::vector<Value> dims;
      if (base.is(ValueKind::Tile))
        for (mlir::Attribute dim : base.tile().getDims())
          dims.push_back(dimValue(dim));
      else
        for (int64_t size : base.tensor().getShape())
          dims.push_back(Value::of(size));
      return Value::of(std::move(dims));
    }
    if (name == "T" || name == "mT") {
      int64_t rank = base.is(ValueKind::Tile) ? base.tile().getRank() : base.tensor().getRank();
      if (rank < 2)
        return base;
      std::vector<int64_t> order;
      for (int64_t i = 0; i < rank; ++i)
        order.push_back(name == "T" ? rank - 1 - i : i);
      if (name == "mT")
        std::swap(order[rank - 1], order[rank - 2]);
      return base.is(ValueKind::Tile) ? permuteTile(base, order, loc) : permuteTensor(base, order);
    }
    return method();
  }
  case ValueKind::Span: {
    mlir::Location at = location(loc);
    if (name == "begin")
      return Value::of(hl::BeginOp::create(builder, at, base.ssa).getResult());
    if (name == "end")
      return Value::of(hl::EndOp::create(builder, at, base.ssa).getResult());
    if (name == "id")
      return Value::of(hl::BlockIdOp::create(builder, at, base.ssa).getResult());
    mlir::Attribute extent = mlir::cast<hl::SpanType>(base.ssa.getType()).getExtent();
    if (name == "block_size")
      return dimValue(extent);
    if (name == "index") {
      auto type = hl::TileType::get(&context, llvm::ArrayRef<mlir::Attribute>(extent), builder.getI32Type());
      Value value = Value::of(hl::IndicesOp::create(builder, at, type, base.ssa).getResult());
      return value;
    }
    std::string nearest = support::didYouMean(name, {"begin", "end", "id", "block_size", "index"});
    return error(loc, "a tile has no attribute '" + name + "'",
                 nearest.empty() ? "it has begin, end, id, index and block_size" : "did you mean '" + nearest + "'?");
  }
  case ValueKind::Sequence:
  case ValueKind::Scalar:
    return method();
  case ValueKind::Type:
    if (name == "is_floating_point" || name == "itemsize") {
      if (name == "itemsize")
        return Value::of(int64_t(std::max(1u, base.type.getIntOrFloatBitWidth() / 8)));
      return method();
    }
    break;
  default:
    break;
  }
  return error(loc, describe(base) + " has no attribute '" + name + "'");
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

Value Evaluator::hostArithmetic(const std::string &op, const Value &lhs, const Value &rhs, SMLoc loc) {
  bool integers = !lhs.is(ValueKind::Float) && !rhs.is(ValueKind::Float);
  double a = lhs.asNumber(), b = rhs.asNumber();
  if ((op == "/" || op == "//" || op == "%") && b == 0)
    return error(loc, "division by zero");
  if (op == "/")
    return Value::of(a / b);
  if (!integers) {
    double result = op == "+"    ? a + b
                    : op == "-"  ? a - b
                    : op == "*"  ? a * b
                    : op == "//" ? std::floor(a / b)
                    : op == "%"  ? a - std::floor(a / b) * b
                    : op == "**" ? std::pow(a, b)
                                 : std::numeric_limits<double>::quiet_NaN();
    if (op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>" || op == "@")
      return error(loc, "'" + op + "' does not apply to floats");
    return Value::of(result);
  }
  int64_t x = lhs.integer, y = rhs.integer, result = 0;
  bool overflow = false;
  if (op == "+")
    overflow = __builtin_add_overflow(x, y, &result);
  else if (op == "-")
    overflow = __builtin_sub_overflow(x, y, &result);
  else if (op == "*")
    overflow = __builtin_mul_overflow(x, y, &result);
  else if (op == "//")
    result = floorDivide(x, y);
  else if (op == "%")
    result = x - floorDivide(x, y) * y;
  else if (op == "**") {
    if (y < 0)
      return Value::of(std::pow(a, b));
    result = 1;
    for (int64_t i = 0; i < y && !overflow; ++i)
      overflow = (x == 1 || x == 0) ? (result = y ? x : 1, i = y, false) : __builtin_mul_overflow(result, x, &result);
  } else if (op == "<<" || op == ">>") {
    if (y < 0 || y > 62)
      return error(loc, "a shift by " + std::to_string(y));
    result = op == "<<" ? int64_t(uint64_t(x) << y) : x >> y;
  } else if (op == "&")
    result = x & y;
  else if (op == "|")
    result = x | y;
  else if (op == "^")
    result = x ^ y;
  else
    return error(loc, "'" + op + "' does not apply to numbers");
  if (overflow)
    return error(loc, "this integer does not fit in 64 bits");
  return Value::of(result);
}

Value Evaluator::evalBinary(const Expr &expr) {
  Value lhs = eval(*expr.operands[0]);
  if (!lhs)
    return lhs;
  Value rhs = eval(*expr.operands[1]);
  return rhs ? binary(expr.text, lhs, rhs, expr.loc) : rhs;
}

Value Evaluator::binary(const std::string &op, const Value &lhs, const Value &rhs, SMLoc loc) {
  if (lhs.isNumber() && rhs.isNumber())
    return hostArithmetic(op, lhs, rhs, loc);
  if (lhs.is(ValueKind::Sequence) && rhs.is(ValueKind::Sequence) && op == "+") {
    std::vector<Value> joined = lhs.elements;
    llvm::append_range(joined, rhs.elements);
    return Value::of(std::move(joined));
  }
  if (lhs.is(ValueKind::Sequence) && rhs.is(ValueKind::Int) && op == "*") {
    std::vector<Value> repeated;
    for (int64_t i = 0; i < std::min<int64_t>(rhs.integer, 4096); ++i)
      llvm::append_range(repeated, lhs.elements);
    return Value::of(std::move(repeated));
  }
  for (const Value *side : {&lhs, &rhs}) {
    if (side->is(ValueKind::Tensor))
      return error(loc, "'" + op + "' on " + describe(*side) + ", which is in memory",
                   insideLoop() ? "index it with the loop's tile, as x[tile]"
                                : "compute inside a loop over hl.tile(…)");
    if (side->is(ValueKind::Span))
      return error(loc, "'" + op + "' on a tile index", "use tile.index for its indices, or tile.begin for the first");
  }
  if (op == "@") {
    Arguments arguments;
    arguments.loc = loc;
    arguments.callee = "@";
    arguments.positional = {lhs, rhs};
    return matmul("matmul", arguments);
  }
  StringRef name = llvm::StringSwitch<StringRef>(op)
                       .Case("+", "add")
                       .Case("-", "sub")
                       .Case("*", "mul")
                       .Case("/", "div")
                       .Case("//", "floor_divide")
                       .Case("%", "remainder")
                       .Case("**", "pow")
                       .Case("&", "bitwise_and")
                       .Case("|", "bitwise_or")
                       .Case("^", "bitwise_xor")
                       .Case("<<", "bitwise_left_shift")
                       .Case(">>", "bitwise_right_shift")
                       .Default("");
  return pointwise(name, {lhs, rhs}, loc);
}

Value Evaluator::evalUnary(const Expr &expr) {
  Value operand = eval(*expr.operands.front());
  if (!operand)
    return operand;
  if (expr.text == "not") {
    std::optional<bool> value = truth(operand, expr.loc, "'not'");
    return value ? Value::of(!*value) : Value();
  }
  if (operand.isNumber()) {
    if (expr.text == "-")
      return operand.is(ValueKind::Float) ? Value::of(-operand.number) : Value::of(int64_t(-uint64_t(operand.integer)));
    if (expr.text == "~")
      return operand.is(ValueKind::Float) ? error(expr.loc, "'~' does not apply to floats") : Value::of(~operand.integer);
    return operand;
  }
  if (operand.is(ValueKind::Tensor))
    return error(expr.loc, "'" + expr.text + "' on " + describe(operand) + ", which is in memory",
                 "index it with the loop's tile, as x[tile]");
  if (expr.text == "+")
    return operand;
  return pointwise(expr.text == "-" ? "neg" : "bitwise_not", {operand}, expr.loc);
}

std::optional<bool> Evaluator::truth(const Value &value, SMLoc loc, StringRef where) {
  switch (value.kind) {
  case ValueKind::None:
    return false;
  case ValueKind::Int:
  case ValueKind::Bool:
    return value.integer != 0;
  case ValueKind::Float:
    return value.number != 0;
  case ValueKind::Str:
    return !value.text.empty();
  case ValueKind::Sequence:
    return !value.elements.empty();
  case ValueKind::Function:
  case ValueKind::Builtin:
  case ValueKind::Type:
    return true;
  case ValueKind::Tile:
  case ValueKind::Scalar:
    error(loc, where + " on a value that is only known on the device is not supported yet", "use torch.where");
    return std::nullopt;
  default:
    error(loc, where + " on " + describe(value) + " is not possible");
    return std::nullopt;
  }
}

static bool sameValue(const Value &lhs, const Value &rhs) {
  if (lhs.isNumber() && rhs.isNumber())
    return lhs.asNumber() == rhs.asNumber();
  if (lhs.kind != rhs.kind)
    return false;
  switch (lhs.kind) {
  case ValueKind::Str:
  case ValueKind::Builtin:
    return lhs.text == rhs.text;
  case ValueKind::Type:
    return lhs.type == rhs.type;
  case ValueKind::Sequence:
    return lhs.elements.size() == rhs.elements.size() &&
           std::equal(lhs.elements.begin(), lhs.elements.end(), rhs.elements.begin(), sameValue);
  case ValueKind::Block:
    return lhs.block == rhs.block;
  case ValueKind::None:
  case ValueKind::Opaque:
    return true;
  default:
    return lhs.ssa && lhs.ssa == rhs.ssa;
  }
}

Value Evaluator::compare(const std::string &op, const Value &lhs, const Value &rhs, SMLoc loc) {
  if (op == "is" || op == "is not")
    return Value::of((lhs.kind == rhs.kind && sameValue(lhs, rhs)) == (op == "is"));
  if (op == "in" || op == "not in") {
    if (!rhs.is(ValueKind::Sequence))
      return error(loc, "'in' needs a sequence, not " + describe(rhs));
    bool found = llvm::any_of(rhs.elements, [&](const Value &element) { return sameValue(lhs, element); });
    return Value::of(found == (op == "in"));
  }
  if (lhs.isNumber() && rhs.isNumber() && op != "==" && op != "!=") {
    double a = lhs.asNumber(), b = rhs.asNumber();
    return Value::of(op == "<" ? a < b : op == "<=" ? a <= b : op == ">" ? a > b : a >= b);
  }
  if (!lhs.isDevice() && !rhs.isDevice()) {
    if (op == "==" || op == "!=")
      return Value::of(sameValue(lhs, rhs) == (op == "=="));
    return error(loc, "cannot compare " + describe(lhs) + " with " + describe(rhs));
  }
  StringRef name = llvm::StringSwitch<StringRef>(op)
                       .Case("<", "lt")
                       .Case("<=", "le")
                       .Case(">", "gt")
                       .Case(">=", "ge")
                       .Case("==", "eq")
                       .Default("ne");
  return pointwise(name, {lhs, rhs}, loc);
}

Value Evaluator::evalCompare(const Expr &expr) {
  Value left = eval(*expr.operands[0]);
  if (!left)
    return left;
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    Value right = eval(*expr.operands[i + 1]);
    if (!right)
      return right;
    Value result = compare(expr.ops[i], left, right, expr.loc);
    if (!result || expr.ops.size() == 1)
      return result;
    std::optional<bool> holds = truth(result, expr.loc, "a chained comparison");
    if (!holds)
      return Value();
    if (!*holds)
      return Value::of(false);
    left = right;
  }
  return Value::of(true);
}

Value Evaluator::evalBoolOp(const Expr &expr) {
  Value left = eval(*expr.operands[0]);
  if (!left)
    return left;
  std::optional<bool> decided = truth(left, expr.loc, "'" + expr.text + "'");
  if (!decided)
    return Value();
  return *decided == (expr.text == "or") ? left : eval(*expr.operands[1]);
}

Value Evaluator::evalConditional(const Expr &expr) {
  Value condition = eval(*expr.operands[0]);
  std::optional<bool> taken = condition ? truth(condition, expr.loc, "'if'") : std::nullopt;
  if (!taken)
    return Value();
  return eval(*expr.operands[*taken ? 1 : 2]);
}
