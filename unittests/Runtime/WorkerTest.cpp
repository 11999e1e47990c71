//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Tests of workers: measuring, and candidates that are wrong, crash, hang or print.
//===----------------------------------------------------------------------===//

#include "TestImages.h"
#include "helionc/Artifact/SharedLibrary.h"
#include "helionc/Runtime/Problem.h"
#include "helionc/Runtime/WorkerProcess.h"
#include "helionc/Support/FileSystem.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace helionc;
using namespace helionc::runtime;
using artifact::ArgRole;
namespace json = llvm::json;

namespace {

/// A worker with a problem, x + y over 4 x 8, whose reference was made by the kernel `reference`.
class WorkerTest : public ::testing::Test {
protected:
  std::string library(const artifact::KernelImage &image, const std::string &name) {
    // A candidate is another kernel under the problem's name.
    std::string path = folder.path() + "/" + name + ".so";
    artifact::KernelImage renamed = image;
    renamed.kernel = "add";
    llvm::Error error = artifact::writeSharedLibrary({renamed}, path);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return path;
  }
  void prepare(const artifact::KernelImage &reference) {
    Problem problem;
    problem.kernel = "add";
    problem.args = reference.args;
    problem.referencePath = folder.path() + "/reference";
    ASSERT_FALSE(
        bool(support::writeFileAtomically(folder.path() + "/problem", llvm::formatv("{0}", problem.toJson()).str())));
    WorkerReply reply = worker.request(json::Object{{"op", "reference"},
                                                    {"artifact", library(reference, "reference")},
                                                    {"problem", folder.path() + "/problem"},
                                                    {"out", problem.referencePath}},
                                       20);
    ASSERT_EQ(reply.body.getString("status").value_or(""), "ok") << reply.reason;
  }
  WorkerReply measure(const std::string &path, double seconds = 20, const char *device = "cpu") {
    return worker.request(json::Object{{"op", "measure"},
                                       {"artifact", path},
                                       {"problem", folder.path() + "/problem"},
                                       {"device", device},
                                       {"target_seconds", 0.01}},
                          seconds);
  }
  WorkerReply measureKernel(const std::string &kernel, double seconds = 20) {
    return measure(library(testkernels::rowKernel(kernel), kernel), seconds);
  }
  static std::string status(const WorkerReply &reply) { return reply.body.getString("status").value_or("none").str(); }
  static std::string error(const WorkerReply &reply) { return reply.body.getString("error").value_or("none").str(); }

  support::TempDirectory folder;
  WorkerProcess worker{{HELIONC_TEST_WORKER}};
};

} // namespace

TEST_F(WorkerTest, MeasuresARightCandidate) {
  prepare(testkernels::rowKernel("add"));
  WorkerReply reply = measureKernel("add");
  ASSERT_EQ(status(reply), "ok") << error(reply);
  double median = reply.body.getNumber("median_micros").value_or(0),
         least = reply.body.getNumber("min_micros").value_or(0);
  EXPECT_GT(least, 0);
  EXPECT_GE(median, least);
}

TEST_F(WorkerTest, NamesTheFirstWrongElement) {
  prepare(testkernels::rowKernel("add"));
  WorkerReply reply = measureKernel("wrong");
  EXPECT_EQ(status(reply), "wrong_result");
  EXPECT_EQ(error(reply).find("'out' is wrong in 1 of 32 elements, first at element 19: "), 0u) << error(reply);
}

TEST_F(WorkerTest, ACellThatIsNotWrittenIsWrong) {
  prepare(testkernels::rowKernel("add"));
  EXPECT_EQ(status(measureKernel("partial")), "wrong_result");
}

TEST_F(WorkerTest, CellsThatTheReferenceNeverWritesDoNotCount) {
  prepare(testkernels::rowKernel("partial"));
  EXPECT_EQ(status(measureKernel("add")), "ok");
  EXPECT_EQ(status(measureKernel("wrong")), "wrong_result");
}

TEST_F(WorkerTest, SurvivesACrash) {
  setenv("ASAN_OPTIONS", "handle_segv=0:detect_container_overflow=0", 1); // where the worker is built with it
  prepare(testkernels::rowKernel("add"));
  WorkerReply reply = measureKernel("crash");
  EXPECT_EQ(reply.outcome, WorkerReply::Outcome::Crashed);
  EXPECT_EQ(reply.reason, "signal 11 (Segmentation fault)");
  EXPECT_EQ(status(measureKernel("add")), "ok");
}

