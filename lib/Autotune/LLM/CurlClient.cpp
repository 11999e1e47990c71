//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// HTTP over libcurl, loaded at run time so that the executable needs none to start.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/LLM/HttpClient.h"

#include "llvm/ADT/StringExtras.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <time.h>

using namespace helionc::autotune;

namespace {

/// The entry points that are used, by their declarations in curl.h.
struct CurlLibrary {
  decltype(&::curl_global_init) globalInit = nullptr;
  decltype(&::curl_easy_init) easyInit = nullptr;
  decltype(&::curl_easy_setopt) setOption = nullptr;
  decltype(&::curl_easy_perform) perform = nullptr;
  decltype(&::curl_easy_getinfo) getInfo = nullptr;
  decltype(&::curl_easy_cleanup) cleanup = nullptr;
  decltype(&::curl_easy_strerror) errorText = nullptr;
  decltype(&::curl_slist_append) listAppend = nullptr;
  decltype(&::curl_slist_free_all) listFree = nullptr;
  std::string error;

  static const CurlLibrary &get() {
    static const CurlLibrary library;
    return library;
  }

private:
  CurlLibrary();
  template <typename F> void load(void *handle, F &function, const char *name) {
    function = reinterpret_cast<F>(::dlsym(handle, name));
    if (!function)
      error = std::string("libcurl has no ") + name;
  }
};

struct Transfer {
  HttpReply reply;
  size_t maxBytes;
  const std::atomic<bool> &cancel;
  bool isTooLong = false;
};

class CurlClient final : public HttpClient {
public:
  explicit CurlClient(std::string caBundle) : caBundle(std::move(caBundle)) {}
  HttpReply post(const HttpRequest &request, const std::atomic<bool> &cancel) override;

private:
  void configure(CURL *handle, const HttpRequest &request, curl_slist *headers, Transfer &transfer) const;
  std::string caBundle;
};

} // namespace

CurlLibrary::CurlLibrary() {
  void *handle = nullptr;
  for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"})
    if (!handle)
      handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    error = "libcurl is not installed; it is needed to talk to an endpoint";
    return;
  }
  load(handle, globalInit, "curl_global_init");
  load(handle, easyInit, "curl_easy_init");
  load(handle, setOption, "curl_easy_setopt");
  load(handle, perform, "curl_easy_perform");
  load(handle, getInfo, "curl_easy_getinfo");
  load(handle, cleanup, "curl_easy_cleanup");
  load(handle, errorText, "curl_easy_strerror");
  load(handle, listAppend, "curl_slist_append");
  load(handle, listFree, "curl_slist_free_all");
  if (error.empty() && globalInit(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    error = "libcurl cannot be initialized";
}

static size_t onBody(char *data, size_t size, size_t count, void *user) {
  auto &transfer = *static_cast<Transfer *>(user);
  size_t bytes = size * count;
  if (transfer.reply.body.size() + bytes > transfer.maxBytes) {
    transfer.isTooLong = true;
    return 0;
  }
  transfer.reply.body.append(data, bytes);
  return bytes;
}

static size_t onHeader(char *data, size_t size, size_t count, void *user) {
  auto &transfer = *static_cast<Transfer *>(user);
  llvm::StringRef line(data, size * count);
  auto [name, value] = line.split(':');
  if (name.equals_insensitive("retry-after"))
    transfer.reply.retryAfter = value.trim().str();
  return size * count;
}

static int onProgress(void *user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer *>(user)->cancel.load();
}

void CurlClient::configure(CURL *handle, const HttpRequest &request, curl_slist *headers, Transfer &transfer) const {
  auto set = CurlLibrary::get().setOption;
  set(handle, CURLOPT_URL, request.url.c_str());
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_POST, 1L);
  set(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.size()));
  set(handle, CURLOPT_POSTFIELDS, request.body.data());
  set(handle, CURLOPT_HTTPHEADER, headers);
  set(handle, CURLOPT_TIMEOUT_MS, long(request.timeoutSeconds * 1000));
  set(handle, CURLOPT_CONNECTTIMEOUT_MS, long(std::min(15.0, request.timeoutSeconds) * 1000));
  set(handle, CURLOPT_WRITEFUNCTION, &onBody);
  set(handle, CURLOPT_WRITEDATA, &transfer);
  set(handle, CURLOPT_HEADERFUNCTION, &onHeader);
  set(handle, CURLOPT_HEADERDATA, &transfer);
  set(handle, CURLOPT_NOPROGRESS, 0L);
  set(handle, CURLOPT_XFERINFOFUNCTION, &onProgress);
  set(handle, CURLOPT_XFERINFODATA, &transfer);
  if (!caBundle.empty())
    set(handle, CURLOPT_CAINFO, caBundle.c_str());
}

static HttpReply::Transport classify(CURLcode code) {
  switch (code) {
  case CURLE_ABORTED_BY_CALLBACK:
    return HttpReply::Cancelled;
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_URL_MALFORMAT:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_CIPHER:
  case CURLE_COULDNT_CONNECT:
    return HttpReply::Unreachable;
  default:
    return HttpReply::Interrupted;
  }
}

HttpReply CurlClient::post(const HttpRequest &request, const std::atomic<bool> &cancel) {
  const CurlLibrary &curl = CurlLibrary::get();
  Transfer transfer{{}, request.maxBytes, cancel};
  CURL *handle = curl.easyInit();
  if (!handle) {
    transfer.reply.transport = HttpReply::Interrupted;
    transfer.reply.error = "libcurl has no memory for a transfer";
    return transfer.reply;
  }
  curl_slist *headers = nullptr;
  // Without this, libcurl waits a second for "100 Continue" before it sends a long body.
  headers = curl.listAppend(headers, "Expect:");
  for (const std::string &header : request.headers)
    headers = curl.listAppend(headers, header.c_str());
  configure(handle, request, headers, transfer);
  CURLcode code = curl.perform(handle);
  long status = 0;
  curl.getInfo(handle, CURLINFO_RESPONSE_CODE, &status);
  curl.listFree(headers);
  curl.cleanup(handle);
  HttpReply reply = std::move(transfer.reply);
  reply.status = int(status);
  if (code != CURLE_OK) {
    reply.transport = classify(code);
    reply.error = transfer.isTooLong ? "the reply is longer than " + std::to_string(request.maxBytes) + " bytes"
                                     : std::string(curl.errorText(code));
  }
  return reply;
}

std::unique_ptr<HttpClient> helionc::autotune::createCurlClient(std::string caBundle, std::string &error) {
  error = CurlLibrary::get().error;
  return error.empty() ? std::make_unique<CurlClient>(std::move(caBundle)) : nullptr;
}

std::optional<double> helionc::autotune::parseRetryAfter(llvm::StringRef text, double nowEpochSeconds) {
  text = text.trim();
  double seconds;
  if (!text.empty() && llvm::isDigit(text[0]) && !text.getAsDouble(seconds))
    return seconds;
  struct tm parts = {};
  std::string date = text.str();
  const char *end = ::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end)
    return std::nullopt;
  return std::max(0.0, double(::timegm(&parts)) - nowEpochSeconds);
}
