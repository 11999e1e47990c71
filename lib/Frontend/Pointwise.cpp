//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The table of elementwise operations.
//===----------------------------------------------------------------------===//
#include "Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace helionc;
using namespace helionc::frontend;
using llvm::SMLoc;
using llvm::StringRef;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {

/// What the operands are converted to, and what comes out.
enum class Rule {
  Promote,  // the promoted type, kept
  Float,    // integers become f32
  Compare,  // the promoted type, bool out
  Logical,  // bool, bool out
  Integer,  // integers only (bool included), kept
  FloatTest // floats, bool out
};

using Builder = mlir::OpBuilder;
using Operands = llvm::ArrayRef<mlir::Value>;
using Emit = mlir::Value (*)(Builder &, mlir::Location, Operands);

struct Pointwise {
  unsigned arity;
  Rule rule;
  Emit emit;
};

bool isFloat(mlir::Value value) { return mlir::isa<mlir::FloatType>(value.getType()); }

mlir::Value number(Builder &b, mlir::Location loc, mlir::Type type, double value) {
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(floatType, value));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, int64_t(value)));
}

template <typename FloatOp, typename IntOp> mlir::Value either(Builder &b, mlir::Location loc, Operands args) {
  if (isFloat(args[0]))
    return FloatOp::create(b, loc, args);
  return IntOp::create(b, loc, args);
}

template <typename Op> mlir::Value unary(Builder &b, mlir::Location loc, Operands args) {
  return Op::create(b, loc, args[0]);
}

template <typename Op> mlir::Value binaryOp(Builder &b, mlir::Location loc, Operands args) {
  return Op::create(b, loc, args[0], args[1]);
}

template <arith::CmpFPredicate floats, arith::CmpIPredicate integers, arith::CmpIPredicate flags>
mlir::Value comparison(Builder &b, mlir::Location loc, Operands args) {
  if (isFloat(args[0]))
    return arith::CmpFOp::create(b, loc, floats, args[0], args[1]);
  bool flag = args[0].getType().isInteger(1);
  return arith::CmpIOp::create(b, loc, flag ? flags : integers, args[0], args[1]);
}

mlir::Value add(Builder &b, mlir::Location loc, Operands args) {
  if (args[0].getType().isInteger(1))
    return arith::OrIOp::create(b, loc, args[0], args[1]);
  return either<arith::AddFOp, arith::AddIOp>(b, loc, args);
}

mlir::Value multiply(Builder &b, mlir::Location loc, Operands args) {
  if (args[0].getType().isInteger(1))
    return arith::AndIOp::create(b, loc, args[0], args[1]);
  return either<arith::MulFOp, arith::MulIOp>(b, loc, args);
}

mlir::Value negate(Builder &b, mlir::Location loc, Operands args) {
  if (isFloat(args[0]))
    return arith::NegFOp::create(b, loc, args[0]);
  return arith::SubIOp::create(b, loc, number(b, loc, args[0].getType(), 0), args[0]);
}

/// A divisor that never traps: 1 in place of 0 (padding reads 0) and of -1 (the smallest integer has no opposite).
mlir::Value safeDivisor(Builder &b, mlir::Location loc, mlir::Value divisor) {
  mlir::Type type = divisor.getType();
  mlir::Value next = arith::AddIOp::create(b, loc, divisor, number(b, loc, type, 1));
  mlir::Value traps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, next, number(b, loc, type, 1));
  return arith::SelectOp::create(b, loc, traps, number(b, loc, type, 1), divisor);
}

