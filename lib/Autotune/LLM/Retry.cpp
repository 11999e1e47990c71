//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Exponential backoff with jitter.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/Retry.h"

#include "helionc/Autotune/Core/Clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

using namespace helionc::autotune;

void helionc::autotune::sleepUnlessCancelled(double seconds, const std::atomic<bool> &cancel) {
  constexpr double step = 0.05;
  for (double left = seconds; left > 0 && !cancel.load(); left -= step)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(step, left)));
}

static double nextDelay(const RetryPolicy &policy, unsigned attempt, const ModelFault &fault, std::mt19937_64 &random) {
  double base = std::min(policy.maxDelaySeconds, policy.firstDelaySeconds * std::pow(2.0, double(attempt)));
  double jitter = double(random() >> 11) / double(uint64_t(1) << 53);
  double delay = base * (0.5 + 0.5 * jitter);
  return fault.retryAfterSeconds ? std::max(delay, *fault.retryAfterSeconds) : delay;
}

ModelReply helionc::autotune::completeWithRetries(LanguageModel &model, const ModelRequest &request,
                                                  const RetryPolicy &policy, std::mt19937_64 &random,
                                                  const std::atomic<bool> &cancel,
                                                  const std::function<void(double)> &sleep) {
  double spent = 0;
  ModelRequest attemptRequest = request;
  for (unsigned attempt = 0;; ++attempt) {
    attemptRequest.timeoutSeconds = std::min(request.timeoutSeconds, std::max(1.0, policy.maxTotalSeconds - spent));
    double begin = Clock::system().seconds();
    ModelReply reply = model.complete(attemptRequest, cancel);
    spent += Clock::system().seconds() - begin;
    auto *fault = std::get_if<ModelFault>(&reply);
    if (!fault || fault->kind != ModelFault::Passing || attempt + 1 >= policy.maxAttempts)
      return reply;
    double delay = nextDelay(policy, attempt, *fault, random);
    if (spent + delay >= policy.maxTotalSeconds)
      return reply;
    sleep(delay);
    spent += delay;
    if (cancel.load())
      return ModelFault{ModelFault::Cancelled, "cancelled", std::nullopt};
  }
}
