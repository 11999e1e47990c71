//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Whoever answers prompts: an endpoint, a program, a transcript, or the embedded expert.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_LANGUAGEMODEL_H
#define HELIONC_AUTOTUNE_LLM_LANGUAGEMODEL_H

#include "helionc/Autotune/Core/Measurement.h"

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <optional>
#include <variant>

namespace helionc::autotune {

/// One message of a conversation; `role` is "system", "user" or "assistant".
struct Message {
  std::string role, text;
};

struct ModelRequest {
  std::vector<Message> messages;
  /// How many configurations the last message asks for, and what was measured: the embedded expert reads these instead
  /// of the text.
  size_t count = 0;
  std::vector<Observation> observations;
  int64_t maxOutputTokens = 8192;
  double timeoutSeconds = 120;
};

/// Why a reply ended.
enum class FinishReason { Stop, Length, Refused, Other };
llvm::StringRef toText(FinishReason reason);

struct Completion {
  std::string text;
  FinishReason finish = FinishReason::Stop;
  int64_t inputTokens = 0, outputTokens = 0;
  double seconds = 0;
};

/// Why there is no reply. The message never holds a key.
struct ModelFault {
  enum Kind {
    /// Will not go away by waiting: unknown host, TLS, 401, 403, 404, a program that does not exist.
    Config,
    /// May go away: time-out, 429, 5xx, a connection that was reset.
    Passing,
    /// Somebody ended the request.
    Cancelled
  };
  Kind kind = Passing;
  std::string message;
  /// What the endpoint asked for by Retry-After, in seconds.
  std::optional<double> retryAfterSeconds;
};

using ModelReply = std::variant<Completion, ModelFault>;

/// Answers prompts. complete() may be called from another thread than the others, one call at a time.
class LanguageModel {
public:
  virtual ~LanguageModel() = default;
  /// The name for reports: a model's own name, or "embedded expert".
  virtual std::string name() const = 0;
  /// Whether a language model answers; false for the embedded expert.
  virtual bool isLanguageModel() const { return true; }
  /// Whether complete() returns at once, so that nothing need be done meanwhile.
  virtual bool isInstant() const { return false; }
  /// Finds out by a tiny request whether the endpoint can answer at all. Nothing when it can.
  virtual std::optional<ModelFault> probe(const std::atomic<bool> &cancel) { return std::nullopt; }
  /// One reply. Ends early, with Cancelled, when `cancel` is set.
  virtual ModelReply complete(const ModelRequest &request, const std::atomic<bool> &cancel) = 0;
};

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_LANGUAGEMODEL_H
