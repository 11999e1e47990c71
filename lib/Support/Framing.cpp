//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Length-prefixed messages.
//===----------------------------------------------------------------------===//
#include "helionc/Support/Framing.h"

#include "llvm/Support/Endian.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <unistd.h>

using namespace helionc::support;
using Clock = std::chrono::steady_clock;

llvm::Error helionc::support::writeFrame(int descriptor, llvm::StringRef message) {
  if (message.size() > maxFrameBytes)
    return llvm::createStringError("a message of an absurd length");
  std::string bytes(4, '\0');
  llvm::support::endian::write32le(bytes.data(), uint32_t(message.size()));
  bytes += message;
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return llvm::createStringError(std::string("writing a message failed: ") + strerror(errno));
    done += size_t(count);
  }
  return llvm::Error::success();
}

static llvm::Error readBytes(int descriptor, char *to, size_t size, const Clock::time_point *end, bool *timedOut) {
  for (size_t done = 0; done < size;) {
    if (end) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end - Clock::now()).count();
      pollfd poller{descriptor, POLLIN, 0};
      int ready = left > 0 ? poll(&poller, 1, int(std::min<long long>(left, 1 << 30))) : 0;
      if (ready < 0 && errno == EINTR)
        continue;
      if (ready == 0) {
        if (timedOut)
          *timedOut = true;
        return llvm::createStringError("no answer in time");
      }
    }
    ssize_t count = read(descriptor, to + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return llvm::createStringError("the other side is gone");
    done += size_t(count);
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> helionc::support::readFrame(int descriptor, double seconds, bool *timedOut) {
  Clock::time_point end = Clock::now() + std::chrono::microseconds(int64_t(seconds * 1e6));
  const Clock::time_point *limit = seconds > 0 ? &end : nullptr;
  char header[4];
  if (auto error = readBytes(descriptor, header, sizeof header, limit, timedOut))
    return std::move(error);
  uint32_t size = llvm::support::endian::read32le(header);
  if (size > maxFrameBytes)
    return llvm::createStringError("a message of an absurd length");
  std::string message(size, '\0');
  if (auto error = readBytes(descriptor, message.data(), size, limit, timedOut))
    return std::move(error);
  return message;
}
