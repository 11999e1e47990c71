//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Integer expressions over tuning parameters, the language of hl.require.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TUNING_EXPR_H
#define HELIONC_TUNING_EXPR_H

#include "helionc/Tuning/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace helionc::tuning {

/// An expression over parameter names. The grammar, loosest first:
///
///     expr    := or [ `if` or `else` expr ]
///     or      := and { `or` and }          and := not { `and` not }        not := [ `not` ] compare
///     compare := sum [ ( == != < <= > >= ) sum ]
///     sum     := term { (+ -) term }       term := unary { (* / // %) unary }       unary := [ - ] primary
///     primary := integer | string | true | false | name | ( expr )
///              | min(expr, …) | max(expr, …) | ceildiv(expr, expr) | nextpow2(expr)
///     name    := letter { letter | digit | _ } { . letters-digits }      such as block_sizes.0
///
/// Division and % round down, as in Python. Sums and products that leave 64 bits saturate. A string may only be
/// compared by == and !=. Truth is 0 or 1; anything but 0 is true.
class Expr {
public:
  struct Node;
  /// What a name stands for; nothing when it is unknown.
  using Lookup = llvm::function_ref<std::optional<Value>(llvm::StringRef)>;

  /// Parses `text`; the error names the place (a column from 1) and what was expected.
  static llvm::Expected<Expr> parse(llvm::StringRef text);

  /// The names used, each once, in order of appearance.
  const std::vector<std::string> &names() const { return usedNames; }
  /// The value. Fails on an unknown name, on a division by zero, and on a string or a list where a number belongs.
  llvm::Expected<int64_t> evaluate(Lookup lookup) const;
  /// The expression with as few parentheses as its meaning needs.
  std::string print() const;
  /// For a comparison of numbers, both sides evaluated: `131072 <= 65536`. Otherwise "".
  std::string printEvaluated(Lookup lookup) const;

private:
  std::shared_ptr<const Node> root;
  std::vector<std::string> usedNames;
};

} // namespace helionc::tuning

#endif // HELIONC_TUNING_EXPR_H
