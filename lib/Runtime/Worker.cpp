//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Serves the worker's operations.
//===----------------------------------------------------------------------===//
#include "helionc/Runtime/Worker.h"

#include "helionc/Runtime/Bench.h"
#include "helionc/Support/FileSystem.h"
#include "helionc/Support/Framing.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace helionc;
using namespace helionc::runtime;
using llvm::Error;
namespace json = llvm::json;

namespace {

json::Object failure(llvm::StringRef status, llvm::Twine error) {
  return json::Object{{"status", status}, {"error", json::fixUTF8(error.str())}};
}
json::Object failure(llvm::StringRef status, Error error) { return failure(status, llvm::toString(std::move(error))); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The problem and its buffers stay between requests: a worker measures many candidates of one problem.
class Measurer {
public:
  json::Object reference(const json::Object &request);
  json::Object measure(const json::Object &request);
  json::Object pair(const json::Object &request);

private:
  Error load(const json::Object &request, llvm::StringRef device);
  std::string check(const LibraryHandle &library, Error &error);
  json::Object checkAndTime(const json::Object &request);
  json::Object time(const LibraryHandle &library, const json::Object &request);
  /// Calls a burst takes: long enough for the clock, short enough for several rounds.
  int64_t callsFor(double micros, double seconds) {
    return std::clamp<int64_t>(int64_t(seconds * 1e6 / std::max(micros, 0.1)), 1, 10000);
  }

  std::string problemPath, device;
  Problem problem;
  std::unique_ptr<Bench> bench;
  std::string referenceBytes;
};

Error Measurer::load(const json::Object &request, llvm::StringRef wanted) {
  std::string path = request.getString("problem").value_or("").str();
  if (bench && path == problemPath && wanted == device)
    return Error::success();
  auto text = support::readFile(path);
  if (!text)
    return text.takeError();
  auto value = json::parse(*text);
  if (!value)
    return value.takeError();
  auto parsed = Problem::fromJson(*value);
  if (!parsed)
    return parsed.takeError();
  bench.reset();
  problem = std::move(*parsed);
  auto made = Bench::create(problem, wanted);
  if (!made)
    return made.takeError();
  bench = std::move(*made);
  problemPath = path;
  device = wanted.str();
  referenceBytes.clear();
  return Error::success();
}

json::Object Measurer::reference(const json::Object &request) {
  if (Error error = load(request, "cpu"))
    return failure("launch_error", std::move(error));
  auto library = LibraryHandle::open(request.getString("artifact").value_or(""), problem.kernel);
  if (!library)
    return failure("launch_error", library.takeError());
  auto outputs = bench->runOnce(*library, 0xAA);
  if (!outputs)
    return failure("launch_error", outputs.takeError());
  std::string bytes(outputs->data(), outputs->size());
  // A second run tells cells that are never written; where no cell shows the poison, all are.
  if (holdsPoison(problem, *outputs, 0xAA)) {
    outputs = bench->runOnce(*library, 0x55);
    if (!outputs)
      return failure("launch_error", outputs.takeError());
  }
  bytes.append(outputs->data(), outputs->size());
  if (Error error = support::writeFileAtomically(request.getString("out").value_or(""), bytes))
    return failure("launch_error", std::move(error));
  return json::Object{{"status", "ok"}};
}

/// "" when the outputs are right.
std::string Measurer::check(const LibraryHandle &library, Error &error) {
  if (referenceBytes.empty()) {
    auto bytes = support::readFile(problem.referencePath);
    if (!bytes) {
      error = bytes.takeError();
      return "";
    }
    referenceBytes = std::move(*bytes);
  }
  std::vector<char> before;
  for (unsigned char poison : {0xAA, 0x55}) {
    auto outputs = bench->runOnce(library, poison);
    if (!outputs) {
      error = outputs.takeError();
      return "";
    }
    if (*outputs == before) // The same over another poison: nothing new to compare.
      break;
    before = *outputs;
    if (outputs->size() * 2 != referenceBytes.size())
      return "the reference has another size";
    size_t offset = 0;
    for (const artifact::Argument &argument : problem.args) {
      if (!isWritten(argument))
        continue;
      std::string wrong = compareOutput(argument, outputs->data() + offset, referenceBytes.data() + offset,
                                        referenceBytes.data() + outputs->size() + offset);
      if (!wrong.empty())
        return wrong;
      offset += size_t(spanBytes(argument));
    }
  }
  return "";
}

json::Object Measurer::time(const LibraryHandle &library, const json::Object &request) {
  double target = request.getNumber("target_seconds").value_or(0.2),
         limit = request.getNumber("early_exit_micros").value_or(0);
  int64_t minRounds = std::max<int64_t>(request.getInteger("min_rounds").value_or(5), 1);
  auto first = bench->time(library, 1);
  auto look = first ? bench->time(library, callsFor(*first, target / 50)) : std::move(first);
  if (!look)
    return failure("launch_error", look.takeError());
  double quick = *look;
  if (quick <= 0)
    return failure("launch_error", "a call took no time");
  json::Object reply{{"status", "ok"}};
  if (limit > 0 && quick > limit) {
    reply["median_micros"] = quick;
    reply["min_micros"] = quick;
    reply["spread"] = 0.0;
    reply["rough"] = true;
    return reply;
  }
  std::vector<double> times;
  int64_t calls = callsFor(quick, target / 20);
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  while (int64_t(times.size()) < minRounds || (elapsed() < target && times.size() < 1000)) {
    auto micros = bench->time(library, calls);
    if (!micros)
      return failure("launch_error", micros.takeError());
    if (*micros <= 0)
      return failure("launch_error", "a call took no time");
    times.push_back(*micros);
    if (elapsed() > 20 * target && !times.empty())
      break;
  }
  std::sort(times.begin(), times.end());
  double middle = median(times);
  reply["median_micros"] = middle;
  reply["min_micros"] = times.front();
  reply["spread"] = (times[times.size() * 3 / 4] - times[times.size() / 4]) / middle;
  return reply;
}

json::Object Measurer::measure(const json::Object &request) {
  json::Object reply = checkAndTime(request);
  // A fault of a kernel leaves every later call on the device failing: a new process is needed.
  if (reply.getString("status").value_or("") == "launch_error" && bench && bench->isBroken())
    reply["restart"] = true;
  return reply;
}

json::Object Measurer::checkAndTime(const json::Object &request) {
  if (Error error = load(request, request.getString("device").value_or("cpu")))
    return failure("launch_error", std::move(error));
  auto library = LibraryHandle::open(request.getString("artifact").value_or(""), problem.kernel);
  if (!library)
    return failure("launch_error", library.takeError());
  if (request.getBoolean("check").value_or(true)) {
    Error error = Error::success();
    std::string wrong = check(*library, error);
    if (error)
      return failure("launch_error", std::move(error));
    if (!wrong.empty())
      return failure("wrong_result", wrong);
  }
  return time(*library, request);
}

/// Every round runs all contenders, each round another one first; bursts are short and, on a GPU, start after a pause.
json::Object Measurer::pair(const json::Object &request) {
  if (Error error = load(request, request.getString("device").value_or("cpu")))
    return failure("launch_error", std::move(error));
  std::vector<LibraryHandle> libraries;
  if (const json::Array *paths = request.getArray("artifacts"))
    for (const json::Value &path : *paths) {
      auto library = LibraryHandle::open(path.getAsString().value_or(""), problem.kernel);
      if (!library)
        return failure("launch_error", library.takeError());
      libraries.push_back(std::move(*library));
    }
  std::vector<int64_t> calls;
  for (LibraryHandle &library : libraries) {
    auto warm = bench->time(library, 1);
    auto micros = warm ? bench->time(library, 1) : std::move(warm);
    if (!micros)
      return failure("launch_error", micros.takeError());
    calls.push_back(callsFor(*micros, 0.01));
  }
  std::vector<json::Array> times(libraries.size());
  int64_t rounds = request.getInteger("rounds").value_or(10);
  for (int64_t round = 0; round < rounds; ++round)
    for (size_t place = 0; place < libraries.size(); ++place) {
      size_t which = (place + size_t(round)) % libraries.size();
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(bench->idleMillis()));
      auto micros = bench->time(libraries[which], calls[which]);
      if (!micros)
        return failure("launch_error", micros.takeError());
      times[which].push_back(*micros);
    }
  json::Array all;
  for (json::Array &each : times)
    all.push_back(std::move(each));
  return json::Object{{"status", "ok"}, {"micros", std::move(all)}};
}

} // namespace

