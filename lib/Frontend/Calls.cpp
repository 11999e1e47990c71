//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Calls: closures are inlined, functions of torch, hl, math and Python looked up by name.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;

bool Evaluator::evalArguments(const Expr &expr, Arguments &arguments) {
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    const Expr &operand = *expr.operands[i];
    bool starred = operand.kind == ExprKind::Starred;
    Value value = eval(starred ? *operand.operands.front() : operand);
    if (!value)
      return false;
    if (starred && !value.is(ValueKind::Sequence)) {
      error(operand.loc, "cannot unpack " + describe(value));
      return false;
    }
    for (const Value &element : starred ? value.elements : std::vector<Value>{value}) {
      arguments.positional.push_back(element);
      arguments.positionalLocs.push_back(operand.loc);
    }
  }
  for (const auto &[name, operand] : expr.keywords) {
    Value value = eval(*operand);
    if (!value)
      return false;
    arguments.keywords[name] = value;
  }
  return true;
}

bool Evaluator::takes(const Arguments &arguments, size_t least, size_t most, llvm::ArrayRef<StringRef> keywords) {
  for (const auto &[name, value] : arguments.keywords)
    if (!llvm::is_contained(keywords, name)) {
      std::string nearest = support::didYouMean(name, keywords);
      error(arguments.loc, "'" + arguments.callee + "' has no argument '" + name + "'",
            nearest.empty() ? "" : "did you mean '" + nearest + "'?");
      return false;
    }
  size_t given = arguments.size();
  if (given < least || given > most) {
    error(arguments.loc,
          "'" + arguments.callee + "' takes " +
              (least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most)) +
              " arguments by position, not " + std::to_string(given));
    return false;
  }
  return true;
}

const Value *Evaluator::argument(const Arguments &arguments, size_t index, StringRef name) {
  if (index < arguments.size())
    return &arguments.positional[index];
  auto it = arguments.keywords.find(name.str());
  return it == arguments.keywords.end() ? nullptr : &it->second;
}

Value Evaluator::evalCall(const Expr &expr) {
  Value callee = eval(*expr.operands.front());
  if (!callee)
    return callee;
  Arguments arguments;
  arguments.loc = expr.operands.front()->loc;
  arguments.callee = callee.text;
  return evalArguments(expr, arguments) ? call(callee, arguments) : Value();
}

Value Evaluator::call(const Value &callee, Arguments &arguments) {
  switch (callee.kind) {
  case ValueKind::Function:
    return callClosure(*callee.closure, arguments);
  case ValueKind::Builtin:
    return callBuiltin(callee.text, arguments);
  case ValueKind::Method: {
    const Value &self = callee.elements.front();
    if (self.is(ValueKind::Tensor))
      return tensorMethod(self, callee.text, arguments);
    if (self.is(ValueKind::Tile) || self.is(ValueKind::Scalar))
      return tileMethod(self, callee.text, arguments);
    if (self.is(ValueKind::Sequence) && callee.text == "numel") {
      Value count = Value::of(int64_t(1));
      for (const Value &size : self.elements)
        count = binary("*", count, size, arguments.loc);
      return count;
    }
    return error(arguments.loc, describe(self) + " has no method '" + callee.text + "'");
  }
  case ValueKind::Type:
    // float(x), int(x).
    if (arguments.size() == 1 && arguments.positional.front().isNumber()) {
      const Value &number = arguments.positional.front();
      if (mlir::isa<mlir::FloatType>(callee.type))
        return Value::of(number.asNumber());
      return number.is(ValueKind::Float) ? integerOf(number.number, arguments.loc) : Value::of(number.integer);
    }
    if (arguments.size() == 1 && arguments.positional.front().is(ValueKind::Str))
      return callPython("float", arguments);
    return error(arguments.loc, "a dtype cannot be called", "convert with x.to(" + dtypeText(callee.type) + ")");
  default:
    return error(arguments.loc, describe(callee) + " cannot be called");
  }
}