TEST_F(WorkerTest, KillsACandidateThatHangs) {
  prepare(testkernels::rowKernel("add"));
  WorkerReply reply = measureKernel("hang", 0.5);
  EXPECT_EQ(reply.outcome, WorkerReply::Outcome::TimedOut);
  EXPECT_EQ(reply.reason, "no answer within 0.5 s");
  EXPECT_EQ(status(measureKernel("add")), "ok");
}

TEST_F(WorkerTest, WhatACandidatePrintsIsNotAnAnswer) {
  prepare(testkernels::rowKernel("add"));
  EXPECT_EQ(status(measureKernel("noisy")), "ok");
}

TEST_F(WorkerTest, RestoresWhatTheKernelMutates) {
  artifact::KernelImage image = testkernels::rowKernel("scale");
  image.args = {testkernels::argument("a", ArgRole::Scalar, {}), testkernels::argument("n", ArgRole::Scalar, {}, "i32"),
                testkernels::argument("x", ArgRole::InOut, {4, 8})};
  prepare(image);
  std::string path = library(image, "candidate");
  for (int i = 0; i < 2; ++i) {
    WorkerReply reply = measure(path);
    EXPECT_EQ(status(reply), "ok") << error(reply);
  }
}

TEST_F(WorkerTest, StopsEarlyForTheClearlySlow) {
  prepare(testkernels::rowKernel("add"));
  WorkerReply reply = worker.request(json::Object{{"op", "measure"},
                                                  {"artifact", library(testkernels::rowKernel("add"), "slow")},
                                                  {"problem", folder.path() + "/problem"},
                                                  {"early_exit_micros", 1e-6}},
                                     20);
  EXPECT_EQ(status(reply), "ok");
  EXPECT_TRUE(reply.body.getBoolean("rough").value_or(false));
}

TEST_F(WorkerTest, ComparesContendersByRounds) {
  prepare(testkernels::rowKernel("add"));
  std::string first = library(testkernels::rowKernel("add"), "first"),
              second = library(testkernels::rowKernel("noisy"), "second");
  WorkerReply reply = worker.request(json::Object{{"op", "pair"},
                                                  {"artifacts", json::Array{first, second}},
                                                  {"problem", folder.path() + "/problem"},
                                                  {"device", "cpu"},
                                                  {"rounds", 3}},
                                     20);
  ASSERT_EQ(status(reply), "ok") << error(reply);
  const json::Array *rows = reply.body.getArray("micros");
  ASSERT_TRUE(rows && rows->size() == 2);
  EXPECT_EQ((*rows)[1].getAsArray()->size(), 3u);
}

TEST_F(WorkerTest, SaysWhatCannotBeLoadedOrUsed) {
  prepare(testkernels::rowKernel("add"));
  WorkerReply reply = measure(folder.path() + "/none.so");
  EXPECT_EQ(status(reply), "launch_error");
  EXPECT_EQ(error(reply).find("cannot load the library: "), 0u) << error(reply);
  std::string path = library(testkernels::rowKernel("add"), "add");
  EXPECT_EQ(error(measure(path, 20, "tpu")), "there is no device 'tpu': it is cpu or cuda:N");
}

TEST_F(WorkerTest, OtherRequestsAreAnsweredToo) {
  EXPECT_EQ(status(worker.request(json::Object{{"op", "ping"}}, 20)), "ok");
  EXPECT_EQ(error(worker.request(json::Object{{"op", "dance"}}, 20)), "the worker got a request that it does not know");
}

TEST_F(WorkerTest, AnAbortIsACrashWithItsSignal) {
  WorkerReply reply = worker.request(json::Object{{"op", "abort"}}, 20);
  EXPECT_EQ(reply.outcome, WorkerReply::Outcome::Crashed);
  EXPECT_EQ(reply.reason, "signal 6 (Aborted)");
}

TEST_F(WorkerTest, AWorkerThatAsksForItIsReplaced) {
  EXPECT_EQ(status(worker.request(json::Object{{"op", "leave"}}, 20)), "ok");
  EXPECT_EQ(status(worker.request(json::Object{{"op", "ping"}}, 20)), "ok");
}

TEST(WorkerProcess, SaysThatItsProgramIsMissing) {
  WorkerProcess worker({"/nonexistent/worker"});
  WorkerReply reply = worker.request(json::Object{{"op", "ping"}}, 5);
  EXPECT_EQ(reply.outcome, WorkerReply::Outcome::Crashed);
  EXPECT_NE(reply.reason, "");
}