/// As torch.floor_divide: the quotient of what the remainder leaves, so that 1.0 // 0.1 is 9.
mlir::Value floorDivideFloats(Builder &b, mlir::Location loc, mlir::Value x, mlir::Value y) {
  mlir::Type type = x.getType();
  mlir::Value zero = number(b, loc, type, 0), one = number(b, loc, type, 1);
  mlir::Value rest = arith::RemFOp::create(b, loc, x, y);
  mlir::Value quotient = arith::DivFOp::create(b, loc, arith::SubFOp::create(b, loc, x, rest), y);
  mlir::Value nonZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, rest, zero);
  mlir::Value restNegative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, rest, zero);
  mlir::Value divisorNegative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, y, zero);
  mlir::Value differ = arith::XOrIOp::create(b, loc, restNegative, divisorNegative);
  mlir::Value lower = arith::SubFOp::create(b, loc, quotient, one);
  quotient = arith::SelectOp::create(b, loc, arith::AndIOp::create(b, loc, nonZero, differ), lower, quotient);
  mlir::Value floored = math::FloorOp::create(b, loc, quotient);
  mlir::Value excess = arith::SubFOp::create(b, loc, quotient, floored);
  mlir::Value up = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, excess, number(b, loc, type, 0.5));
  floored = arith::SelectOp::create(b, loc, up, arith::AddFOp::create(b, loc, floored, one), floored);
  mlir::Value byZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, y, zero);
  return arith::SelectOp::create(b, loc, byZero, arith::DivFOp::create(b, loc, x, y), floored);
}

mlir::Value floorDivide(Builder &b, mlir::Location loc, Operands args) {
  if (isFloat(args[0]))
    return floorDivideFloats(b, loc, args[0], args[1]);
  mlir::Type type = args[0].getType();
  mlir::Value divisor = safeDivisor(b, loc, args[1]), zero = number(b, loc, type, 0);
  mlir::Value quotient = arith::DivSIOp::create(b, loc, args[0], divisor);
  mlir::Value rest = arith::SubIOp::create(b, loc, args[0], arith::MulIOp::create(b, loc, quotient, divisor));
  mlir::Value nonZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, zero);
  mlir::Value signs = arith::XOrIOp::create(b, loc, rest, divisor);
  mlir::Value differ = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, signs, zero);
  mlir::Value down = arith::AndIOp::create(b, loc, nonZero, differ);
  mlir::Value lower = arith::SubIOp::create(b, loc, quotient, number(b, loc, type, 1));
  quotient = arith::SelectOp::create(b, loc, down, lower, quotient);
  mlir::Value byMinusOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, args[1], number(b, loc, type, -1));
  return arith::SelectOp::create(b, loc, byMinusOne, negate(b, loc, args[0]), quotient);
}

mlir::Value truncatedRemainder(Builder &b, mlir::Location loc, Operands args) {
  if (isFloat(args[0]))
    return arith::RemFOp::create(b, loc, args[0], args[1]);
  return arith::RemSIOp::create(b, loc, args[0], safeDivisor(b, loc, args[1]));
}

/// Integers are whole already.
template <typename Op> mlir::Value rounding(Builder &b, mlir::Location loc, Operands args) {
  return isFloat(args[0]) ? Op::create(b, loc, args[0]).getResult() : args[0];
}

/// Shifts by the width or more give what shifting bit by bit would.
template <typename Op> mlir::Value shift(Builder &b, mlir::Location loc, Operands args) {
  mlir::Type type = args[0].getType();
  constexpr bool left = std::is_same_v<Op, arith::ShLIOp>;
  mlir::Value last = number(b, loc, type, type.getIntOrFloatBitWidth() - 1);
  mlir::Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, args[1], last);
  mlir::Value by = arith::SelectOp::create(b, loc, inside, args[1], last);
  mlir::Value shifted = Op::create(b, loc, args[0], by);
  return left ? arith::SelectOp::create(b, loc, inside, shifted, number(b, loc, type, 0)).getResult() : shifted;
}

/// The remainder has the divisor's sign, as in Python.
mlir::Value remainder(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value zero = number(b, loc, args[0].getType(), 0);
  if (isFloat(args[0])) {
    mlir::Value rest = arith::RemFOp::create(b, loc, args[0], args[1]);
    mlir::Value nonZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, rest, zero);
    mlir::Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, rest, zero);
    mlir::Value divisorNegative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, args[1], zero);
    mlir::Value differ = arith::XOrIOp::create(b, loc, negative, divisorNegative);
    mlir::Value fix = arith::AndIOp::create(b, loc, nonZero, differ);
    return arith::SelectOp::create(b, loc, fix, arith::AddFOp::create(b, loc, rest, args[1]), rest);
  }
  mlir::Value rest = arith::RemSIOp::create(b, loc, args[0], safeDivisor(b, loc, args[1]));
  mlir::Value nonZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, zero);
  mlir::Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, zero);
  mlir::Value divisorNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, args[1], zero);
  mlir::Value differ = arith::XOrIOp::create(b, loc, negative, divisorNegative);
  mlir::Value fix = arith::AndIOp::create(b, loc, nonZero, differ);
  return arith::SelectOp::create(b, loc, fix, arith::AddIOp::create(b, loc, rest, args[1]), rest);
}