Value Evaluator::callClosure(const Closure &closure, const Arguments &arguments) {
  constexpr unsigned maxCalls = 64;
  if (callDepth >= maxCalls)
    return error(arguments.loc, "helper functions call each other more than 64 deep", "recursion is not supported");
  auto environment = std::make_shared<Environment>(*closure.captured);
  size_t next = 0;
  for (const Param &param : *closure.params) {
    auto keyword = arguments.keywords.find(param.name);
    if (next < arguments.size())
      (*environment)[param.name] = arguments.positional[next++];
    else if (keyword != arguments.keywords.end())
      (*environment)[param.name] = keyword->second;
    else if (param.defaultValue) {
      scopes.push_back(closure.captured);
      Value value = eval(*param.defaultValue);
      scopes.pop_back();
      if (!value)
        return value;
      (*environment)[param.name] = value;
    } else
      return error(arguments.loc, "the argument '" + param.name + "' is missing");
  }
  if (next < arguments.size())
    return error(arguments.loc, std::to_string(arguments.size()) + " arguments for a function of " +
                                    std::to_string(closure.params->size()));
  for (const auto &[name, value] : arguments.keywords)
    if (llvm::none_of(*closure.params, [&key = name](const Param &param) { return param.name == key; }))
      return error(arguments.loc, "the function has no argument '" + name + "'");
  scopes.push_back(environment);
  ++callDepth;
  Value result;
  if (closure.lambda) {
    result = eval(*closure.lambda->operands.front());
  } else {
    Value outer = std::exchange(returned, Value::none());
    unsigned outerLoops = std::exchange(callLoopDepth, loopDepth);
    result = evalBlock(closure.definition->body) == Flow::Failed ? Value() : returned;
    callLoopDepth = outerLoops;
    returned = outer;
  }
  --callDepth;
  scopes.pop_back();
  return result;
}

Value Evaluator::callBuiltin(const std::string &name, Arguments &arguments) {
  StringRef rest = name;
  if (rest.consume_front("hl.") || rest.consume_front("helion.language."))
    return callHelion(rest, arguments);
  if (rest.consume_front("math."))
    return callMath(rest, arguments);
  if (rest.consume_front("torch.")) {
    rest.consume_front("nn.functional.");
    rest.consume_front("special.");
    return callTorch(rest, arguments);
  }
  if (!rest.contains('.'))
    return callPython(rest, arguments);
  return unknownFunction(name, arguments.loc);
}

