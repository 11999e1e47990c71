//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of parameters, configurations, their space and their text forms.
//===----------------------------------------------------------------------===//
#include "helionc/Tuning/ConfigSpace.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "gtest/gtest.h"

#include <set>

using namespace helionc::tuning;
using llvm::StringRef;

namespace {

Parameter pow2(std::string name, int64_t min, int64_t max, int64_t defaultValue) {
  return {std::move(name), ParameterKind::Pow2, min, max, {}, defaultValue, "block", "a tile's extent"};
}

ConfigSpace matmulSpace() {
  ConfigSpace space;
  space.parameters = {
      pow2("block_sizes.0", 16, 256, 64),
      pow2("block_sizes.1", 16, 256, 64),
      {"num_warps",
       ParameterKind::Enum,
       0,
       0,
       {int64_t(1), int64_t(2), int64_t(4), int64_t(8)},
       int64_t(4),
       "warps",
       ""},
      {"mma", ParameterKind::Enum, 0, 0, {std::string("simt"), std::string("wgmma")}, std::string("simt"), "", ""},
      {"loop_orders.0", ParameterKind::Permutation, 0, 3, {}, std::vector<int64_t>{0, 1, 2}, "", ""},
      {"flag", ParameterKind::Bool, 0, 0, {}, false, "", ""},
      {"stages", ParameterKind::Int, 1, 5, {}, int64_t(2), "", ""}};
  space.constraints = {{llvm::cantFail(Expr::parse("block_sizes.0 * block_sizes.1 <= 8192")), "the tile is too large"},
                       {llvm::cantFail(Expr::parse("mma == \"simt\" or num_warps >= 4")), "wgmma needs a warpgroup"}};
  return space;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string parseError(StringRef text, const ConfigSpace &space) {
  llvm::Expected<Config> config = parseConfig(text, space);
  return config ? "ok" : llvm::toString(config.takeError());
}

TEST(Parameter, ValuesAreNumbered) {
  for (const Parameter &parameter : matmulSpace().parameters) {
    std::set<Value> seen;
    for (uint64_t i = 0; i < parameter.count(); ++i) {
      EXPECT_EQ(parameter.indexOf(parameter.valueAt(i)), i) << parameter.name;
      seen.insert(parameter.valueAt(i));
    }
    EXPECT_EQ(seen.size(), parameter.count());
    EXPECT_TRUE(parameter.contains(parameter.defaultValue));
  }
  Parameter wide{"n", ParameterKind::Int, INT64_MIN, INT64_MAX, {}, int64_t(0), "", ""};
  EXPECT_EQ(wide.count(), uint64_t(INT64_MAX));
  EXPECT_EQ(wide.values(3).size(), 3u);
}

TEST(Parameter, Domain) {
  EXPECT_EQ(pow2("b", 16, 128, 16).domainText(), "16 32 64 128");
  Parameter range{"n", ParameterKind::Int, 1, 1000, {}, int64_t(1), "", ""};
  EXPECT_EQ(range.domainText(), "1 to 1000");
  EXPECT_FALSE(pow2("b", 16, 128, 16).contains(int64_t(48)));
  EXPECT_FALSE(pow2("b", 16, 128, 16).contains(true));
  EXPECT_FALSE(pow2("b", 16, 128, 16).contains(int64_t(-16)));
}

TEST(ConfigSpace, ChecksEverything) {
  ConfigSpace space = matmulSpace();
  EXPECT_TRUE(space.isValid({}));
  EXPECT_TRUE(space.isValid(space.defaultConfig()));
  EXPECT_EQ(joined(space.check({{"num_warp", int64_t(4)}})), "unknown key 'num_warp'; did you mean 'num_warps'?");
  EXPECT_EQ(joined(space.check({{"zzzzzzzz", int64_t(4)}})), "unknown key 'zzzzzzzz'");
  EXPECT_EQ(joined(space.check({{"num_warps", int64_t(3)}})), "'num_warps' = 3 is not allowed; allowed: 1 2 4 8");
  EXPECT_EQ(joined(space.check({{"stages", std::string("two")}})),
            "'stages' = \"two\" is a string, not an integer; allowed: 1 2 3 4 5");
  EXPECT_EQ(joined(space.check({{"block_sizes.0", int64_t(256)}})),
            "the tile is too large (requires block_sizes.0 * block_sizes.1 <= 8192; here block_sizes.0 = 256, "
            "block_sizes.1 = 64: 16384 <= 8192)");
  EXPECT_EQ(space
                .check({{"block_sizes.0", int64_t(256)},
                        {"mma", std::string("wgmma")},
                        {"num_warps", int64_t(1)},
                        {"flag", int64_t(1)}})
                .size(),
            3u);
}

TEST(ConfigSpace, SizeAndEnumeration) {
  ConfigSpace space = matmulSpace();
  EXPECT_EQ(space.size(), 5u * 5 * 4 * 2 * 6 * 2 * 5);
  std::vector<Config> all = space.enumerate(1 << 20);
  std::set<Config> distinct(all.begin(), all.end());
  EXPECT_EQ(distinct.size(), all.size());
  // 22 of 25 tiles fit; 6 of 8 pairs of MMA and warps are valid.
  size_t tiles = 0;
  for (int64_t a = 16; a <= 256; a *= 2)
    for (int64_t b = 16; b <= 256; b *= 2)
      tiles += a * b <= 8192;
  EXPECT_EQ(all.size(), tiles * 6 * 6 * 2 * 5);
  for (const Config &config : all)
    ASSERT_TRUE(space.isValid(config));
  EXPECT_EQ(space.enumerate(7).size(), 7u);
  EXPECT_EQ(ConfigSpace().enumerate(7).size(), 1u);
}

TEST(ConfigSpace, SizeSaturates) {
  ConfigSpace space;
  for (int i = 0; i < 40; ++i)
    space.parameters.push_back(pow2("b." + std::to_string(i), 1, int64_t(1) << 60, 1));
  EXPECT_EQ(space.size(), uint64_t(INT64_MAX));
}

TEST(ConfigSpace, SamplesAreValidAndReproducible) {
  ConfigSpace space = matmulSpace();
  std::mt19937_64 first(7), second(7);
  std::set<Config> distinct;
  for (int i = 0; i < 200; ++i) {
    std::optional<Config> config = space.sample(first);
    ASSERT_TRUE(config);
    EXPECT_TRUE(space.isValid(*config));
    EXPECT_EQ(config, space.sample(second));
    distinct.insert(*config);
  }
  EXPECT_GT(distinct.size(), 150u);
}

TEST(ConfigSpace, SampleRepairsATightSpace) {
  ConfigSpace space;
  for (int i = 0; i < 6; ++i)
    space.parameters.push_back(pow2("b." + std::to_string(i), 1, 1024, 1));
  space.constraints = {{llvm::cantFail(Expr::parse("b.0 * b.1 * b.2 * b.3 * b.4 * b.5 == 1024")), "exactly 1024"}};
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(space.sample(random));
  space.constraints.push_back({llvm::cantFail(Expr::parse("b.0 < 0")), "never"});
  EXPECT_FALSE(space.sample(random));
}

TEST(ConfigSpace, Neighbours) {
  ConfigSpace space = matmulSpace();
  std::vector<Config> near = space.neighbours(space.defaultConfig());
  for (const Config &config : near) {
    EXPECT_TRUE(space.isValid(config));
    EXPECT_EQ(space.diffFromDefault(config).values().size(), 1u);
  }
  // Blocks 2 + 2, warps 2, mma 1, order 2, flag 1, stages 2.
  EXPECT_EQ(near.size(), 12u);
}

TEST(Config, CompleteDiffDigest) {
  ConfigSpace space = matmulSpace();
  Config sparse{{"num_warps", int64_t(8)}};
  EXPECT_EQ(space.diffFromDefault(space.complete(sparse)), sparse);
  EXPECT_EQ(space.complete(sparse).digest(), space.complete({{"num_warps", int64_t(8)}, {"flag", false}}).digest());
  EXPECT_NE(sparse.digest(), Config().digest());
  EXPECT_EQ((Config{{"b", int64_t(2)}, {"a", true}}.toText()), "{\"a\": true, \"b\": 2}");
  EXPECT_EQ((Config{{"num_warps", int64_t(4)}}.digest()), 11600134370755856228u)
      << "stored digests would no longer match";
}

TEST(ConfigCodec, HelionForm) {
  ConfigSpace space = matmulSpace();
  llvm::Expected<Config> config =
      parseConfig(R"({"block_sizes": [128, 32.0], "num_warps": 8, "loop_orders": [[2, 0, 1]], "flag": true})", space);
  ASSERT_TRUE(bool(config)) << llvm::toString(config.takeError());
  EXPECT_EQ(config->getInt("block_sizes.0", 0), 128);
  EXPECT_EQ(config->getInt("block_sizes.1", 0), 32);
  EXPECT_EQ(toHelionJson(*config, space), "{\"block_sizes\": [128, 32], \"num_warps\": 8, \"mma\": \"simt\", "
                                          "\"loop_orders\": [[2, 0, 1]], \"flag\": true, \"stages\": 2}");
  EXPECT_EQ(toHelionLine(*config, space), "helion.Config(block_sizes=[128, 32], num_warps=8, mma=\"simt\", "
                                          "loop_orders=[[2, 0, 1]], flag=True, stages=2)");
  EXPECT_EQ(llvm::cantFail(parseConfig(toHelionJson(*config, space), space)), space.complete(*config));
  EXPECT_EQ(llvm::cantFail(parseFlatConfig(config->toText())), *config);
  EXPECT_EQ(llvm::cantFail(parseConfig("{\"block_sizes\": [null, 32], \"block_sizes.0\": 16}", space)).toText(),
            "{\"block_sizes.0\": 16, \"block_sizes.1\": 32}");
}

TEST(ConfigCodec, Refuses) {
  ConfigSpace space = matmulSpace();
  EXPECT_EQ(parseError("{\"block_sizes\": [128]}", space), "'block_sizes' is a list of 2 here, 1 given");
  EXPECT_EQ(parseError("{\"block_sizes\": 128}", space), "'block_sizes' is a list of 2 here, found something else");
  EXPECT_EQ(parseError("{\"block_size\": [1, 2]}", space), "unknown key 'block_size'; did you mean 'block_sizes'?");
  EXPECT_EQ(parseError("{\"stages\": 2.5}", space), "'stages' is no integer, truth value, string or list of integers");
  EXPECT_EQ(parseError("[1]", space), "a configuration is a JSON object such as {\"num_warps\": 4}");
  EXPECT_EQ(parseError("{\"num_warps\": 3, \"stages\": 9}", space),
            "'num_warps' = 3 is not allowed; allowed: 1 2 4 8\n'stages' = 9 is not allowed; allowed: 1 2 3 4 5");
  EXPECT_EQ(parseError(std::string(33, '[') + std::string(33, ']'), space),
            "JSON text nested deeper than 32 is refused");
  EXPECT_EQ(parseError(std::string(maxJsonBytes + 1, ' '), space),
            "JSON text of 1048577 bytes is refused; at most 1048576 are read");
  EXPECT_TRUE(StringRef(parseError("{\"mma\": \"\xff\xfe\"}", space)).contains("is not allowed"));
}

TEST(ConfigSpace, TextAndJson) {
  std::string text = matmulSpace().toText();
  EXPECT_TRUE(StringRef(text).contains("block_sizes.0  16 32 64 128 256"));
  EXPECT_TRUE(StringRef(text).contains("require block_sizes.0 * block_sizes.1 <= 8192  (else: the tile is too large)"));
  EXPECT_TRUE(StringRef(text).contains("12000 configurations before constraints"));
  const llvm::json::Value value = matmulSpace().toJson();
  EXPECT_EQ(value.getAsObject()->getArray("parameters")->size(), 7u);
  EXPECT_EQ(value.getAsObject()->getArray("constraints")->size(), 2u);
}

} // namespace
