//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Asks again after a passing fault.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_RETRY_H
#define HELIONC_AUTOTUNE_LLM_RETRY_H

#include "helionc/Autotune/LLM/LanguageModel.h"

#include <functional>
#include <random>

namespace helionc::autotune {

struct RetryPolicy {
  unsigned maxAttempts = 4;
  double firstDelaySeconds = 1, maxDelaySeconds = 30;
  /// All attempts and delays together.
  double maxTotalSeconds = 240;
};

/// Calls model.complete until it answers, fails for good, or the policy ends. Delays double, with jitter from `random`;
/// what the endpoint asks for by Retry-After goes before. `sleep` waits so many seconds, or less when cancelled.
ModelReply completeWithRetries(LanguageModel &model, const ModelRequest &request, const RetryPolicy &policy,
                               std::mt19937_64 &random, const std::atomic<bool> &cancel,
                               const std::function<void(double)> &sleep);

/// A sleep for the above that ends soon after `cancel` is set.
void sleepUnlessCancelled(double seconds, const std::atomic<bool> &cancel);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_RETRY_H