Value Evaluator::unknownFunction(const std::string &name, SMLoc loc) {
  static constexpr StringRef known[] = {"hl.tile",
                                        "hl.grid",
                                        "hl.zeros",
                                        "hl.full",
                                        "hl.arange",
                                        "hl.load",
                                        "hl.store",
                                        "hl.dot",
                                        "hl.specialize",
                                        "hl.register_block_size",
                                        "hl.static_range",
                                        "torch.empty",
                                        "torch.zeros",
                                        "torch.ones",
                                        "torch.full",
                                        "torch.empty_like",
                                        "torch.zeros_like",
                                        "torch.full_like",
                                        "torch.matmul",
                                        "torch.mm",
                                        "torch.bmm",
                                        "torch.addmm",
                                        "torch.baddbmm",
                                        "torch.sum",
                                        "torch.mean",
                                        "torch.amax",
                                        "torch.amin",
                                        "torch.max",
                                        "torch.min",
                                        "torch.prod",
                                        "torch.argmax",
                                        "torch.argmin",
                                        "torch.var",
                                        "torch.var_mean",
                                        "torch.std",
                                        "torch.softmax",
                                        "torch.logsumexp",
                                        "torch.exp",
                                        "torch.exp2",
                                        "torch.log",
                                        "torch.log2",
                                        "torch.sqrt",
                                        "torch.rsqrt",
                                        "torch.sigmoid",
                                        "torch.tanh",
                                        "torch.relu",
                                        "torch.where",
                                        "torch.maximum",
                                        "torch.minimum",
                                        "torch.clamp",
                                        "torch.abs",
                                        "torch.sin",
                                        "torch.cos",
                                        "torch.erf",
                                        "torch.nn.functional.softmax",
                                        "torch.nn.functional.gelu",
                                        "torch.nn.functional.silu",
                                        "torch.nn.functional.relu",
                                        "torch.broadcast_tensors",
                                        "torch.promote_types",
                                        "math.sqrt",
                                        "math.ceil",
                                        "math.floor",
                                        "math.log",
                                        "math.exp"};
  std::vector<std::string> spelled;
  for (StringRef operation : pointwiseNames())
    spelled.push_back(("torch." + operation).str());
  std::vector<StringRef> names(std::begin(known), std::end(known));
  llvm::append_range(names, spelled);
  std::string nearest = support::didYouMean(name, names);
  return error(loc, "'" + name + "' is not supported in a kernel yet",
               nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

//===----------------------------------------------------------------------===//
// hl
//===----------------------------------------------------------------------===//

Value Evaluator::callHelion(StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  if (name == "tile" || name == "grid")
    return error(loc, "hl." + name + " belongs in a 'for' loop", "write for tile in hl." + name + "(…):");
  if (name == "specialize") {
    if (!takes(arguments, 1, 1, {}))
      return Value();
    return arguments.positional.front();
  }
  if (name == "static_range")
    return callPython("range", arguments);
  if (name == "register_block_size") {
    if (!takes(arguments, 1, 2, {}))
      return Value();
    bool bounded = arguments.size() == 2;
    const Value &last = arguments.positional.back(), &first = arguments.positional.front();
    if (!last.is(ValueKind::Int) || !first.is(ValueKind::Int) || last.integer < 1)
      return error(loc, "hl.register_block_size takes sizes that are known now");
    auto power = [](int64_t size) { return int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(size, 1))); };
    Value value = Value::make(ValueKind::Block);
    value.block = addBlockParam(bounded ? power(first.integer) : 1, std::min<int64_t>(power(last.integer), 16384),
                                "a registered block size", false);
    return value;
  }
  if (name == "zeros" || name == "full") {
    bool isFull = name == "full";
    if (!takes(arguments, 1, isFull ? 3 : 2, {"dtype", "device", "value"}))
      return Value();
    auto dims = tileDims(arguments.positional.front(), loc);
    const Value *dtype = argument(arguments, isFull ? 2 : 1, "dtype");
    const Value *fill = isFull ? argument(arguments, 1, "value") : nullptr;
    if (!dims)
      return Value();
    if (isFull && !fill)
      return error(loc, "'hl.full' needs a value to fill with");
    mlir::Type type = dtype && dtype->is(ValueKind::Type) ? dtype->type : builder.getF32Type();
    return full(*dims, type, fill ? *fill : Value::of(int64_t(0)), loc);
  }
  if (name == "arange")
    return callTorch("arange", arguments);
  if (name == "load") {
    if (!takes(arguments, 2, 3, {"extra_mask", "eviction_policy"}))
      return Value();
    const Value &indices = arguments.positional[1];
    return load(arguments.positional[0],
                indices.is(ValueKind::Sequence) ? indices.elements : std::vector<Value>{indices},
                argument(arguments, 2, "extra_mask"), loc);
  }
  if (name == "store") {
    if (!takes(arguments, 3, 4, {"extra_mask"}))
      return Value();
    const Value &indices = arguments.positional[1];
    bool ok =
        store(arguments.positional[0], indices.is(ValueKind::Sequence) ? indices.elements : std::vector<Value>{indices},
              arguments.positional[2], argument(arguments, 3, "extra_mask"), loc);
    return ok ? Value::none() : Value();
  }
  if (name == "dot")
    return matmul("hl.dot", arguments);
  return unknownFunction(("hl." + name).str(), loc);
}

//===----------------------------------------------------------------------===//
// Python and math
//===----------------------------------------------------------------------===//

/// The values of range(…); nothing when there are too many to unroll.
static std::optional<std::vector<Value>> rangeValues(const std::vector<Value> &bounds) {
  constexpr size_t most = 1 << 16;
  int64_t begin = bounds.size() > 1 ? bounds[0].integer : 0, end = bounds[bounds.size() > 1 ? 1 : 0].integer;
  int64_t step = bounds.size() > 2 ? bounds[2].integer : 1;
  std::vector<Value> values;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    values.push_back(Value::of(i));
    if (values.size() > most)
      return std::nullopt;
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  return values;
}

/// Whether a value is an instance of what isinstance names; nothing when that cannot be told.
static std::optional<bool> isInstance(const Value &value, const Value &type) {
  if (type.is(ValueKind::Sequence)) {
    for (const Value &each : type.elements) {
      std::optional<bool> fits = isInstance(value, each);
      if (!fits || *fits)
        return fits;
    }
    return false;
  }
  if (!type.is(ValueKind::Builtin))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<bool>>(type.text)
      .Case("int", value.is(ValueKind::Int) || value.is(ValueKind::Bool))
      .Case("float", value.is(ValueKind::Float))
      .Case("bool", value.is(ValueKind::Bool))
      .Cases({"list", "tuple"}, value.is(ValueKind::Sequence))
      .Case("torch.Tensor", value.is(ValueKind::Tensor) || value.is(ValueKind::Tile))
      .Default(std::nullopt);
}