mlir::Value absolute(Builder &b, mlir::Location loc, Operands args) {
  if (isFloat(args[0]))
    return math::AbsFOp::create(b, loc, args[0]);
  return math::AbsIOp::create(b, loc, args[0]);
}

mlir::Value maximum(Builder &b, mlir::Location loc, Operands args) {
  if (args[0].getType().isInteger(1))
    return arith::OrIOp::create(b, loc, args[0], args[1]);
  return either<arith::MaximumFOp, arith::MaxSIOp>(b, loc, args);
}

mlir::Value minimum(Builder &b, mlir::Location loc, Operands args) {
  if (args[0].getType().isInteger(1))
    return arith::AndIOp::create(b, loc, args[0], args[1]);
  return either<arith::MinimumFOp, arith::MinSIOp>(b, loc, args);
}

mlir::Value reciprocal(Builder &b, mlir::Location loc, Operands args) {
  return arith::DivFOp::create(b, loc, number(b, loc, args[0].getType(), 1), args[0]);
}

/// 1 / (1 + exp(-x)): exact at both ends, because exp overflows to infinity.
mlir::Value sigmoid(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value one = number(b, loc, args[0].getType(), 1);
  mlir::Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, args[0]));
  return arith::DivFOp::create(b, loc, one, arith::AddFOp::create(b, loc, one, e));
}

mlir::Value silu(Builder &b, mlir::Location loc, Operands args) {
  return arith::MulFOp::create(b, loc, args[0], sigmoid(b, loc, args));
}

mlir::Value relu(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value zero = number(b, loc, args[0].getType(), 0);
  return maximum(b, loc, {args[0], zero});
}

mlir::Value gelu(Builder &b, mlir::Location loc, Operands args) {
  mlir::Type type = args[0].getType();
  mlir::Value scaled = arith::MulFOp::create(b, loc, args[0], number(b, loc, type, M_SQRT1_2));
  mlir::Value cdf = arith::AddFOp::create(b, loc, number(b, loc, type, 1), math::ErfOp::create(b, loc, scaled));
  return arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, args[0], number(b, loc, type, 0.5)), cdf);
}

mlir::Value geluTanh(Builder &b, mlir::Location loc, Operands args) {
  mlir::Type type = args[0].getType();
  mlir::Value x = args[0];
  mlir::Value cube = arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, x, x), x);
  mlir::Value inner =
      arith::AddFOp::create(b, loc, x, arith::MulFOp::create(b, loc, number(b, loc, type, 0.044715), cube));
  mlir::Value scaled = arith::MulFOp::create(b, loc, number(b, loc, type, std::sqrt(2.0 / M_PI)), inner);
  mlir::Value t = arith::AddFOp::create(b, loc, number(b, loc, type, 1), math::TanhOp::create(b, loc, scaled));
  return arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, x, number(b, loc, type, 0.5)), t);
}

/// max(x, 0) + log1p(exp(-|x|)): does not overflow.
mlir::Value softplus(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, args[0])));
  return arith::AddFOp::create(b, loc, relu(b, loc, args), math::Log1pOp::create(b, loc, e));
}

mlir::Value sign(Builder &b, mlir::Location loc, Operands args) {
  mlir::Type type = args[0].getType();
  mlir::Value zero = number(b, loc, type, 0), one = number(b, loc, type, 1), minus = number(b, loc, type, -1);
  if (isFloat(args[0])) {
    mlir::Value up = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, args[0], zero);
    mlir::Value down = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, args[0], zero);
    return arith::SelectOp::create(b, loc, up, one, arith::SelectOp::create(b, loc, down, minus, zero));
  }
  mlir::Value up = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, args[0], zero);
  mlir::Value down = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, args[0], zero);
  return arith::SelectOp::create(b, loc, up, one, arith::SelectOp::create(b, loc, down, minus, zero));
}

