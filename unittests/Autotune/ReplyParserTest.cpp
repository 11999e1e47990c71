//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of reading a model's reply.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include "helionc/Autotune/LLM/ReplyParser.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace helionc;
using namespace helionc::autotune;
using llvm::StringRef;

namespace {

const tuning::ConfigSpace &space() {
  static const tuning::ConfigSpace instance = test::gpuMatmul(4096, 4096, 4096).space;
  return instance;
}

ParsedReply parse(StringRef text) { return parseReply(text, space(), "llm"); }

/// The warps of the proposals, joined.
std::string warps(const ParsedReply &reply) {
  std::string text;
  for (const Proposal &proposal : reply.proposals)
    text += (text.empty() ? "" : " ") + std::to_string(proposal.config.getInt("num_warps", -1));
  return text;
}

TEST(ReplyParser, CleanJson) {
  ParsedReply reply = parse(R"({"configs": [
    {"block_sizes": [64, 128, 32], "num_warps": 4, "rationale": "balanced"},
    {"num_warps": 8}]})");
  EXPECT_EQ(warps(reply), "4 8");
  EXPECT_EQ(reply.proposals[0].rationale, "balanced");
  EXPECT_EQ(reply.proposals[0].origin, "llm");
  EXPECT_EQ(reply.proposals[0].config.getInt("block_sizes.1", 0), 128);
  EXPECT_FALSE(reply.wasSalvaged);
  EXPECT_TRUE(reply.refusals.empty());
}

TEST(ReplyParser, Salvages) {
  EXPECT_EQ(warps(parse("Sure! Here you go:\n```json\n{\"configs\": [{\"num_warps\": 4}]}\n```\nGood luck {here}.")),
            "4");
  EXPECT_EQ(warps(parse("{'configs': [{'num_warps': 4, 'rationale': 'it\\'s fine',}, {'num_warps': 8}],}")), "4 8");
  EXPECT_EQ(warps(parse("{\"configs\": [ // first\n {\"num_warps\": 4}, # second\n /* x */ {\"num_warps\": 2}]}")),
            "4 2");
  EXPECT_EQ(warps(parse("[{\"num_warps\": 4}, {\"num_warps\": 8}] is my answer")), "4 8");
  EXPECT_EQ(warps(parse("I propose {\"num_warps\": 4} and also {\"num_warps\": 8, \"l2_groupings\": None}.")), "4 8");
  EXPECT_EQ(warps(parse("helion.Config(block_sizes=[64, 64, 32], num_warps=4)\nhelion.Config(num_warps=8)")), "4 8");
  EXPECT_EQ(warps(parse("{configs: [{config: {num_warps: 4}, why: \"x\"}]}")), "4");
  EXPECT_EQ(warps(parse("<think>{\"configs\": [{\"num_warps\": 1}]}</think>{\"configs\": [{\"num_warps\": 8}]}")), "8");
}

TEST(ReplyParser, NeverRepairsTheElementThatWasCut) {
  ParsedReply reply = parse("{\"configs\": [{\"num_warps\": 4}, {\"num_warps\": 8, \"block_sizes\": [64, 64");
  EXPECT_EQ(warps(reply), "4");
  EXPECT_TRUE(reply.wasCut);
  EXPECT_EQ(reply.refusals.size(), 1u);
  EXPECT_EQ(warps(parse("{\"configs\": [{\"num_warps\": 4}, {\"num_warps\": 1")), "4");
  EXPECT_EQ(warps(parse("{\"configs\": [{\"num_warps\": 4}, {\"num_warps\": 8}")), "4 8");
  EXPECT_EQ(warps(parse("{\"num_warps\": 1")), "");
  EXPECT_EQ(warps(parse("{\"configs\": [{\"num_warps\": 4, \"rationale\": \"cut in the mid")), "");
}

TEST(ReplyParser, RefusesConfigurationByConfiguration) {
  ParsedReply reply = parse(R"({"configs": [{"num_warp": 4}, {"num_warps": 3}, "fast please", {"num_warps": 8},
    {"block_sizes": [256, 256, 128], "num_warps": 32}, {"block_sizes": [64, 64]}]})");
  EXPECT_EQ(warps(reply), "8");
  ASSERT_EQ(reply.refusals.size(), 5u);
  EXPECT_EQ(reply.refusals[0], "{\"num_warp\":4}: unknown key 'num_warp'; did you mean 'num_warps'?");
  EXPECT_EQ(reply.refusals[1], "{\"num_warps\":3}: 'num_warps' = 3 is not allowed; allowed: 1 2 4 8 16 32");
  EXPECT_EQ(reply.refusals[2], "\"fast please\": a configuration is an object");
  EXPECT_TRUE(StringRef(reply.refusals[3]).contains("shared memory (requires"));
  EXPECT_TRUE(StringRef(reply.refusals[4]).contains("is a list of 3 here, 2 given"));
}

TEST(ReplyParser, ReadsConfigKeysOnly) {
  ParsedReply reply = parse(R"({"configs": [{"num_warps": 4}], "command": "rm -rf /", "source": "…"})");
  EXPECT_EQ(warps(reply), "4");
  EXPECT_TRUE(parse(R"({"configs": [{"num_warps": 4, "exec": "sh"}]})").proposals.empty());
}

TEST(ReplyParser, SurvivesAnything) {
  for (std::string text : {std::string(), std::string("no"), std::string("\xff\xfe{\x80"), std::string(100000, '{'),
                           std::string(100000, '['), std::string("{\"configs\": 3}"), std::string("{\"configs\": ["),
                           std::string("nul\0byte", 8), std::string("{\"configs\": [[[[]]]]}")}) {
    ParsedReply reply = parse(text);
    EXPECT_TRUE(reply.proposals.empty());
    EXPECT_FALSE(reply.refusals.empty());
  }
  ParsedReply reply = parse("{\"configs\": [{\"num_warps\": 4, \"rationale\": \"bad \xff bytes\"}]}");
  EXPECT_EQ(warps(reply), "4");
  EXPECT_TRUE(llvm::json::isUTF8(reply.proposals[0].rationale));
}

TEST(ReplyParser, CapsAndDeduplicates) {
  std::string text = "{\"configs\": [";
  for (int repeat = 0; repeat < 2; ++repeat)
    for (int m = 16; m <= 128; m *= 2)
      for (int n = 16; n <= 64; n *= 2)
        for (int k = 16; k <= 128; k *= 2)
          for (int w : {4, 8})
            text += llvm::formatv("{{\"block_sizes\": [{0}, {1}, {2}], \"num_warps\": {3}},", m, n, k, w).str();
  text.back() = ']';
  ParsedReply reply = parse(text + "}");
  EXPECT_EQ(reply.proposals.size(), maxConfigsPerReply);
  EXPECT_EQ(parse("{\"configs\": [{\"num_warps\": 4}, {\"num_warps\": 4.0}]}").proposals.size(), 1u);
  std::string huge = "{\"configs\": [{\"num_warps\": 4}], \"x\": \"" + std::string(2 << 20, 'a') + "\"}";
  EXPECT_EQ(warps(parse(huge)), "4");
}

} // namespace
