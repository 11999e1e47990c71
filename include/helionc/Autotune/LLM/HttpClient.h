//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// One HTTP POST: the seam between the protocols and libcurl.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_AUTOTUNE_LLM_HTTPCLIENT_H
#define HELIONC_AUTOTUNE_LLM_HTTPCLIENT_H

#include "llvm/ADT/StringRef.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helionc::autotune {

struct HttpRequest {
  std::string url;
  /// "Name: value".
  std::vector<std::string> headers;
  std::string body;
  double timeoutSeconds = 120;
  /// A longer reply is a failure.
  size_t maxBytes = 4 << 20;
};

struct HttpReply {
  enum Transport {
    Done,
    /// Name resolution, TLS, a malformed URL: waiting does not help.
    Unreachable,
    /// Connection refused or reset, time-out, reply too long.
    Interrupted,
    Cancelled
  };
  Transport transport = Done;
  /// What went wrong below HTTP.
  std::string error;
  int status = 0;
  std::string body;
  /// The header Retry-After as it came.
  std::string retryAfter;
};

class HttpClient {
public:
  virtual ~HttpClient() = default;
  /// Never follows a redirect: the key and the kernel go to the named host and nowhere else.
  virtual HttpReply post(const HttpRequest &request, const std::atomic<bool> &cancel) = 0;
};

/// The client over libcurl, which is loaded when first used; null, with the reason in `error`, when it is not there.
/// Certificates: the system's, or those of the file that `caBundle` names. Proxies: libcurl's own environment
/// variables.
std::unique_ptr<HttpClient> createCurlClient(std::string caBundle, std::string &error);

/// Seconds of a Retry-After header: a number, or an HTTP date against `nowEpochSeconds`. Never negative.
std::optional<double> parseRetryAfter(llvm::StringRef text, double nowEpochSeconds);

} // namespace helionc::autotune

#endif // HELIONC_AUTOTUNE_LLM_HTTPCLIENT_H