mlir::Value invert(Builder &b, mlir::Location loc, Operands args) {
  return arith::XOrIOp::create(b, loc, args[0], number(b, loc, args[0].getType(), -1));
}

mlir::Value isNan(Builder &b, mlir::Location loc, Operands args) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, args[0], args[0]);
}

mlir::Value isInf(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value inf = number(b, loc, args[0].getType(), std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, loc, args[0]), inf);
}

mlir::Value isFinite(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value inf = number(b, loc, args[0].getType(), std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, args[0]), inf);
}

mlir::Value square(Builder &b, mlir::Location loc, Operands args) { return multiply(b, loc, {args[0], args[0]}); }

mlir::Value logicalNot(Builder &b, mlir::Location loc, Operands args) {
  return arith::XOrIOp::create(b, loc, args[0], number(b, loc, args[0].getType(), 1));
}

mlir::Value lerp(Builder &b, mlir::Location loc, Operands args) {
  mlir::Value difference = arith::SubFOp::create(b, loc, args[1], args[0]);
  return arith::AddFOp::create(b, loc, args[0], arith::MulFOp::create(b, loc, args[2], difference));
}

using FP = arith::CmpFPredicate;
using IP = arith::CmpIPredicate;

const llvm::StringMap<Pointwise> &table() {
  static const llvm::StringMap<Pointwise> entries = {
      {"add", {2, Rule::Promote, add}},
      {"sub", {2, Rule::Promote, either<arith::SubFOp, arith::SubIOp>}},
      {"mul", {2, Rule::Promote, multiply}},
      {"div", {2, Rule::Float, binaryOp<arith::DivFOp>}},
      {"true_divide", {2, Rule::Float, binaryOp<arith::DivFOp>}},
      {"floor_divide", {2, Rule::Promote, floorDivide}},
      {"remainder", {2, Rule::Promote, remainder}},
      {"fmod", {2, Rule::Promote, truncatedRemainder}},
      {"pow", {2, Rule::Float, binaryOp<math::PowFOp>}},
      {"maximum", {2, Rule::Promote, maximum}},
      {"minimum", {2, Rule::Promote, minimum}},
      {"neg", {1, Rule::Promote, negate}},
      {"abs", {1, Rule::Promote, absolute}},
      {"sign", {1, Rule::Promote, sign}},
      {"square", {1, Rule::Promote, square}},
      {"exp", {1, Rule::Float, unary<math::ExpOp>}},
      {"exp2", {1, Rule::Float, unary<math::Exp2Op>}},
      {"expm1", {1, Rule::Float, unary<math::ExpM1Op>}},
      {"log", {1, Rule::Float, unary<math::LogOp>}},
      {"log2", {1, Rule::Float, unary<math::Log2Op>}},
      {"log10", {1, Rule::Float, unary<math::Log10Op>}},
      {"log1p", {1, Rule::Float, unary<math::Log1pOp>}},
      {"sqrt", {1, Rule::Float, unary<math::SqrtOp>}},
      {"rsqrt", {1, Rule::Float, unary<math::RsqrtOp>}},
      {"reciprocal", {1, Rule::Float, reciprocal}},
      {"sin", {1, Rule::Float, unary<math::SinOp>}},
      {"cos", {1, Rule::Float, unary<math::CosOp>}},
      {"tanh", {1, Rule::Float, unary<math::TanhOp>}},
      {"erf", {1, Rule::Float, unary<math::ErfOp>}},
      {"sigmoid", {1, Rule::Float, sigmoid}},
      {"silu", {1, Rule::Float, silu}},
      {"softplus", {1, Rule::Float, softplus}},
      {"gelu", {1, Rule::Float, gelu}},
      {"gelu_tanh", {1, Rule::Float, geluTanh}},
      {"relu", {1, Rule::Promote, relu}},
      {"floor", {1, Rule::Promote, rounding<math::FloorOp>}},
      {"ceil", {1, Rule::Promote, rounding<math::CeilOp>}},
      {"round", {1, Rule::Promote, rounding<math::RoundEvenOp>}},
      {"trunc", {1, Rule::Promote, rounding<math::TruncOp>}},
      {"lerp", {3, Rule::Float, lerp}},
      {"lt", {2, Rule::Compare, comparison<FP::OLT, IP::slt, IP::ult>}},
      {"le", {2, Rule::Compare, comparison<FP::OLE, IP::sle, IP::ule>}},
      {"gt", {2, Rule::Compare, comparison<FP::OGT, IP::sgt, IP::ugt>}},
      {"ge", {2, Rule::Compare, comparison<FP::OGE, IP::sge, IP::uge>}},
      {"eq", {2, Rule::Compare, comparison<FP::OEQ, IP::eq, IP::eq>}},
      {"ne", {2, Rule::Compare, comparison<FP::UNE, IP::ne, IP::ne>}},
      {"logical_and", {2, Rule::Logical, binaryOp<arith::AndIOp>}},
      {"logical_or", {2, Rule::Logical, binaryOp<arith::OrIOp>}},
      {"logical_xor", {2, Rule::Logical, binaryOp<arith::XOrIOp>}},
      {"logical_not", {1, Rule::Logical, logicalNot}},
      {"bitwise_and", {2, Rule::Integer, binaryOp<arith::AndIOp>}},
      {"bitwise_or", {2, Rule::Integer, binaryOp<arith::OrIOp>}},
      {"bitwise_xor", {2, Rule::Integer, binaryOp<arith::XOrIOp>}},
      {"bitwise_not", {1, Rule::Integer, invert}},
      {"bitwise_left_shift", {2, Rule::Integer, shift<arith::ShLIOp>}},
      {"bitwise_right_shift", {2, Rule::Integer, shift<arith::ShRSIOp>}},
      {"isnan", {1, Rule::FloatTest, isNan}},
      {"isinf", {1, Rule::FloatTest, isInf}},
      {"isfinite", {1, Rule::FloatTest, isFinite}},
  };
  return entries;
}

