//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// What the prompts say: the task, the results, and what they teach.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/PromptRenderer.h"

#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace helionc;
using namespace helionc::autotune;
using llvm::StringRef;

/// A prompt shows at most so many results and failures: the fastest, and the first of each reason.
static constexpr size_t maxResults = 24, maxFailures = 10, maxEffects = 16;

/// The embedded templates and the values given to them are checked by a unit test: a mismatch is a broken invariant.
static std::string renderEmbedded(StringRef name, const PromptTemplate::Values &values) {
  return llvm::cantFail(llvm::cantFail(PromptTemplate::embedded(name)).render(values));
}

std::string helionc::autotune::fenceFor(StringRef text) {
  std::string fence = "=====";
  while (text.contains(fence))
    fence += '=';
  return fence;
}

static std::string orNone(std::string text) { return text.empty() ? "(none)" : StringRef(text).rtrim().str(); }

static std::string firstLine(StringRef text, size_t most) {
  StringRef line = text.ltrim().split('\n').first.rtrim();
  if (line.size() <= most)
    return line.str();
  return llvm::json::fixUTF8(line.take_front(most)) + "…";
}

static std::string signedPercent(double share) { return llvm::formatv("{0}{1:f1}", share < 0 ? "" : "+", 100 * share); }

std::string PromptRenderer::diffText(const tuning::Config &config) const {
  tuning::Config diff = space.diffFromDefault(config);
  return diff.empty() ? "the default" : diff.toText();
}

/// Time, gain over the default, and what limits the candidate as far as it is known.
std::string PromptRenderer::resultText(const Observation &observation, double baselineMicros) const {
  const Measurement &m = observation.measurement;
  std::string text = llvm::formatv("{0:f2} us", m.medianMicros);
  if (baselineMicros > 0)
    text += llvm::formatv(", {0:f3} times the default's speed", baselineMicros / m.medianMicros);
  if (m.isRough)
    text += ", clearly slow, not measured further";
  if (m.registers > 0)
    text += llvm::formatv(", {0} registers", m.registers);
  if (m.spillBytes > 0)
    text += llvm::formatv(", spills {0} bytes", m.spillBytes);
  if (m.smemBytes > 0)
    text += llvm::formatv(", {0} bytes of shared memory", m.smemBytes);
  if (m.scratchBytes > 0)
    text += llvm::formatv(", {0} bytes of scratch a thread", m.scratchBytes);
  if (m.flopsShare > 0 || m.bytesShare > 0)
    text += llvm::formatv(", {0:f0} % of peak compute and {1:f0} % of peak bandwidth: bound by {2}", 100 * m.flopsShare,
                          100 * m.bytesShare,
                          std::max(m.flopsShare, m.bytesShare) < 0.4 ? "latency or overhead"
                          : m.flopsShare >= m.bytesShare             ? "compute"
                                                                     : "bandwidth");
  return text;
}

std::string PromptRenderer::resultLines(llvm::ArrayRef<Observation> observations) const {
  std::vector<const Observation *> good;
  double baseline = 0;
  for (const Observation &observation : observations) {
    if (!observation.measurement.isOk())
      continue;
    good.push_back(&observation);
    if (observation.origin == "default")
      baseline = observation.measurement.medianMicros;
  }
  llvm::sort(good, [](const Observation *a, const Observation *b) {
    return std::pair(a->measurement.medianMicros, a) < std::pair(b->measurement.medianMicros, b);
  });
  std::string text;
  for (const Observation *observation : llvm::ArrayRef(good).take_front(maxResults))
    text += "- " + diffText(observation->config) + ": " + resultText(*observation, baseline) + "\n";
  if (good.size() > maxResults)
    text += "- and " + std::to_string(good.size() - maxResults) + " slower ones\n";
  return text;
}

std::string PromptRenderer::failureLines(llvm::ArrayRef<Observation> observations) const {
  std::string text;
  size_t count = 0;
  for (const Observation &observation : observations) {
    const Measurement &m = observation.measurement;
    if (m.isOk() || ++count > maxFailures)
      continue;
    text += "- " + diffText(observation.config) + ": " + toText(m.status).str() + ": " + firstLine(m.error, 240) + "\n";
  }
  if (count > maxFailures)
    text += "- and " + std::to_string(count - maxFailures) + " more\n";
  return text;
}

