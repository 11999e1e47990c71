//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of tables, records, logs and the progress line.
//===----------------------------------------------------------------------===//
#include "Fakes.h"

#include "helionc/Autotune/Report/ProgressLine.h"
#include "helionc/Autotune/Report/ResultTable.h"
#include "helionc/Autotune/Report/TerminalText.h"
#include "helionc/Autotune/Report/TuneLog.h"
#include "helionc/Autotune/Search/RandomSearch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace helionc;
using namespace helionc::autotune;
using namespace helionc::autotune::test;
using llvm::StringRef;

namespace {

TEST(TerminalText, EscapesWhatAModelMayWrite) {
  EXPECT_EQ(terminalText("plain text"), "plain text");
  EXPECT_EQ(terminalText("red \x1b[31m\nnext"), "red \\u{1b}[31m next");
  EXPECT_EQ(terminalText("turn \u202e around"), "turn \\u{202e} around");
  EXPECT_EQ(terminalText("gr\u00fc\u00df dich"), "gr\u00fc\u00df dich");
  EXPECT_EQ(terminalText("abcdef", 3), "abc…");
  EXPECT_TRUE(llvm::json::isUTF8(terminalText("bad \xff\xfe bytes \xe2\x82")));
}

TuningResult tuned(TunerFixture &run) {
  run.options.maxCandidates = 40;
  RandomSearch random(run.landscape.space, 4);
  return run.run(random);
}

TEST(ResultTable, SaysWhatWasWon) {
  TunerFixture run(cpuRows(4096, 4096));
  TuningResult result = tuned(run);
  std::string table = resultTable(result, run.landscape.space, "row_sum");
  for (StringRef part : {"row_sum: random search, 40 candidates in ", "stopped: candidate budget", "\n  default    ",
                         "\n  best       ", "paired rounds", "\n  candidates 40 ok", "pin it:    helion.Config("})
    EXPECT_TRUE(StringRef(table).contains(part)) << part.str() << "\n" << table;
  EXPECT_FALSE(StringRef(table).contains("LLM"));
  const llvm::json::Value record = resultRecord(result, run.landscape.space, "row_sum");
  EXPECT_EQ(record.getAsObject()->getArray("candidates")->size(), 40u);
  EXPECT_TRUE(record.getAsObject()->getObject("speed_up"));
  EXPECT_FALSE(record.getAsObject()->get("model"));
}

TEST(ResultTable, ShowsAHistogramWhenNothingIsValid) {
  Landscape land = cpuRows(64, 64);
  land.status = [](const tuning::Config &c) {
    return c.getInt("num_threads", 0) > 2 ? Status::WrongResult : Status::CompileError;
  };
  TunerFixture run(std::move(land));
  TuningResult result = tuned(run);
  std::string table = resultTable(result, run.landscape.space, "k");
  EXPECT_TRUE(StringRef(table).contains("no valid candidate:\n"));
  EXPECT_TRUE(StringRef(table).contains("x wrong_result: the fake benchmarker says so\n"));
  EXPECT_TRUE(StringRef(table).contains("x compile_error: the fake compiler declines\n"));
}

TEST(ResultTable, SaysLLMOnlyWhenAModelAnswered) {
  TuningResult result;
  result.strategy = "llm";
  result.usage.model = "gpt-x";
  EXPECT_FALSE(StringRef(proposerName(result)).contains("LLM"));
  result.usage.hasAnswered = true;
  EXPECT_EQ(proposerName(result), "LLM gpt-x");
  result.usage = {};
  result.strategy = "embedded expert";
  EXPECT_EQ(proposerName(result), "embedded expert");
}

TEST(ProgressLine, WritesOverOnATerminalAndSparselyElsewhere) {
  std::string live, plain;
  llvm::raw_string_ostream liveStream(live), plainStream(plain);
  ProgressLine liveLine(liveStream, true, "k"), plainLine(plainStream, false, "k");
  Progress progress;
  progress.phase = "random";
  for (int i = 1; i <= 20; ++i) {
    progress.seconds = i;
    progress.candidates = size_t(i);
    progress.bestMicros = 10;
    progress.defaultMicros = 20;
    liveLine.update(progress);
    plainLine.update(progress);
  }
  liveLine.finish();
  plainLine.finish();
  EXPECT_EQ(StringRef(live).count('\r'), 21u);
  EXPECT_EQ(StringRef(plain).count('\n'), 4u);
  EXPECT_TRUE(StringRef(plain).starts_with("k: 1 candidates, best 10.00 us (2.00x), 1 s [random]\n"));
}

TEST(TuneLog, WritesCsvAndJsonLines) {
  Measurement measurement;
  measurement.medianMicros = 5;
  Observation observation{{{"num_warps", int64_t(4)}}, measurement, "llm", "=1+\"2\"\nnext", false};
  for (StringRef suffix : {"csv", "jsonl"}) {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tune", suffix, path));
    auto log = llvm::cantFail(TuneLog::create(path));
    log->append("k", 1.5, observation);
    llvm::cantFail(log->close());
    std::string text = (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
    if (suffix == "csv") {
      EXPECT_EQ(StringRef(text).count('\n'), 2u);
      EXPECT_TRUE(StringRef(text).contains(",\"{\"\"num_warps\"\": 4}\",\"\",\"'=1+\"\"2\"\" next\"\n")) << text;
    } else {
      EXPECT_TRUE(bool(llvm::json::parse(text)));
    }
    llvm::sys::fs::remove(path);
  }
  EXPECT_TRUE(
      StringRef(llvm::toString(TuneLog::create("/nonexistent/x.csv").takeError())).starts_with("cannot write the log"));
}

} // namespace
