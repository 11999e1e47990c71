//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Prints syntax trees.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/AST.h"

#include "llvm/ADT/StringExtras.h"

using namespace helionc::frontend;

namespace {

class Dumper {
public:
  Dumper(llvm::raw_ostream &os, const llvm::SourceMgr &sources) : os(os), sources(sources) {}
  void stmt(const Stmt &node, unsigned depth);

private:
  void line(unsigned depth, llvm::StringRef text) { os.indent(2 * depth) << text << '\n'; }
  void line(unsigned depth, llvm::StringRef text, llvm::SMLoc loc) {
    auto [row, column] = sources.getLineAndColumn(loc, sources.getMainFileID());
    os.indent(2 * depth) << text << " @ " << row << ':' << column << '\n';
  }
  void expr(const Expr &node, unsigned depth);
  void params(const std::vector<Param> &list, unsigned depth);
  void block(llvm::StringRef label, const std::vector<StmtPtr> &body, unsigned depth);

  llvm::raw_ostream &os;
  const llvm::SourceMgr &sources;
};

llvm::StringRef name(ExprKind kind) {
  static constexpr llvm::StringRef names[] = {
      "name",   "int",     "float",  "string",      "fstring",   "bool",      "none",         "ellipsis",
      "tuple",  "list",    "dict",   "call",        "attribute", "subscript", "slice",        "unary",
      "binary", "compare", "boolop", "conditional", "lambda",    "starred",   "comprehension"};
  return names[size_t(kind)];
}

llvm::StringRef name(StmtKind kind) {
  static constexpr llvm::StringRef names[] = {"expr", "assign", "augassign", "return", "if",       "for",    "while",
                                              "def",  "assert", "pass",      "break",  "continue", "import", "skipped"};
  return names[size_t(kind)];
}

} // namespace

void Dumper::params(const std::vector<Param> &list, unsigned depth) {
  for (const Param &param : list) {
    line(depth, "param " + param.name, param.loc);
    if (param.annotation)
      expr(*param.annotation, depth + 1);
    if (param.defaultValue) {
      line(depth + 1, "default");
      expr(*param.defaultValue, depth + 2);
    }
  }
}

void Dumper::expr(const Expr &node, unsigned depth) {
  std::string text = name(node.kind).str();
  if (!node.text.empty())
    text += " " + node.text;
  if (node.kind == ExprKind::Int || node.kind == ExprKind::Bool)
    text += " " + std::to_string(node.integer);
  if (node.kind == ExprKind::Float)
    text += " " + std::to_string(node.number);
  for (const std::string &op : node.ops)
    text += " " + op;
  line(depth, text, node.loc);
  params(node.params, depth + 1);
  for (const ExprPtr &operand : node.operands)
    operand ? expr(*operand, depth + 1) : line(depth + 1, "absent");
  for (const auto &[key, value] : node.keywords) {
    line(depth + 1, "keyword " + key);
    expr(*value, depth + 2);
  }
}

void Dumper::block(llvm::StringRef label, const std::vector<StmtPtr> &body, unsigned depth) {
  if (body.empty())
    return;
  if (!label.empty())
    line(depth, label);
  for (const StmtPtr &child : body)
    stmt(*child, depth + 1);
}

void Dumper::stmt(const Stmt &node, unsigned depth) {
  std::string text = name(node.kind).str();
  if (!node.text.empty())
    text += " " + node.text;
  if (!node.broken.empty())
    text += " (not understood)";
  line(depth, text, node.loc);
  for (const ExprPtr &decorator : node.decorators) {
    line(depth + 1, "decorator");
    expr(*decorator, depth + 2);
  }
  params(node.params, depth + 1);
  if (node.annotation) {
    line(depth + 1, "annotation");
    expr(*node.annotation, depth + 2);
  }
  for (const ExprPtr &target : node.targets)
    expr(*target, depth + 1);
  if (node.value)
    expr(*node.value, depth + 1);
  block("", node.body, depth);
  block("else", node.orElse, depth + 1);
}

void helionc::frontend::dump(const Module &module, const llvm::SourceMgr &sources, llvm::raw_ostream &os) {
  Dumper dumper(os, sources);
  for (const StmtPtr &node : module.body)
    dumper.stmt(*node, 0);
}

std::string helionc::frontend::dottedName(const Expr &expr) {
  if (expr.kind == ExprKind::Name)
    return expr.text;
  if (expr.kind != ExprKind::Attribute)
    return "";
  std::string base = dottedName(*expr.operands.front());
  return base.empty() ? "" : base + "." + expr.text;
}
