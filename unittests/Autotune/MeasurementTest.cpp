//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of measurements, the paired test and the journal.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Core/PairedTest.h"
#include "helionc/Autotune/History/Journal.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace helionc;
using namespace helionc::autotune;

namespace {

TEST(Measurement, JsonRoundTrip) {
  Measurement measurement;
  measurement.medianMicros = 12.5;
  measurement.minMicros = 12;
  measurement.registers = 64;
  measurement.digest = "ab";
  measurement.isRough = true;
  std::optional<Measurement> again = measurementFromJson(toJson(measurement));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->medianMicros, 12.5);
  EXPECT_EQ(again->registers, 64);
  EXPECT_EQ(again->digest, "ab");
  EXPECT_TRUE(again->isRough);
  again = measurementFromJson(toJson(Measurement::failure(Status::Crash, "signal \xff 11")));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, Status::Crash);
  EXPECT_FALSE(measurementFromJson(llvm::json::Object{{"status", "fine"}}));
  EXPECT_FALSE(measurementFromJson(llvm::json::Object{{"status", "ok"}}));
  EXPECT_FALSE(measurementFromJson(llvm::json::Object{{"status", "ok"}, {"median_us", -1}}));
  EXPECT_FALSE(measurementFromJson(3));
}

TEST(PairedTest, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(PairedTest, SeesThroughDrift) {
  // Both slow down by a factor of two over the rounds; the second is always 2 % faster.
  std::vector<double> base, other;
  for (int round = 0; round < 15; ++round) {
    base.push_back(100 * (1 + round / 15.0));
    other.push_back(98 * (1 + round / 15.0));
  }
  SpeedUp speedUp = comparePaired(base, other);
  EXPECT_NEAR(speedUp.ratio, 100 / 98.0, 1e-9);
  EXPECT_TRUE(speedUp.isFaster());
  EXPECT_NEAR(speedUp.confidence, 1 - 2 * 0.017578, 1e-4);
  EXPECT_FALSE(comparePaired(other, base).isFaster());
}

TEST(PairedTest, NeedsEnoughRounds) {
  SpeedUp speedUp = comparePaired({2, 2, 2}, {1, 1, 1});
  EXPECT_LT(speedUp.confidence, 0.95);
  EXPECT_EQ(comparePaired({}, {}).rounds, 0u);
  EXPECT_EQ(comparePaired({0, 1, NAN}, {1, 1, 1}).rounds, 1u);
}

TEST(PairedTest, IsNotFooledByNoise) {
  SpeedUp speedUp = comparePaired({1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.0, 1.1, 0.9, 1.05},
                                  {1.1, 1.0, 1.0, 0.9, 1.0, 1.0, 1.02, 1.0, 0.95, 1.0});
  EXPECT_FALSE(speedUp.isFaster());
}

class JournalTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("journal", "jsonl", path)); }
  void TearDown() override { llvm::sys::fs::remove(path); }
  std::unique_ptr<Journal> open(std::string kernel = "k1") {
    JournalKey key;
    key.kernelDigest = std::move(kernel);
    return std::make_unique<Journal>(path.str().str(), key, [&](const std::string &text) { warnings.push_back(text); });
  }
  static Observation observation(int64_t warps) {
    Measurement measurement;
    measurement.medianMicros = double(warps);
    return {{{"num_warps", warps}}, measurement, "random", "", false};
  }
  llvm::SmallString<128> path;
  std::vector<std::string> warnings;
};

TEST_F(JournalTest, Resumes) {
  open()->append(observation(4));
  open()->append(observation(8));
  std::unique_ptr<Journal> journal = open();
  EXPECT_EQ(journal->size(), 2u);
  ASSERT_TRUE(journal->find({{"num_warps", int64_t(8)}}));
  EXPECT_EQ(journal->find({{"num_warps", int64_t(8)}})->medianMicros, 8);
  EXPECT_FALSE(journal->find({{"num_warps", int64_t(2)}}));
  EXPECT_EQ(open("another kernel")->size(), 0u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(JournalTest, SurvivesATornLine) {
  open()->append(observation(4));
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::OF_Append);
    stream << "not json\n[1]\n{\"key\": {\"kern";
  }
  open()->append(observation(8));
  warnings.clear();
  std::unique_ptr<Journal> journal = open();
  EXPECT_EQ(journal->size(), 2u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(llvm::StringRef(warnings[0]).ends_with("has 3 lines that cannot be read; skipped"));
}

TEST_F(JournalTest, AnUnwritableFileIsAWarning) {
  JournalKey key;
  auto warn = [&](const std::string &text) { warnings.push_back(text); };
  Journal journal("/nonexistent/journal.jsonl", key, warn);
  EXPECT_EQ(warnings.size(), 1u);
  journal.append(observation(4));
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(journal.find({{"num_warps", int64_t(4)}}));
}

TEST_F(JournalTest, AFullDiskIsAWarning) {
  Journal journal("/dev/full", {}, [&](const std::string &text) { warnings.push_back(text); });
  journal.append(observation(4));
  journal.append(observation(8));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(llvm::StringRef(warnings[0]).contains("No space left on device"));
}

} // namespace