/// Pairs of measured configurations that differ in one parameter.
std::string PromptRenderer::effectLines(llvm::ArrayRef<Observation> observations) const {
  std::string text;
  size_t count = 0;
  for (size_t i = 0; i < observations.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Observation &a = observations[j], &b = observations[i];
      if (!a.measurement.isOk() || !b.measurement.isOk() || count >= maxEffects)
        continue;
      std::vector<std::string> names;
      for (const auto &[name, value] : b.config.values())
        if (const tuning::Value *other = a.config.find(name); other && *other != value)
          names.push_back(name);
      if (names.size() != 1)
        continue;
      ++count;
      text += llvm::formatv("- {0} from {1} to {2}: {3} %\n", names[0], tuning::toText(*a.config.find(names[0])),
                            tuning::toText(*b.config.find(names[0])),
                            signedPercent(a.measurement.medianMicros / b.measurement.medianMicros - 1))
                  .str();
    }
  return text;
}

std::string PromptRenderer::untriedLines(llvm::ArrayRef<Observation> observations) const {
  std::string text;
  for (const tuning::Parameter &parameter : space.parameters) {
    if (parameter.count() > 64)
      continue;
    std::set<tuning::Value> tried = {parameter.defaultValue};
    for (const Observation &observation : observations)
      if (const tuning::Value *value = observation.config.find(parameter.name))
        tried.insert(*value);
    std::vector<std::string> left;
    for (const tuning::Value &value : parameter.values())
      if (!tried.count(value))
        left.push_back(tuning::toText(value));
    if (!left.empty())
      text += "- " + parameter.name + ": " + llvm::join(left, " ") + "\n";
  }
  return text;
}

std::string PromptRenderer::system() const { return renderEmbedded("system", {{"target", facts.target}}); }

std::string PromptRenderer::initial(llvm::ArrayRef<Proposal> seeds, size_t count) const {
  std::string seedLines = "- " + tuning::toHelionJson({}, space) + ", the default\n";
  for (const Proposal &seed : seeds)
    seedLines += "- " + tuning::toHelionJson(seed.config, space) + "\n";
  return renderEmbedded("initial", {{"kernel", facts.kernel},
                                    {"fence", fenceFor(facts.source)},
                                    {"source", StringRef(facts.source).rtrim().str()},
                                    {"summary", orNone(facts.summary)},
                                    {"device", orNone(facts.device)},
                                    {"space", StringRef(space.toText()).rtrim().str()},
                                    {"seeds", orNone(seedLines)},
                                    {"count", std::to_string(count)}});
}

std::string PromptRenderer::refine(llvm::ArrayRef<Observation> observations, llvm::ArrayRef<std::string> refusals,
                                   size_t count) const {
  std::string baseline = "not measured", refused;
  double baselineMicros = 0;
  for (const Observation &observation : observations)
    if (observation.origin == "default") {
      const Measurement &m = observation.measurement;
      baselineMicros = m.isOk() ? m.medianMicros : 0;
      baseline = m.isOk() ? resultText(observation, 0) : toText(m.status).str() + ": " + firstLine(m.error, 240);
    }
  const Observation *best = fastest(observations);
  for (const std::string &refusal : refusals.take_front(maxFailures))
    refused += "- " + firstLine(refusal, 480) + "\n";
  return renderEmbedded(
      "refine", {{"baseline", tuning::toHelionJson({}, space) + ": " + baseline},
                 {"best", best ? tuning::toHelionJson(best->config, space) + ": " + resultText(*best, baselineMicros)
                               : "none yet"},
                 {"results", orNone(resultLines(observations))},
                 {"failures", orNone(failureLines(observations))},
                 {"effects", orNone(effectLines(observations))},
                 {"untried", orNone(untriedLines(observations))},
                 {"refusals", orNone(refused)},
                 {"count", std::to_string(count)}});
}

std::string PromptRenderer::repair(llvm::ArrayRef<std::string> problems, size_t count) const {
  std::string lines;
  for (const std::string &problem : problems.take_front(maxFailures))
    lines += "- " + firstLine(problem, 480) + "\n";
  return renderEmbedded("repair", {{"problems", orNone(lines)}, {"count", std::to_string(count)}});
}
