//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Reads and appends the journal of measurements.
//===----------------------------------------------------------------------===//
#include "helionc/Autotune/History/Journal.h"

#include "helionc/Tuning/ConfigCodec.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace helionc::autotune;
namespace json = llvm::json;

static std::string utf8(const std::string &text) { return json::isUTF8(text) ? text : json::fixUTF8(text); }

static std::string print(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

json::Value JournalKey::toJson() const {
  return json::Object{{"kernel", utf8(kernelDigest)},
                      {"target", utf8(target)},
                      {"device", utf8(device)},
                      {"shapes", utf8(shapes)},
                      {"compiler", utf8(compilerVersion)},
                      {"bench", utf8(benchMode)}};
}

Journal::Journal(std::string path, const JournalKey &journalKey, Warn warn)
    : path(std::move(path)), key(journalKey.toJson()), warn(std::move(warn)) {
  read();
  descriptor = ::open(this->path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    fail("cannot be written: " + llvm::sys::StrError(errno));
    return;
  }
  struct stat info;
  bool isFile = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  char last = '\n';
  int reader = isFile && info.st_size > 0 ? ::open(this->path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (reader >= 0) {
    // A run that was killed in the middle of a line leaves it open: end it, so that only that line is lost.
    if (::pread(reader, &last, 1, info.st_size - 1) == 1 && last != '\n' && ::write(descriptor, "\n", 1) != 1)
      fail("cannot be written: " + llvm::sys::StrError(errno));
    ::close(reader);
  }
}

Journal::~Journal() {
  if (descriptor >= 0)
    ::close(descriptor);
}

void Journal::fail(const std::string &what) {
  if (warn)
    warn("the tuning journal '" + path + "' " + what);
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

void Journal::readLine(llvm::StringRef line, size_t &badLines) {
  llvm::Expected<json::Value> parsed = tuning::parseUntrustedJson(line);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    ++badLines;
    return;
  }
  const json::Object *entry = parsed->getAsObject();
  const json::Object *configObject = entry ? entry->getObject("config") : nullptr;
  const json::Value *result = entry ? entry->get("measurement") : nullptr;
  const json::Value *lineKey = entry ? entry->get("key") : nullptr;
  if (!configObject || !result || !lineKey) {
    ++badLines;
    return;
  }
  if (*lineKey != key)
    return;
  llvm::Expected<tuning::Config> config = tuning::parseFlatConfig(*configObject);
  std::optional<Measurement> measurement = measurementFromJson(*result);
  if (!config || !measurement) {
    if (!config)
      llvm::consumeError(config.takeError());
    ++badLines;
    return;
  }
  known.insert_or_assign(*config, *measurement);
}

void Journal::read() {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    if (buffer.getError() != std::errc::no_such_file_or_directory && warn)
      warn("the tuning journal '" + path + "' cannot be read: " + buffer.getError().message());
    return;
  }
  size_t badLines = 0;
  llvm::StringRef rest = (*buffer)->getBuffer();
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    if (!line.trim().empty())
      readLine(line, badLines);
    rest = next;
  }
  if (badLines > 0 && warn)
    warn("the tuning journal '" + path + "' has " + std::to_string(badLines) + " lines that cannot be read; skipped");
}

const Measurement *Journal::find(const tuning::Config &config) const {
  auto it = known.find(config);
  return it == known.end() ? nullptr : &it->second;
}

void Journal::append(const Observation &observation) {
  known.insert_or_assign(observation.config, observation.measurement);
  if (descriptor < 0)
    return;
  std::string line = print(json::Object{{"key", key},
                                        {"config", tuning::toJson(observation.config)},
                                        {"origin", utf8(observation.origin)},
                                        {"measurement", toJson(observation.measurement)}}) +
                     "\n";
  for (size_t written = 0; written < line.size();) {
    ssize_t count = ::write(descriptor, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return fail("cannot be written: " + llvm::sys::StrError(errno));
    written += size_t(count);
  }
  if (::fdatasync(descriptor) != 0 && errno != EINVAL && errno != EROFS)
    fail("cannot be flushed: " + llvm::sys::StrError(errno));
}
