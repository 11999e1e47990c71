//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The closing table and the record.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/Report/ResultTable.h"

#include "helionc/Autotune/Report/TerminalText.h"
#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace helionc;
using namespace helionc::autotune;
using llvm::formatv;
namespace json = llvm::json;

std::string helionc::autotune::proposerName(const TuningResult &result) {
  if (result.usage.hasAnswered)
    return "LLM " + terminalText(result.usage.model, 80);
  if (result.strategy == "llm")
    return "pattern search (no model answered)";
  return result.strategy == "embedded expert" ? result.strategy : result.strategy + " search";
}

std::string helionc::autotune::failureHistogram(llvm::ArrayRef<Observation> observations) {
  std::map<std::string, size_t> counts;
  for (const Observation &observation : observations) {
    const Measurement &m = observation.measurement;
    if (!m.isOk())
      ++counts[toText(m.status).str() + ": " + terminalText(llvm::StringRef(m.error).split('\n').first, 120)];
  }
  std::vector<std::pair<size_t, std::string>> sorted;
  for (const auto &[reason, count] : counts)
    sorted.push_back({SIZE_MAX - count, reason});
  llvm::sort(sorted);
  std::string text;
  constexpr size_t most = 12;
  for (const auto &[inverse, reason] : llvm::ArrayRef(sorted).take_front(most))
    text += formatv("  {0,4} x {1}\n", SIZE_MAX - inverse, reason);
  if (sorted.size() > most)
    text += formatv("  and {0} other reasons\n", sorted.size() - most);
  return text;
}

static std::string outcomes(const TuningResult &result) {
  std::string text;
  for (size_t i = 0; i < statusCount; ++i)
    if (result.byStatus[i] > 0)
      text += formatv("{0}{1} {2}", text.empty() ? "" : ", ", result.byStatus[i], toText(Status(i)));
  if (result.reused > 0)
    text += formatv(" ({0} known from the journal or an equal binary)", result.reused);
  return text;
}

static std::string speedUpText(const TuningResult &result, bool isDefault) {
  if (result.speedUp)
    return formatv("{0:f3}x, {1:f1} % interval {2:f3} to {3:f3}, {4} paired rounds", result.speedUp->ratio,
                   100 * result.speedUp->confidence, result.speedUp->low, result.speedUp->high, result.speedUp->rounds);
  if (isDefault)
    return "none: the default stays";
  return result.defaultMeasurement.isOk() ? "not measured again side by side" : "unknown: the default failed";
}

std::string helionc::autotune::resultTable(const TuningResult &result, const tuning::ConfigSpace &space,
                                           llvm::StringRef kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << formatv("{0}: {1}, {2} candidates in {3:f1} s; stopped: {4}\n", kernel, proposerName(result),
                result.observations.size(), result.time.total, toText(result.stop));
  if (!result.best) {
    os << "  no valid candidate:\n" << failureHistogram(result.observations);
    return text;
  }
  bool isDefault = *result.best == space.defaultConfig();
  const Measurement &base = result.defaultMeasurement;
  std::string baseText = base.isOk() ? formatv("{0:f2} us", base.medianMicros).str() : toText(base.status).str();
  os << formatv("  {0,-11}{1,-16}{2}\n", "default", baseText, tuning::toHelionJson({}, space));
  os << formatv("  {0,-11}{1,-16}{2}\n", "best", formatv("{0:f2} us", result.bestMeasurement.medianMicros).str(),
                tuning::toHelionJson(*result.best, space));
  os << formatv("  {0,-11}{1}\n", "speed-up", speedUpText(result, isDefault));
  os << formatv("  {0,-11}{1}\n", "candidates", outcomes(result));
  os << formatv("  {0,-11}compile {1:f1} s, measure {2:f1} s, final {3:f1} s", "time", result.time.compile,
                result.time.measure, result.time.final);
  if (result.usage.hasAnswered)
    os << formatv(", waiting for the model {0:f1} s ({1} requests, {2} + {3} tokens)", result.time.wait,
                  result.usage.requests, result.usage.inputTokens, result.usage.outputTokens);
  os << "\n";
  for (const std::string &note : result.notes)
    os << "  note: " << terminalText(note, 400) << "\n";
  os << "  pin it:    " << tuning::toHelionLine(*result.best, space) << "\n";
  return text;
}

static json::Value observationRecord(const Observation &observation, const tuning::ConfigSpace &space) {
  json::Object object{{"config", tuning::toJson(space.diffFromDefault(observation.config))},
                      {"origin", json::fixUTF8(observation.origin)},
                      {"measurement", toJson(observation.measurement)}};
  if (!observation.rationale.empty())
    object["rationale"] = json::fixUTF8(observation.rationale);
  if (observation.isReused)
    object["reused"] = true;
  return object;
}

json::Value helionc::autotune::resultRecord(const TuningResult &result, const tuning::ConfigSpace &space,
                                            llvm::StringRef kernel) {
  json::Object counts;
  for (size_t i = 0; i < statusCount; ++i)
    counts[toText(Status(i))] = int64_t(result.byStatus[i]);
  json::Array observations, notes;
  for (const Observation &observation : result.observations)
    observations.push_back(observationRecord(observation, space));
  for (const std::string &note : result.notes)
    notes.push_back(json::fixUTF8(note));
  json::Object object{{"kernel", json::fixUTF8(kernel)},
                      {"proposer", proposerName(result)},
                      {"stop", toText(result.stop)},
                      {"counts", std::move(counts)},
                      {"seconds", json::Object{{"total", result.time.total},
                                               {"compile", result.time.compile},
                                               {"measure", result.time.measure},
                                               {"wait", result.time.wait},
                                               {"final", result.time.final}}},
                      {"default", toJson(result.defaultMeasurement)},
                      {"notes", std::move(notes)},
                      {"candidates", std::move(observations)}};
  if (result.best) {
    object["config"] = tuning::toJson(*result.best);
    object["pin"] = tuning::toHelionLine(*result.best, space);
    object["best"] = toJson(result.bestMeasurement);
  }
  if (result.speedUp)
    object["speed_up"] = json::Object{{"ratio", result.speedUp->ratio},
                                      {"low", result.speedUp->low},
                                      {"high", result.speedUp->high},
                                      {"confidence", result.speedUp->confidence},
                                      {"rounds", int64_t(result.speedUp->rounds)}};
  if (result.usage.hasAnswered)
    object["model"] = json::Object{{"name", json::fixUTF8(result.usage.model)},
                                   {"requests", result.usage.requests},
                                   {"input_tokens", result.usage.inputTokens},
                                   {"output_tokens", result.usage.outputTokens},
                                   {"seconds", result.usage.seconds}};
  return object;
}