Value Evaluator::callPython(StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  std::vector<Value> &values = arguments.positional;
  auto allNumbers = [&] {
    return !values.empty() && llvm::all_of(values, [](const Value &v) { return v.isNumber(); });
  };
  auto allInts = [&] {
    return !values.empty() && llvm::all_of(values, [](const Value &v) { return v.is(ValueKind::Int); });
  };
  if (name == "range") {
    if (values.size() > 3 || !allInts() || (values.size() == 3 && values[2].integer == 0))
      return error(loc, "range takes one to three integers that are known now", "loop over other bounds with hl.tile");
    auto items = rangeValues(values);
    return items ? Value::of(std::move(*items)) : error(loc, "this range is too long", "loop over it with hl.tile");
  }
  if (name == "len" && values.size() == 1) {
    if (values[0].is(ValueKind::Sequence))
      return Value::of(int64_t(values[0].elements.size()));
    if (values[0].is(ValueKind::Tensor) && values[0].tensor().getRank() > 0)
      return Value::of(values[0].tensor().getShape().front());
  }
  if ((name == "min" || name == "max") && !values.empty()) {
    std::vector<Value> items = values.size() == 1 && values[0].is(ValueKind::Sequence) ? values[0].elements : values;
    Value best = items.empty() ? Value() : items.front();
    for (const Value &item : items) {
      if (!item.isNumber())
        return items.size() == 2 && (items[0].isDevice() || items[1].isDevice())
                   ? pointwise(name == "min" ? "minimum" : "maximum", items, loc)
                   : error(loc, name + " of " + describe(item));
      if (name == "min" ? item.asNumber() < best.asNumber() : item.asNumber() > best.asNumber())
        best = item;
    }
    if (best)
      return best;
  }
  if (name == "abs" && values.size() == 1)
    return values[0].is(ValueKind::Float) ? Value::of(std::fabs(values[0].number))
           : values[0].isNumber()         ? Value::of(std::abs(values[0].integer))
                                          : pointwise("abs", values, loc);
  if (name == "float" && values.size() == 1) {
    if (values[0].isNumber())
      return Value::of(values[0].asNumber());
    if (values[0].is(ValueKind::Str)) {
      double number;
      StringRef text = StringRef(values[0].text).trim();
      bool negative = text.consume_front("-");
      if (text.equals_insensitive("inf") || text.equals_insensitive("infinity"))
        return Value::of(negative ? -HUGE_VAL : HUGE_VAL);
      if (text.equals_insensitive("nan"))
        return Value::of(std::nan(""));
      if (!text.getAsDouble(number))
        return Value::of(negative ? -number : number);
    }
  }
  if (name == "int" && values.size() == 1 && values[0].isNumber())
    return values[0].is(ValueKind::Float) ? integerOf(values[0].number, loc) : Value::of(values[0].integer);
  if (name == "bool" && values.size() == 1) {
    std::optional<bool> value = truth(values[0], loc, "bool");
    return value ? Value::of(*value) : Value();
  }
  if ((name == "tuple" || name == "list") && values.size() == 1 && values[0].is(ValueKind::Sequence))
    return values[0];
  if (name == "sum" && values.size() == 1 && values[0].is(ValueKind::Sequence)) {
    Value total = Value::of(int64_t(0));
    for (const Value &item : values[0].elements)
      total = total ? binary("+", total, item, loc) : total;
    return total;
  }
  if (name == "zip" || name == "enumerate") {
    std::vector<Value> rows;
    if (name == "enumerate" && values.size() == 1 && values[0].is(ValueKind::Sequence)) {
      for (auto [index, item] : llvm::enumerate(values[0].elements))
        rows.push_back(Value::of(std::vector<Value>{Value::of(int64_t(index)), item}));
      return Value::of(std::move(rows));
    }
    size_t count = SIZE_MAX;
    for (const Value &list : values)
      if (!list.is(ValueKind::Sequence))
        return error(loc, name + " of " + describe(list));
      else
        count = std::min(count, list.elements.size());
    for (size_t i = 0; i < count && !values.empty(); ++i) {
      std::vector<Value> row;
      for (const Value &list : values)
        row.push_back(list.elements[i]);
      rows.push_back(Value::of(std::move(row)));
    }
    return Value::of(std::move(rows));
  }
  if (name == "isinstance" && values.size() == 2) {
    std::optional<bool> fits = isInstance(values[0], values[1]);
    return fits ? Value::of(*fits) : error(loc, "isinstance knows int, float, bool, list, tuple and torch.Tensor");
  }
  if (name == "callable" && values.size() == 1)
    return Value::of(values[0].is(ValueKind::Function) || values[0].is(ValueKind::Builtin));
  if (name == "print")
    return Value::none();
  if (name == "round" && allNumbers() && values.size() == 1)
    return values[0].is(ValueKind::Float) ? integerOf(std::nearbyint(values[0].number), loc)
                                          : Value::of(values[0].integer);
  return unknownFunction(name.str(), loc);
}

