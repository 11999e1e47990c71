//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of problems: codec, inputs, comparison.
//===----------------------------------------------------------------------===//

#include "helionc/Runtime/Problem.h"
#include "TestImages.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace helionc;
using namespace helionc::runtime;
using artifact::ArgRole;

static std::string compare(const artifact::Argument &argument, const std::vector<float> &have,
                           const std::vector<float> &want, const std::vector<float> &other) {
  auto bytes = [](const std::vector<float> &values) { return reinterpret_cast<const char *>(values.data()); };
  return compareOutput(argument, bytes(have), bytes(want), bytes(other));
}
static std::string compare(const std::vector<float> &have, const std::vector<float> &want) {
  return compare(testkernels::argument("out", ArgRole::Out, {int64_t(want.size())}), have, want, want);
}

TEST(Problem, SurvivesItsCodec) {
  Problem problem;
  problem.kernel = "add";
  problem.seed = 7;
  problem.referencePath = "/somewhere";
  problem.args = testkernels::rowKernel("add").args;
  auto back = Problem::fromJson(problem.toJson());
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->toJson(), problem.toJson());
}

TEST(Problem, RefusesOtherJson) {
  for (const char *text : {"[]", "{}", R"({"args": [1]})", R"({"args": [{"name": "x", "role": "in", "dtype": "f99"}]})",
                           R"({"args": [{"name": "x", "role": "guest", "dtype": "f32"}]})",
                           R"({"args": [{"name": "x", "role": "in", "dtype": "f32", "shape": [2], "strides": []}]})"}) {
    auto problem = Problem::fromJson(llvm::cantFail(llvm::json::parse(text)));
    EXPECT_FALSE(bool(problem)) << text;
    llvm::consumeError(problem.takeError());
  }
}

TEST(Inputs, DependOnSeedAndPlaceAlone) {
  artifact::Argument argument = testkernels::argument("x", ArgRole::In, {1000});
  EXPECT_EQ(generateInput(argument, 1, 0), generateInput(argument, 1, 0));
  EXPECT_NE(generateInput(argument, 1, 0), generateInput(argument, 2, 0));
  EXPECT_NE(generateInput(argument, 1, 0), generateInput(argument, 1, 1));
}

TEST(Inputs, AreNearNormal) {
  std::vector<char> bytes = generateInput(testkernels::argument("x", ArgRole::In, {100000}), 3, 0);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < bytes.size(); i += 4) {
    float value;
    std::memcpy(&value, &bytes[i], 4);
    sum += value;
    squares += double(value) * value;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

TEST(Inputs, CoverTheSpanOfAStridedArgument) {
  artifact::Argument argument{"x", ArgRole::In, "bf16", {3, 2}, {10, 1}};
  EXPECT_EQ(spanBytes(argument), (2 * 10 + 1 + 1) * 2);
  argument.shape = {0, 2};
  EXPECT_EQ(spanBytes(argument), 0);
}

TEST(Comparison, AllowsRoundingInSizeOfTheOutput) {
  EXPECT_EQ(compare({100, 0.001f}, {100, 0}), "");
  EXPECT_EQ(compare({1, 2, 4}, {1, 2, 3}),
            "'out' is wrong in 1 of 3 elements, first at element 2: 4 instead of 3; largest error 1");
}

TEST(Comparison, TakesNaNAndInfinityLiterally) {
  float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare({nan, infinity, 1}, {nan, infinity, 1}), "");
  EXPECT_NE(compare({nan, 1}, {1, 1}), "");
  EXPECT_NE(compare({1, 1}, {nan, 1}), "");
  EXPECT_NE(compare({-infinity, 1}, {infinity, 1}), "");
  EXPECT_NE(compare({1, 1}, {infinity, 1}), "");
}

TEST(Comparison, LeavesOutWhatTheReferenceNeverWrites) {
  artifact::Argument argument = testkernels::argument("out", ArgRole::Out, {2});
  EXPECT_EQ(compare(argument, {1, 55}, {1, 10}, {1, 20}), "");
}

TEST(Comparison, IntegersAreExact) {
  artifact::Argument argument = testkernels::argument("out", ArgRole::Out, {1}, "i64");
  int64_t want = int64_t(1) << 60, have = want + 1;
  auto bytes = [](const int64_t &value) { return reinterpret_cast<const char *>(&value); };
  EXPECT_EQ(compareOutput(argument, bytes(want), bytes(want), bytes(want)), "");
  EXPECT_NE(compareOutput(argument, bytes(have), bytes(want), bytes(want)), "");
}

TEST(Comparison, SeesPoison) {
  Problem problem;
  problem.args = testkernels::rowKernel("add", 1).args;
  std::vector<char> outputs(32, char(0xAA));
  EXPECT_TRUE(holdsPoison(problem, outputs, 0xAA));
  for (size_t i = 0; i < 32; i += 4)
    outputs[i] = 0;
  EXPECT_FALSE(holdsPoison(problem, outputs, 0xAA));
}
