//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The tree behind tuning::Expr.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_LIB_TUNING_EXPRNODE_H
#define HELIONC_LIB_TUNING_EXPRNODE_H

#include "helionc/Tuning/Expr.h"

namespace helionc::tuning {

/// A node: its operator, its operands, and for a leaf the literal or the name.
struct Expr::Node {
  // clang-format off
  enum class Op {
    Integer, String, Name,
    If, Or, And, Not, Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Mod, Neg, Min, Max, CeilDiv, NextPow2
  };
  // clang-format on
  Op op;
  std::vector<std::shared_ptr<const Node>> operands;
  int64_t integer = 0;
  std::string text;
};

} // namespace helionc::tuning

#endif // HELIONC_LIB_TUNING_EXPRNODE_H