/// A float as an integer, cut towards zero.
Value Evaluator::integerOf(double number, SMLoc loc) {
  if (!(std::fabs(number) < 9.2e18))
    return error(loc, "this float does not fit in an integer");
  return Value::of(int64_t(number));
}

Value Evaluator::callMath(StringRef name, Arguments &arguments) {
  if (!takes(arguments, 1, 2, {}))
    return Value();
  const Value &first = arguments.positional.front();
  if (first.isDevice() && arguments.size() == 1 && isPointwise(name))
    return pointwise(name, arguments.positional, arguments.loc);
  if (!llvm::all_of(arguments.positional, [](const Value &value) { return value.isNumber(); }))
    return error(arguments.loc, "math." + name + " takes numbers, not " + describe(first),
                 "use torch." + name + " on tiles");
  double x = first.asNumber();
  if (arguments.size() == 2) {
    double y = arguments.positional[1].asNumber();
    if (name == "pow")
      return Value::of(std::pow(x, y));
    if (name == "log")
      return Value::of(std::log(x) / std::log(y));
    if (name == "gcd")
      return Value::of(int64_t(std::gcd(first.integer, arguments.positional[1].integer)));
  }
  using Function = double (*)(double);
  auto function = llvm::StringSwitch<Function>(name)
                      .Case("sqrt", std::sqrt)
                      .Case("exp", std::exp)
                      .Case("log", std::log)
                      .Case("log2", std::log2)
                      .Case("log10", std::log10)
                      .Case("sin", std::sin)
                      .Case("cos", std::cos)
                      .Case("tanh", std::tanh)
                      .Case("fabs", std::fabs)
                      .Default(nullptr);
  if (name == "ceil" || name == "floor")
    return integerOf(name == "ceil" ? std::ceil(x) : std::floor(x), arguments.loc);
  if (!function)
    return unknownFunction(("math." + name).str(), arguments.loc);
  if ((name == "sqrt" && x < 0) || (name.starts_with("log") && x <= 0))
    return error(arguments.loc, "math." + name + " of " + std::to_string(x));
  return Value::of(function(x));
}

//===----------------------------------------------------------------------===//
// torch
//===----------------------------------------------------------------------===//

