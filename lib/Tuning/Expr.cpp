//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Evaluates and prints expressions over tuning parameters.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/Expr.h"

#include "ExprNode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace helionc::tuning;

namespace {

using Node = Expr::Node;
using Op = Node::Op;

constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

int64_t addSaturating(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? (a < 0 ? lowest : highest) : sum;
}

int64_t subSaturating(int64_t a, int64_t b) {
  int64_t difference;
  return llvm::SubOverflow(a, b, difference) ? (a < 0 ? lowest : highest) : difference;
}

int64_t mulSaturating(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? ((a < 0) != (b < 0) ? lowest : highest) : product;
}

/// Rounds towards minus infinity; `b` is not 0.
int64_t divFloor(int64_t a, int64_t b) {
  if (a == lowest && b == -1)
    return highest;
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t modFloor(int64_t a, int64_t b) {
  if (b == -1)
    return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t ceilDiv(int64_t a, int64_t b) { return subSaturating(0, divFloor(subSaturating(0, a), b)); }

int64_t nextPow2(int64_t a) {
  if (a <= 1)
    return 1;
  return a > (int64_t(1) << 62) ? highest : int64_t(llvm::PowerOf2Ceil(uint64_t(a)));
}

class Evaluator {
public:
  explicit Evaluator(Expr::Lookup lookup) : lookup(lookup) {}
  llvm::Expected<int64_t> number(const Node &node);

private:
  llvm::Expected<Value> value(const Node &node);
  llvm::Expected<int64_t> equality(const Node &node);
  llvm::Expected<int64_t> shortCircuit(const Node &node);
  llvm::Expected<int64_t> fold(const Node &node);
  static llvm::Expected<int64_t> binary(Op op, int64_t a, int64_t b);

  Expr::Lookup lookup;
};

} // namespace

llvm::Expected<Value> Evaluator::value(const Node &node) {
  if (node.op == Op::String)
    return Value(node.text);
  if (node.op == Op::Name) {
    if (std::optional<Value> known = lookup(node.text))
      return *known;
    return llvm::createStringError("'" + node.text + "' has no value");
  }
  llvm::Expected<int64_t> result = number(node);
  if (!result)
    return result.takeError();
  return Value(*result);
}

/// Truth values compare as 0 and 1; a string differs from every number.
llvm::Expected<int64_t> Evaluator::equality(const Node &node) {
  llvm::Expected<Value> left = value(*node.operands[0]);
  if (!left)
    return left.takeError();
  llvm::Expected<Value> right = value(*node.operands[1]);
  if (!right)
    return right.takeError();
  for (Value *side : {&*left, &*right})
    if (auto *flag = std::get_if<bool>(side))
      *side = int64_t(*flag);
  return int64_t((*left == *right) == (node.op == Op::Eq));
}

llvm::Expected<int64_t> Evaluator::shortCircuit(const Node &node) {
  llvm::Expected<int64_t> first = number(*node.operands[0]);
  if (!first)
    return first.takeError();
  if (node.op == Op::If)
    return number(*node.operands[*first != 0 ? 1 : 2]);
  if ((node.op == Op::And) == (*first == 0))
    return int64_t(*first != 0);
  llvm::Expected<int64_t> second = number(*node.operands[1]);
  if (!second)
    return second.takeError();
  return int64_t(*second != 0);
}

llvm::Expected<int64_t> Evaluator::binary(Op op, int64_t a, int64_t b) {
  if ((op == Op::Div || op == Op::Mod || op == Op::CeilDiv) && b == 0)
    return llvm::createStringError("division by zero");
  switch (op) {
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  case Op::Gt:
    return a > b;
  case Op::Ge:
    return a >= b;
  case Op::Add:
    return addSaturating(a, b);
  case Op::Sub:
    return subSaturating(a, b);
  case Op::Mul:
    return mulSaturating(a, b);
  case Op::Div:
    return divFloor(a, b);
  case Op::Mod:
    return modFloor(a, b);
  case Op::CeilDiv:
    return ceilDiv(a, b);
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  default:
    llvm_unreachable("not a binary operator");
  }
}

/// Operators of one operand, and binary ones over all operands from the left.
llvm::Expected<int64_t> Evaluator::fold(const Node &node) {
  llvm::Expected<int64_t> result = number(*node.operands[0]);
  if (!result)
    return result;
  if (node.op == Op::Not)
    return int64_t(*result == 0);
  if (node.op == Op::Neg)
    return subSaturating(0, *result);
  if (node.op == Op::NextPow2)
    return nextPow2(*result);
  for (const auto &operand : llvm::drop_begin(node.operands)) {
    llvm::Expected<int64_t> next = number(*operand);
    if (!next)
      return next;
    result = binary(node.op, *result, *next);
    if (!result)
      return result;
  }
  return result;
}

llvm::Expected<int64_t> Evaluator::number(const Node &node) {
  switch (node.op) {
  case Op::Integer:
    return node.integer;
  case Op::String:
    return llvm::createStringError("the string \"" + node.text + "\" is not a number");
  case Op::Name: {
    llvm::Expected<Value> known = value(node);
    if (!known)
      return known.takeError();
    if (auto *integer = std::get_if<int64_t>(&*known))
      return *integer;
    if (auto *flag = std::get_if<bool>(&*known))
      return int64_t(*flag);
    return llvm::createStringError("'" + node.text + "' is " + kindName(*known).str() + ", not a number");
  }
  case Op::Eq:
  case Op::Ne:
    return equality(node);
  case Op::If:
  case Op::And:
  case Op::Or:
    return shortCircuit(node);
  default:
    return fold(node);
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// How tightly an operator binds; operands that bind less need parentheses.
static int precedence(Op op) {
  switch (op) {
  case Op::If:
    return 0;
  case Op::Or:
    return 1;
  case Op::And:
    return 2;
  case Op::Not:
    return 3;
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return 4;
  case Op::Add:
  case Op::Sub:
    return 5;
  case Op::Mul:
  case Op::Div:
  case Op::Mod:
    return 6;
  case Op::Neg:
    return 7;
  default:
    return 8;
  }
}

static llvm::StringRef spelling(Op op) {
  static constexpr llvm::StringLiteral names[] = {
      "",   "",  "",  "if", "or", "and", "not", "==",  "!=",  "<",       "<=",      ">",
      ">=", "+", "-", "*",  "/",  "%",   "-",   "min", "max", "ceildiv", "nextpow2"};
  return names[size_t(op)];
}

static std::string printNode(const Node &node);

static std::string printOperand(const Node &node, int least) {
  std::string text = printNode(node);
  return precedence(node.op) < least ? "(" + text + ")" : text;
}

static std::string printCall(const Node &node) {
  std::string text;
  for (const auto &operand : node.operands)
    text += (text.empty() ? "" : ", ") + printNode(*operand);
  return spelling(node.op).str() + "(" + text + ")";
}

static std::string printNode(const Node &node) {
  int level = precedence(node.op);
  switch (node.op) {
  case Op::Integer:
    return std::to_string(node.integer);
  case Op::String:
    return (node.text.find('"') == std::string::npos ? "\"" + node.text + "\"" : "'" + node.text + "'");
  case Op::Name:
    return node.text;
  case Op::If:
    return printOperand(*node.operands[1], 1) + " if " + printOperand(*node.operands[0], 1) + " else " +
           printNode(*node.operands[2]);
  case Op::Not:
    return "not " + printOperand(*node.operands[0], level);
  case Op::Neg:
    return "-" + printOperand(*node.operands[0], level);
  default:
    break;
  }
  if (level == 8)
    return printCall(node);
  bool isComparison = level == 4;
  return printOperand(*node.operands[0], isComparison ? level + 1 : level) + " " + spelling(node.op).str() + " " +
         printOperand(*node.operands[1], level + 1);
}

llvm::Expected<int64_t> Expr::evaluate(Lookup lookup) const { return Evaluator(lookup).number(*root); }

std::string Expr::print() const { return printNode(*root); }

std::string Expr::printEvaluated(Lookup lookup) const {
  if (precedence(root->op) != 4)
    return "";
  std::string text;
  for (const auto &operand : root->operands) {
    llvm::Expected<int64_t> side = Evaluator(lookup).number(*operand);
    if (!side) {
      llvm::consumeError(side.takeError());
      return "";
    }
    text += (text.empty() ? "" : " " + spelling(root->op).str() + " ") + std::to_string(*side);
  }
  return text;
}
