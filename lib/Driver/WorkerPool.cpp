//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The autotuner's worker processes.
//===----------------------------------------------------------------------===//
#include "helionc/Driver/WorkerPool.h"

#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <thread>

using namespace helionc;
using namespace helionc::driver;
using autotune::CompiledCandidate;
using autotune::Measurement;
using autotune::Status;
using runtime::WorkerReply;
namespace json = llvm::json;

static std::string text(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

static Status statusOf(const WorkerReply &reply) {
  return reply.outcome == WorkerReply::Outcome::TimedOut ? Status::Timeout : Status::Crash;
}

//===----------------------------------------------------------------------===//
// WorkerCompiler
//===----------------------------------------------------------------------===//

WorkerCompiler::WorkerCompiler(const CandidateJob &job) : job(job) {
  for (unsigned i = 0; i < std::max(1u, job.jobs); ++i)
    workers.push_back(std::make_unique<runtime::WorkerProcess>(std::vector<std::string>{job.executable, "worker"}));
}

WorkerCompiler::~WorkerCompiler() = default;

CompiledCandidate WorkerCompiler::compileOne(runtime::WorkerProcess &worker, const tuning::Config &config,
                                             size_t number) {
  CompiledCandidate candidate;
  candidate.config = config;
  candidate.artifactPath = llvm::formatv("{0}/c{1}.so", job.folder, number).str();
  WorkerReply reply = worker.request(json::Object{{"op", "compile"},
                                                  {"module", job.modulePath},
                                                  {"config", tuning::toHelionJson(config, *job.space)},
                                                  {"target", job.target},
                                                  {"opt_level", job.optLevel},
                                                  {"assemble_timeout", job.compileTimeout},
                                                  {"out", candidate.artifactPath}},
                                     job.compileTimeout);
  if (reply.outcome != WorkerReply::Outcome::Answered) {
    candidate.status = statusOf(reply);
    candidate.error = "compiling: " + reply.reason;
    return candidate;
  }
  if (text(reply.body, "status") != "ok") {
    candidate.status = Status::CompileError;
    candidate.error = text(reply.body, "error");
    return candidate;
  }
  candidate.digest = text(reply.body, "digest");
  candidate.compileMillis = reply.body.getNumber("compile_millis").value_or(0);
  candidate.registers = reply.body.getInteger("registers").value_or(0);
  candidate.spillBytes = reply.body.getInteger("spill_bytes").value_or(0);
  candidate.smemBytes = reply.body.getInteger("smem_bytes").value_or(0);
  candidate.scratchBytes = reply.body.getInteger("scratch_bytes").value_or(0);
  return candidate;
}

void WorkerCompiler::compile(llvm::ArrayRef<tuning::Config> configs, Callback done) {
  size_t first = compiledCount, next = 0;
  compiledCount += configs.size();
  std::mutex mutex;
  std::vector<std::pair<size_t, CompiledCandidate>> finished;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(workers.size(), configs.size()); ++i)
    threads.emplace_back([&, i] {
      while (true) {
        size_t place;
        {
          std::lock_guard<std::mutex> guard(mutex);
          if (next == configs.size())
            return;
          place = next++;
        }
        CompiledCandidate candidate = compileOne(*workers[i], configs[place], first + place);
        std::lock_guard<std::mutex> guard(mutex);
        finished.emplace_back(place, std::move(candidate));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  llvm::sort(finished, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &[place, candidate] : finished)
    done(place, candidate);
}

//===----------------------------------------------------------------------===//
// WorkerBenchmarker
//===----------------------------------------------------------------------===//

WorkerBenchmarker::WorkerBenchmarker(const CandidateJob &job)
    : job(job), worker(std::make_unique<runtime::WorkerProcess>(std::vector<std::string>{job.executable, "worker"})) {}

WorkerBenchmarker::~WorkerBenchmarker() = default;

Measurement WorkerBenchmarker::measure(const CompiledCandidate &candidate, const autotune::MeasureRequest &request) {
  WorkerReply reply = worker->request(json::Object{{"op", "measure"},
                                                   {"artifact", candidate.artifactPath},
                                                   {"problem", job.problemPath},
                                                   {"device", job.device},
                                                   {"check", request.checkResult},
                                                   {"min_rounds", int64_t(request.minRounds)},
                                                   {"target_seconds", request.targetSeconds},
                                                   {"early_exit_micros", request.earlyExitMicros}},
                                      job.runTimeout);
  Measurement result;
  if (reply.outcome != WorkerReply::Outcome::Answered)
    return Measurement::failure(statusOf(reply), "running: " + reply.reason);
  std::string status = text(reply.body, "status");
  if (status != "ok")
    return Measurement::failure(status == "wrong_result" ? Status::WrongResult : Status::LaunchError,
                                text(reply.body, "error"));
  result.medianMicros = reply.body.getNumber("median_micros").value_or(0);
  result.minMicros = reply.body.getNumber("min_micros").value_or(0);
  result.spread = reply.body.getNumber("spread").value_or(0);
  result.isRough = reply.body.getBoolean("rough").value_or(false);
  if (result.medianMicros <= 0)
    return Measurement::failure(Status::LaunchError, "the measured time is not positive");
  return result;
}

llvm::Expected<std::vector<std::vector<double>>>
WorkerBenchmarker::compare(llvm::ArrayRef<CompiledCandidate> candidates, unsigned rounds) {
  json::Array paths;
  for (const CompiledCandidate &candidate : candidates)
    paths.push_back(candidate.artifactPath);
  WorkerReply reply = worker->request(json::Object{{"op", "pair"},
                                                   {"artifacts", std::move(paths)},
                                                   {"problem", job.problemPath},
                                                   {"device", job.device},
                                                   {"rounds", int64_t(rounds)}},
                                      job.runTimeout * double(candidates.size() + 1));
  if (reply.outcome != WorkerReply::Outcome::Answered)
    return llvm::createStringError("comparing: " + reply.reason);
  const json::Array *rows = reply.body.getArray("micros");
  if (text(reply.body, "status") != "ok" || !rows || rows->size() != candidates.size())
    return llvm::createStringError("comparing: " + text(reply.body, "error"));
  std::vector<std::vector<double>> result;
  for (const json::Value &row : *rows) {
    result.emplace_back();
    if (const json::Array *values = row.getAsArray())
      for (const json::Value &value : *values)
        result.back().push_back(value.getAsNumber().value_or(0));
  }
  return result;
}

llvm::Error WorkerBenchmarker::makeReference(llvm::StringRef library, llvm::StringRef out) {
  WorkerReply reply = worker->request(
      json::Object{{"op", "reference"}, {"artifact", library}, {"problem", job.problemPath}, {"out", out}}, 600);
  if (reply.outcome != WorkerReply::Outcome::Answered)
    return llvm::createStringError("the reference cannot be computed: " + reply.reason);
  if (text(reply.body, "status") != "ok")
    return llvm::createStringError("the reference cannot be computed: " + text(reply.body, "error"));
  return llvm::Error::success();
}
