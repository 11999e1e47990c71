//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The syntax tree of a kernel file.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_FRONTEND_AST_H
#define HELIONC_FRONTEND_AST_H

#include "llvm/Support/SMLoc.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helionc::frontend {

enum class ExprKind {
  Name,         // text
  Int,          // integer
  Float,        // number
  String,       // text
  FString,      // text, as written
  Bool,         // integer
  None,         //
  Ellipsis,     //
  Tuple,        // operands
  List,         // operands
  Dict,         // operands: key, value, key, value, …
  Call,         // operands: callee, positional arguments …; keywords
  Attribute,    // operands: base; text
  Subscript,    // operands: base, indices …
  Slice,        // operands: lower, upper, step (null where absent)
  Unary,        // text: + - ~ not; operands
  Binary,       // text: + - * / // % ** @ & | ^ << >>; operands
  Compare,      // ops; operands: one more than ops
  BoolOp,       // text: and or; operands
  Conditional,  // operands: condition, value, other
  Lambda,       // parameters; operands: body
  Starred,      // operands: value
  Comprehension // operands: element, target, iterable, condition (may be null)
};

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;

/// A parameter of a function or lambda.
struct Param {
  std::string name;
  llvm::SMLoc loc;
  ExprPtr annotation, defaultValue;
};

struct Expr {
  ExprKind kind;
  llvm::SMLoc loc;
  std::string text;
  int64_t integer = 0;
  double number = 0;
  std::vector<ExprPtr> operands;
  std::vector<std::string> ops;
  std::vector<std::pair<std::string, ExprPtr>> keywords;
  std::vector<Param> params;
};

enum class StmtKind {
  Expr,      // value
  Assign,    // targets; value
  AugAssign, // targets[0]; text: the operator; value
  Return,    // value (may be null)
  If,        // value; body; orElse
  For,       // targets[0]; value: what is iterated; body; orElse
  While,     // value; body
  Def,       // text: name; params; body; decorators; annotation (may be null)
  Assert,    // value; message in targets[0] (may be absent)
  Pass,
  Break,
  Continue,
  Import, // nothing kept
  Other   // text: the keyword of a statement that is skipped
};

struct Stmt {
  StmtKind kind;
  llvm::SMLoc loc;
  std::string text;
  ExprPtr value, annotation;
  std::vector<ExprPtr> targets, decorators;
  std::vector<StmtPtr> body, orElse;
  std::vector<Param> params;
  /// A definition that could not be parsed: where and why. Reported only when the definition is needed.
  llvm::SMLoc brokenLoc;
  std::string broken;
};

/// A file.
struct Module {
  std::vector<StmtPtr> body;
};

/// Prints one node a line with its line and column in the main file of `sources`, children indented.
void dump(const Module &module, const llvm::SourceMgr &sources, llvm::raw_ostream &os);
/// The dotted name that an expression spells ("torch.nn.functional.softmax"), "" when it is none.
std::string dottedName(const Expr &expr);

} // namespace helionc::frontend

#endif // HELIONC_FRONTEND_AST_H