Value Evaluator::callTorch(StringRef name, Arguments &arguments) {
  SMLoc loc = arguments.loc;
  arguments.callee = ("torch." + name).str();
  if (isMatMul(name))
    return matmul(name, arguments);
  if (name == "empty" || name == "zeros" || name == "ones" || name == "full")
    return callAllocation(name, arguments, nullptr);
  if (llvm::is_contained({"empty_like", "zeros_like", "ones_like", "full_like"}, name) && arguments.size() > 0) {
    Value like = arguments.positional.front();
    if (like.is(ValueKind::Tensor) || like.is(ValueKind::Tile)) {
      arguments.positional.erase(arguments.positional.begin());
      return callAllocation(name.drop_back(5), arguments, &like);
    }
  }
  if (name == "broadcast_tensors") {
    std::vector<Value> tensors = arguments.positional, results;
    std::vector<int64_t> shape;
    for (const Value &tensor : tensors) {
      if (!tensor.is(ValueKind::Tensor))
        return error(loc, "torch.broadcast_tensors takes tensors, not " + describe(tensor));
      auto other = tensor.tensor().getShape();
      if (other.size() > shape.size())
        shape.insert(shape.begin(), other.size() - shape.size(), 1);
      for (size_t i = 0; i < other.size(); ++i) {
        int64_t &mine = shape[shape.size() - other.size() + i];
        if (mine != other[i] && mine != 1 && other[i] != 1)
          return error(loc, "shapes do not broadcast: a dim of " + std::to_string(mine) + " and one of " +
                                std::to_string(other[i]));
        mine = mine == 1 ? other[i] : mine;
      }
    }
    for (const Value &tensor : tensors) {
      results.push_back(expandTensor(tensor, shape, loc));
      if (!results.back())
        return Value();
    }
    return Value::of(std::move(results));
  }
  if (name == "promote_types" || name == "result_type") {
    if (!takes(arguments, 2, 2, {}))
      return Value();
    auto typeOf = [&](const Value &value) { return value.is(ValueKind::Type) ? value.type : elementType(value); };
    mlir::Type first = typeOf(arguments.positional[0]), second = typeOf(arguments.positional[1]);
    if (!first || !second)
      return error(loc, "'" + arguments.callee + "' takes dtypes or tensors");
    return Value::of(promoteTypes(first, second));
  }
  if (name == "arange") {
    if (!takes(arguments, 1, 3, {"dtype", "device"}))
      return Value();
    if (!insideLoop())
      return error(loc, "arange outside a loop is not supported yet", "use tile.index inside the loop");
    if (!arguments.positional.front().is(ValueKind::Int))
      return error(loc, "arange takes bounds that are known now, and no step");
    int64_t begin = 0;
    const Value &last = arguments.positional[arguments.size() > 1 ? 1 : 0];
    if (arguments.size() > 1)
      begin = arguments.positional[0].integer;
    if (!last.is(ValueKind::Int) || last.integer <= begin || arguments.size() > 2)
      return error(loc, "arange takes bounds that are known now, and no step");
    const Value *dtype = argument(arguments, 3, "dtype");
    mlir::Type type = dtype && dtype->is(ValueKind::Type) ? dtype->type : builder.getI64Type();
    mlir::Value start = mlir::arith::ConstantIndexOp::create(builder, location(loc), begin);
    auto tile = hl::TileType::get(&context, {last.integer - begin},
                                  mlir::isa<mlir::FloatType>(type) ? builder.getI64Type() : type);
    Value value = Value::of(hl::ArangeOp::create(builder, location(loc), tile, start).getResult());
    return castTile(value, type, loc);
  }
  if (name == "Size" && arguments.size() == 1)
    return arguments.positional.front();
  if (arguments.size() > 0 && arguments.positional.front().is(ValueKind::Tensor)) {
    Value self = arguments.positional.front();
    if (llvm::is_contained({"reshape", "transpose", "permute", "unsqueeze", "squeeze", "flatten", "numel"}, name)) {
      arguments.positional.erase(arguments.positional.begin());
      return tensorMethod(self, name, arguments);
    }
  }
  if (isReduction(name))
    return reduction(name, arguments);
  if (arguments.size() > 0 &&
      llvm::is_contained({"reshape", "transpose", "permute", "unsqueeze", "squeeze", "flatten", "numel"}, name)) {
    Value self = arguments.positional.front();
    arguments.positional.erase(arguments.positional.begin());
    return tileMethod(self, name, arguments);
  }
  if (name == "clamp" || name == "gelu" || name == "add" || name == "sub" || name == "softplus" || name == "lerp" ||
      isPointwise(name)) {
    return callPointwise(name, arguments);
  }
  return unknownFunction(arguments.callee, loc);
}

Value Evaluator::callPointwise(StringRef name, Arguments &arguments) {
  std::vector<Value> operands = arguments.positional;
  SMLoc loc = arguments.loc;
  for (const Value &operand : operands)
    if (operand.is(ValueKind::Tensor))
      return error(loc, "'" + arguments.callee + "' on " + describe(operand) + ", which is in memory",
                   insideLoop() ? "index it with the loop's tile, as x[tile]"
                                : "compute inside a loop over hl.tile(…)");
  if (name == "clamp") {
    if (!takes(arguments, 1, 3, {"min", "max"}))
      return Value();
    Value result = operands.front();
    const Value *low = argument(arguments, 1, "min"), *high = argument(arguments, 2, "max");
    if (low && !low->is(ValueKind::None))
      result = pointwise("maximum", {result, *low}, loc);
    if (result && high && !high->is(ValueKind::None))
      result = pointwise("minimum", {result, *high}, loc);
    return result;
  }
  if (name == "gelu") {
    if (!takes(arguments, 1, 1, {"approximate"}))
      return Value();
    const Value *approximate = argument(arguments, 1, "approximate");
    return pointwise(approximate && approximate->text == "tanh" ? "gelu_tanh" : "gelu", operands, loc);
  }
  if ((name == "add" || name == "sub") && arguments.keywords.count("alpha")) {
    operands[1] = binary("*", operands[1], arguments.keywords["alpha"], loc);
    return operands[1] ? pointwise(name, operands, loc) : Value();
  }
  if (!takes(arguments, 1, 3, {}))
    return Value();
  return pointwise(name, operands, loc);
}
