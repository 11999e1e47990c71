//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of tuning expressions.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/Expr.h"

#include "gtest/gtest.h"

#include <map>

using namespace helionc::tuning;

namespace {

std::optional<Value> lookup(llvm::StringRef name) {
  static const std::map<std::string, Value> values = {{"block_sizes.0", int64_t(128)},
                                                      {"block_sizes.1", int64_t(64)},
                                                      {"mma", std::string("simt")},
                                                      {"flag", true},
                                                      {"order", std::vector<int64_t>{1, 0}}};
  auto it = values.find(name.str());
  return it == values.end() ? std::nullopt : std::optional<Value>(it->second);
}

std::string run(llvm::StringRef text) {
  llvm::Expected<Expr> expr = Expr::parse(text);
  if (!expr)
    return "parse: " + llvm::toString(expr.takeError());
  llvm::Expected<int64_t> value = expr->evaluate(lookup);
  return value ? std::to_string(*value) : llvm::toString(value.takeError());
}

std::string reprint(llvm::StringRef text) { return llvm::cantFail(Expr::parse(text)).print(); }

TEST(Expr, Arithmetic) {
  EXPECT_EQ(run("1 + 2 * 3"), "7");
  EXPECT_EQ(run("(1 + 2) * 3"), "9");
  EXPECT_EQ(run("10 - 3 - 2"), "5");
  EXPECT_EQ(run("-7 / 2"), "-4");
  EXPECT_EQ(run("-7 // 2"), "-4");
  EXPECT_EQ(run("-7 % 2"), "1");
  EXPECT_EQ(run("7 % -2"), "-1");
  EXPECT_EQ(run("--3"), "3");
  EXPECT_EQ(run("ceildiv(7, 2)"), "4");
  EXPECT_EQ(run("ceildiv(-7, 2)"), "-3");
  EXPECT_EQ(run("nextpow2(80)"), "128");
  EXPECT_EQ(run("min(3, 1, 2) + max(4, 5)"), "6");
}

TEST(Expr, Names) {
  EXPECT_EQ(run("block_sizes.0 * block_sizes.1 * 4 <= 65536"), "1");
  EXPECT_EQ(run("block_sizes.0 * block_sizes.1 * 4 <= 32767"), "0");
  EXPECT_EQ(run("mma == \"simt\" and flag"), "1");
  EXPECT_EQ(run("mma != 'simt' or not flag"), "0");
  EXPECT_EQ(run("flag == true"), "1");
  EXPECT_EQ(run("mma == 3"), "0");
  EXPECT_EQ(llvm::cantFail(Expr::parse("a + b.1 * a")).names(), (std::vector<std::string>{"a", "b.1"}));
}

TEST(Expr, TernaryAndShortCircuit) {
  EXPECT_EQ(run("1 if flag else 2"), "1");
  EXPECT_EQ(run("1 if 0 else 2 if 0 else 3"), "3");
  EXPECT_EQ(run("flag or 1 / 0"), "1");
  EXPECT_EQ(run("not flag and 1 / 0"), "0");
  EXPECT_EQ(run("not 1 == 2"), "1");
}

TEST(Expr, Saturates) {
  EXPECT_EQ(run("9223372036854775807 + 1"), "9223372036854775807");
  EXPECT_EQ(run("9223372036854775807 * -2"), "-9223372036854775808");
  EXPECT_EQ(run("(-9223372036854775807 - 1) / -1"), "9223372036854775807");
  EXPECT_EQ(run("(-9223372036854775807 - 1) % -1"), "0");
  EXPECT_EQ(run("nextpow2(9223372036854775807)"), "9223372036854775807");
  EXPECT_EQ(run("ceildiv(-9223372036854775807 - 1, -1)"), "9223372036854775807");
}

TEST(Expr, EvaluationErrors) {
  EXPECT_EQ(run("1 / 0"), "division by zero");
  EXPECT_EQ(run("1 % (flag - 1)"), "division by zero");
  EXPECT_EQ(run("nothing + 1"), "'nothing' has no value");
  EXPECT_EQ(run("mma + 1"), "'mma' is a string, not a number");
  EXPECT_EQ(run("order < 1"), "'order' is a list, not a number");
  EXPECT_EQ(run("\"simt\" < 1"), "the string \"simt\" is not a number");
}

TEST(Expr, ParseErrors) {
  EXPECT_EQ(run(""), "parse: column 1: expected a value, found the end");
  EXPECT_EQ(run("1 +"), "parse: column 4: expected a value, found the end");
  EXPECT_EQ(run("1 2"), "parse: column 3: expected an operator or the end, found '2'");
  EXPECT_EQ(run("(1"), "parse: column 3: expected ')'");
  EXPECT_EQ(run("1 < 2 < 3"), "parse: column 7: comparisons do not chain; join them by 'and'");
  EXPECT_EQ(run("log(2)"), "parse: column 1: unknown function 'log'; there are min, max, ceildiv and nextpow2");
  EXPECT_EQ(run("ceildiv(2)"), "parse: column 11: ceildiv takes 2 operands, found 1");
  EXPECT_EQ(run("'open"), "parse: column 1: a string is not closed");
  EXPECT_EQ(run("99999999999999999999"), "parse: column 1: '99999999999999999999' is not a 64-bit decimal integer");
  EXPECT_EQ(run("1 if 2"), "parse: column 7: expected 'else'");
  EXPECT_EQ(run("a ? b"), "parse: column 3: expected an operator or the end, found '?'");
  EXPECT_EQ(run(std::string(500, '(')), "parse: column 101: the expression is nested too deeply");
  EXPECT_EQ(run(std::string(20000, '1')), "parse: the expression is longer than 16384 bytes");
}

TEST(Expr, Prints) {
  for (llvm::StringRef text :
       {"block_sizes.0 * block_sizes.1 * 4 <= 65536", "(a + b) * c", "a - (b - c)", "a if b else c", "not (a and b)",
        "min(a, b + 1) % 3", "-(a + b)", "mma == \"simt\"", "(a if b else c) if d else e"}) {
    EXPECT_EQ(reprint(text), text);
    EXPECT_EQ(reprint(reprint(text)), text);
  }
  EXPECT_EQ(reprint("((a))*(b)"), "a * b");
  EXPECT_EQ(llvm::cantFail(Expr::parse("block_sizes.0 * 4 <= 300")).printEvaluated(lookup), "512 <= 300");
  EXPECT_EQ(llvm::cantFail(Expr::parse("1 + 1")).printEvaluated(lookup), "");
}

} // namespace