/// Other names of the same operations.
StringRef canonicalName(StringRef name) {
  static const llvm::StringMap<StringRef> aliases = {
      {"subtract", "sub"},     {"multiply", "mul"}, {"divide", "div"},          {"negative", "neg"},
      {"absolute", "abs"},     {"less", "lt"},      {"less_equal", "le"},       {"greater", "gt"},
      {"greater_equal", "ge"}, {"not_equal", "ne"}, {"__and__", "bitwise_and"}, {"expit", "sigmoid"},
      {"fix", "trunc"}};
  auto it = aliases.find(name);
  return it == aliases.end() ? name : it->second;
}

} // namespace

bool Evaluator::isPointwise(StringRef name) const { return name == "where" || table().count(canonicalName(name)); }

std::vector<StringRef> Evaluator::pointwiseNames() {
  std::vector<StringRef> names;
  for (const auto &entry : table())
    names.push_back(entry.getKey());
  llvm::sort(names);
  return names;
}

/// torch.where: the condition is bool, the branches are promoted.
static constexpr unsigned whereArity = 3;

Value Evaluator::pointwise(StringRef name, llvm::ArrayRef<Value> operands, SMLoc loc) {
  bool isWhere = name == "where";
  auto entry = table().find(canonicalName(name));
  if (!isWhere && entry == table().end())
    return unknownFunction(("torch." + name).str(), loc);
  unsigned arity = isWhere ? whereArity : entry->second.arity;
  if (operands.size() != arity)
    return error(loc,
                 "'" + name + "' takes " + std::to_string(arity) + " operands, not " + std::to_string(operands.size()));
  for (const Value &operand : operands)
    if (!operand.isDevice() && !operand.isNumber() && !operand.is(ValueKind::Block))
      return error(loc, "'" + name + "' of " + describe(operand),
                   operand.is(ValueKind::Span) ? "use tile.index for the indices of a tile" : "");
  if (isWhere) {
    mlir::Type type = promote(operands.drop_front(), loc);
    if (!type)
      return Value();
    std::vector<Value> cast(operands.begin(), operands.end());
    if (cast[0].isDevice())
      cast[0] = castTile(cast[0], builder.getI1Type(), loc);
    if (cast[0].isNumber())
      return cast[0].asNumber() != 0 ? castTile(cast[1], type, loc) : castTile(cast[2], type, loc);
    // The map converts every operand to one type, so the condition goes in by itself.
    std::vector<mlir::Attribute> dims;
    if (!commonDims(cast, loc, dims))
      return Value();
    for (Value &operand : cast) {
      bool condition = &operand == &cast.front();
      if (operand.is(ValueKind::Tile)) {
        operand = condition ? operand : castTile(operand, type, loc);
        operand = broadcastTile(operand, dims, loc);
      } else {
        operand = full(dims, condition ? builder.getI1Type() : type, operand, loc);
      }
      if (!operand)
        return operand;
    }
    mlir::Location at = location(loc);
    auto op = hl::MapOp::create(builder, at, hl::TileType::get(&context, dims, type),
                                mlir::ValueRange{cast[0].ssa, cast[1].ssa, cast[2].ssa});
    mlir::Block &block = op.getBody().emplaceBlock();
    block.addArguments({builder.getI1Type(), type, type}, {at, at, at});
    mlir::OpBuilder inner = mlir::OpBuilder::atBlockEnd(&block);
    hl::YieldOp::create(
        inner, at,
        arith::SelectOp::create(inner, at, block.getArgument(0), block.getArgument(1), block.getArgument(2))
            .getResult());
    return Value::of(op.getResult());
  }
  mlir::Type type = promote(operands, loc);
  if (!type)
    return Value();
  const Pointwise &pointwise = entry->second;
  Rule rule = pointwise.rule;
  bool integer = !mlir::isa<mlir::FloatType>(type);
  if (rule == Rule::Integer && !integer)
    return error(loc, "'" + name + "' needs integers, not " + dtypeText(type));
  // x ** 2 and the like of an integer stay integers only by multiplication.
  if (name == "pow" && integer) {
    if (!operands[1].is(ValueKind::Int) || operands[1].integer < 0 || operands[1].integer > 16)
      return error(loc, "an integer power needs a small constant exponent", "convert with .to(torch.float32)");
    Value result = Value::of(int64_t(1));
    for (int64_t i = 0; i < operands[1].integer && result; ++i)
      result = this->pointwise("mul", {operands[0], result}, loc);
    return operands[1].integer
               ? result
               : this->pointwise("add", {this->pointwise("mul", {operands[0], Value::of(int64_t(0))}, loc), result},
                                 loc);
  }
  if (name == "pow" && operands[0].isDevice() && operands[1].isNumber() && operands[1].asNumber() == 2) {
    Value base = castTile(operands[0], type, loc);
    return base ? this->pointwise("mul", {base, base}, loc) : base;
  }
  if ((rule == Rule::Float || rule == Rule::FloatTest) && integer)
    type = builder.getF32Type();
  if (rule == Rule::Logical)
    type = builder.getI1Type();
  static constexpr StringRef notOfBool[] = {
      "neg",   "sub",  "floor_divide",       "remainder",          "fmod", "abs", "sign", "floor", "ceil", "round",
      "trunc", "relu", "bitwise_left_shift", "bitwise_right_shift"};
  if (type.isInteger(1) && llvm::is_contained(notOfBool, canonicalName(name)))
    return error(loc, "'" + name + "' of bool", "convert with .to(torch.int32), or use logical_not or logical_xor");
  mlir::Type compute = computeType(type);
  mlir::Type result = rule == Rule::Compare || rule == Rule::FloatTest ? mlir::Type(builder.getI1Type()) : type;
  return map(operands, compute, result, loc,
             [&](mlir::OpBuilder &b, mlir::Location at, llvm::ArrayRef<mlir::Value> args) {
               return convertScalar(b, at, pointwise.emit(b, at, args), result);
             });
}