int helionc::runtime::runWorker(std::map<std::string, Operation> operations) {
  // A worker must not outlive its parent, hung candidate or not. PR_SET_PDEATHSIG would fire when the thread ends that
  // started it.
  std::thread([parent = getppid()] {
    while (getppid() == parent)
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    _exit(0);
  }).detach();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN); // The parent decides what an interrupt means.
  // What a candidate prints must not get between the frames.
  int replies = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  fcntl(replies, F_SETFD, FD_CLOEXEC);
  Measurer measurer;
  operations["reference"] = [&](const json::Object &request) { return measurer.reference(request); };
  operations["measure"] = [&](const json::Object &request) { return measurer.measure(request); };
  operations["pair"] = [&](const json::Object &request) { return measurer.pair(request); };
  operations["ping"] = [](const json::Object &) { return json::Object{{"status", "ok"}}; };
  while (true) {
    auto frame = support::readFrame(STDIN_FILENO);
    if (!frame) {
      llvm::consumeError(frame.takeError());
      return 0;
    }
    json::Object reply = failure("launch_error", "the worker got a request that it does not know");
    if (auto value = json::parse(*frame)) {
      const json::Object *request = value->getAsObject();
      auto operation = request ? operations.find(request->getString("op").value_or("").str()) : operations.end();
      if (operation != operations.end())
        reply = operation->second(*request);
    } else {
      llvm::consumeError(value.takeError());
    }
    std::string text;
    llvm::raw_string_ostream(text) << json::Value(std::move(reply));
    if (Error error = support::writeFrame(replies, text)) {
      llvm::consumeError(std::move(error));
      return 0;
    }
  }
}
