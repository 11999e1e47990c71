//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The closing table of a tuning run.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_REPORT_RESULTTABLE_H
#define HELIONC_AUTOTUNE_REPORT_RESULTTABLE_H

#include "helionc/Autotune/Core/Tuner.h"

namespace helionc::autotune {

/// Who proposed: "LLM <model>" only when a language model answered, else "embedded expert", "random search", ….
std::string proposerName(const TuningResult &result);

/// A few lines: default, best, speed-up with its interval, candidates by outcome, time, notes; the line that pins the
/// winner. Without a valid candidate a histogram of reasons instead.
std::string resultTable(const TuningResult &result, const tuning::ConfigSpace &space, llvm::StringRef kernel);

/// The same and every observation, as JSON: the record that goes beside an artifact.
llvm::json::Value resultRecord(const TuningResult &result, const tuning::ConfigSpace &space, llvm::StringRef kernel);

/// How many candidates failed for which reason, most frequent first, one a line.
std::string failureHistogram(llvm::ArrayRef<Observation> observations);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_REPORT_RESULTTABLE_H
