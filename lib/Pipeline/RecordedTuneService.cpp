//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A tune service that answers from recorded measurements.
//===----------------------------------------------------------------------===//
#include "helionc/Pipeline/AutotunePass.h"

#include "helionc/Analysis/CollectTunables.h"
#include "helionc/Autotune/Core/Tuner.h"
#include "helionc/Autotune/Report/ResultTable.h"
#include "helionc/Autotune/Search/StrategyRegistry.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace helionc;
using namespace helionc::pipeline;
using autotune::CompiledCandidate;
using autotune::Measurement;
namespace json = llvm::json;

namespace {

using Records = std::map<tuning::Config, Measurement>;

/// Compiles nothing: a candidate is there when it was recorded.
class RecordedCompiler : public autotune::CandidateCompiler {
public:
  explicit RecordedCompiler(const Records &records) : records(records) {}
  void compile(llvm::ArrayRef<tuning::Config> configs, Callback done) override {
    for (auto [place, config] : llvm::enumerate(configs)) {
      CompiledCandidate candidate;
      candidate.config = config;
      auto record = records.find(config);
      if (record == records.end()) {
        candidate.status = autotune::Status::CompileError;
        candidate.error = "not recorded";
      }
      candidate.digest = config.toText();
      done(place, candidate);
    }
  }

private:
  const Records &records;
};

class RecordedBenchmarker : public autotune::Benchmarker {
public:
  explicit RecordedBenchmarker(const Records &records) : records(records) {}
  Measurement measure(const CompiledCandidate &candidate, const autotune::MeasureRequest &) override {
    return records.at(candidate.config);
  }
  llvm::Expected<std::vector<std::vector<double>>> compare(llvm::ArrayRef<CompiledCandidate> candidates,
                                                           unsigned rounds) override {
    std::vector<std::vector<double>> times;
    for (const CompiledCandidate &candidate : candidates)
      times.emplace_back(rounds, records.at(candidate.config).medianMicros);
    return times;
  }

private:
  const Records &records;
};

class RecordedTuneService : public TuneService {
public:
  RecordedTuneService(std::string strategy, std::string path, int64_t maxCandidates, uint64_t seed)
      : strategy(std::move(strategy)), path(std::move(path)), maxCandidates(maxCandidates), seed(seed) {}

  llvm::Expected<TuningOutcome> tune(hl::KernelOp kernel) override {
    tuning::ConfigSpace space = analysis::readConfigSpace(kernel);
    Records records;
    if (auto error = read(space, records))
      return std::move(error);
    autotune::StrategyContext context(space);
    context.seed = seed;
    auto search = autotune::createStrategy(strategy, context);
    if (!search)
      return search.takeError();
    RecordedCompiler compiler(records);
    RecordedBenchmarker benchmarker(records);
    autotune::TunerOptions options;
    options.maxCandidates = size_t(maxCandidates);
    autotune::Tuner tuner(space, compiler, benchmarker, **search, options);
    auto result = tuner.run();
    if (!result)
      return result.takeError();
    if (!result->best)
      return llvm::createStringError("no valid candidate\n" + autotune::failureHistogram(result->observations));
    return TuningOutcome{tuning::toHelionJson(*result->best, space),
                         llvm::formatv("{0}", autotune::resultRecord(*result, space, kernel.getSymName())).str()};
  }

private:
  llvm::Error read(const tuning::ConfigSpace &space, Records &records) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createStringError("cannot read the measurements '" + path + "': " + buffer.getError().message());
    llvm::SmallVector<llvm::StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (auto [number, line] : llvm::enumerate(lines)) {
      auto value = tuning::parseUntrustedJson(line);
      if (!value)
        return llvm::createStringError("line " + llvm::Twine(number + 1) + " of '" + path +
                                       "': " + llvm::toString(value.takeError()));
      const json::Object *object = value->getAsObject();
      const json::Object *config = object ? object->getObject("config") : nullptr;
      const json::Value *measured = object ? object->get("measurement") : nullptr;
      auto measurement = measured ? autotune::measurementFromJson(*measured) : std::nullopt;
      if (!config || !measurement)
        return llvm::createStringError("line " + llvm::Twine(number + 1) + " of '" + path +
                                       "' is no measurement: it needs \"config\" and \"measurement\"");
      auto decoded = tuning::parseFlatConfig(*config);
      if (!decoded)
        return decoded.takeError();
      records[space.complete(*decoded)] = *measurement;
    }
    return llvm::Error::success();
  }

  std::string strategy, path;
  int64_t maxCandidates;
  uint64_t seed;
};

} // namespace

std::shared_ptr<TuneService> helionc::pipeline::createRecordedTuneService(std::string strategy, std::string path,
                                                                          int64_t maxCandidates, uint64_t seed) {
  return std::make_shared<RecordedTuneService>(std::move(strategy), std::move(path), maxCandidates, seed);
}
