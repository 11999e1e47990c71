//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Problems: codec, inputs, comparison.
//===----------------------------------------------------------------------===//
#include "helionc/Runtime/Problem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

using namespace helionc;
using namespace helionc::runtime;
namespace json = llvm::json;

static constexpr llvm::StringRef roles[] = {"in", "out", "inout", "temp", "scalar"};

json::Value Problem::toJson() const {
  json::Array list;
  for (const artifact::Argument &argument : args)
    list.push_back(json::Object{{"name", argument.name},
                                {"role", roles[size_t(argument.role)]},
                                {"dtype", argument.dtype},
                                {"shape", argument.shape},
                                {"strides", argument.strides}});
  return json::Object{{"kernel", kernel}, {"args", std::move(list)}, {"seed", int64_t(seed)}, {"reference", referencePath}};
}

static std::vector<int64_t> integers(const json::Array *array) {
  std::vector<int64_t> result;
  if (array)
    for (const json::Value &value : *array)
      result.push_back(value.getAsInteger().value_or(0));
  return result;
}

llvm::Expected<Problem> Problem::fromJson(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  const json::Array *list = object ? object->getArray("args") : nullptr;
  if (!list)
    return llvm::createStringError("a problem without arguments");
  Problem problem;
  problem.kernel = object->getString("kernel").value_or("").str();
  problem.seed = uint64_t(object->getInteger("seed").value_or(0));
  problem.referencePath = object->getString("reference").value_or("").str();
  for (const json::Value &entry : *list) {
    const json::Object *fields = entry.getAsObject();
    if (!fields)
      return llvm::createStringError("an argument of a problem is not an object");
    artifact::Argument argument;
    argument.name = fields->getString("name").value_or("").str();
    argument.dtype = fields->getString("dtype").value_or("").str();
    argument.shape = integers(fields->getArray("shape"));
    argument.strides = integers(fields->getArray("strides"));
    auto role = llvm::find(roles, fields->getString("role").value_or(""));
    if (role == std::end(roles) || argument.shape.size() != argument.strides.size() ||
        !artifact::dtypeBytes(argument.dtype))
      return llvm::createStringError("the argument '" + argument.name + "' of a problem is not valid");
    argument.role = artifact::ArgRole(role - std::begin(roles));
    problem.args.push_back(std::move(argument));
  }
  return problem;
}

int64_t helionc::runtime::spanBytes(const artifact::Argument &argument) {
  int64_t last = 0;
  for (size_t i = 0; i < argument.shape.size(); ++i) {
    if (argument.shape[i] == 0)
      return 0;
    last += (argument.shape[i] - 1) * argument.strides[i];
  }
  return (last + 1) * artifact::dtypeBytes(argument.dtype);
}

bool helionc::runtime::isWritten(const artifact::Argument &argument) {
  return argument.role == artifact::ArgRole::Out || argument.role == artifact::ArgRole::InOut;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static void writeElement(char *at, const std::string &dtype, double value) {
  auto put = [&](auto typed) { std::memcpy(at, &typed, sizeof typed); };
  if (dtype == "f32")
    put(float(value));
  else if (dtype == "f64")
    put(value);
  else if (dtype == "bf16")
    put(toBf16(float(value)));
  else if (dtype == "f16")
    put(_Float16(float(value)));
  else if (dtype == "i64")
    put(int64_t(value));
  else if (dtype == "i32")
    put(int32_t(value));
  else if (dtype == "i16")
    put(int16_t(value));
  else
    put(int8_t(value));
}

static double readElement(const char *at, const std::string &dtype) {
  auto get = [&](auto typed) {
    std::memcpy(&typed, at, sizeof typed);
    return double(typed);
  };
  if (dtype == "f32")
    return get(float());
  if (dtype == "f64")
    return get(double());
  if (dtype == "bf16") {
    uint16_t half;
    std::memcpy(&half, at, 2);
    uint32_t bits = uint32_t(half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  if (dtype == "f16")
    return get(_Float16());
  if (dtype == "i64")
    return get(int64_t());
  if (dtype == "i32")
    return get(int32_t());
  if (dtype == "i16")
    return get(int16_t());
  return get(int8_t());
}

/// SplitMix64: a counter to 64 random bits.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::vector<char> helionc::runtime::generateInput(const artifact::Argument &argument, uint64_t seed, size_t index) {
  int64_t size = artifact::dtypeBytes(argument.dtype), count = spanBytes(argument) / size;
  std::vector<char> bytes(size_t(count * size));
  bool isFloat = argument.dtype[0] == 'f' || argument.dtype == "bf16", isBool = argument.dtype == "bool";
  uint64_t base = mix(mix(seed) + index);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = mix(base + uint64_t(i));
    // The sum of four uniform numbers is close to normal; its variance is 4/12.
    double sum = double(bits & 0xffff) + double((bits >> 16) & 0xffff) + double((bits >> 32) & 0xffff) + double(bits >> 48);
    double normal = (sum / 65536.0 - 2.0) * 1.7320508075688772;
    double value = isFloat ? normal : isBool ? double(bits & 1) : double(int64_t(bits % 17) - 8);
    writeElement(bytes.data() + i * size, argument.dtype, value);
  }
  return bytes;
}

/// The share of an element, and of the output's root mean square, that it may be off by.
static double tolerance(const std::string &dtype) {
  return dtype == "f32" ? 5e-4 : dtype == "bf16" ? 2e-2 : dtype == "f16" ? 4e-3 : dtype == "f64" ? 1e-9 : 0;
}

namespace {
/// What one thread found in its part of an output.
struct Differences {
  double squares = 0, worst = 0;
  int64_t written = 0, wrong = 0, first = -1;
};

/// Runs `work(begin, end, result)` over parts of [0, count) in threads.
template <typename Work> std::vector<Differences> inParts(int64_t count, Work work) {
  int64_t parts = std::clamp<int64_t>(count >> 18, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Differences> results(static_cast<size_t>(parts));
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part)
    threads.emplace_back([&, part] { work(count * part / parts, count * (part + 1) / parts, results[size_t(part)]); });
  work(0, count / parts, results[0]);
  for (std::thread &thread : threads)
    thread.join();
  return results;
}
} // namespace

std::string helionc::runtime::compareOutput(const artifact::Argument &argument, const char *outputs, const char *reference,
                                            const char *otherReference) {
  int64_t size = artifact::dtypeBytes(argument.dtype), count = spanBytes(argument) / size;
  auto isWritten = [&](int64_t i) {
    return !std::memcmp(reference + i * size, otherReference + i * size, size_t(size));
  };
  Differences all;
  for (const Differences &part : inParts(count, [&](int64_t begin, int64_t end, Differences &result) {
         for (int64_t i = begin; i < end; ++i) {
           if (!isWritten(i))
             continue;
           double value = readElement(reference + i * size, argument.dtype);
           result.squares += std::isfinite(value) ? value * value : 0;
           ++result.written;
         }
       })) {
    all.squares += part.squares;
    all.written += part.written;
  }
  double rms = all.written ? std::sqrt(all.squares / double(all.written)) : 0, share = tolerance(argument.dtype);
  for (const Differences &part : inParts(count, [&](int64_t begin, int64_t end, Differences &result) {
         for (int64_t i = begin; i < end; ++i) {
           if (!std::memcmp(outputs + i * size, reference + i * size, size_t(size)) || !isWritten(i))
             continue;
           double want = readElement(reference + i * size, argument.dtype);
           double have = readElement(outputs + i * size, argument.dtype);
           if ((std::isnan(want) && std::isnan(have)) || want == have)
             continue;
           double off = std::fabs(want - have);
           if (off <= share * std::fabs(want) + share * rms)
             continue;
           result.worst = std::isnan(off) ? HUGE_VAL : std::max(result.worst, off);
           result.first = result.wrong++ ? result.first : i;
         }
       })) {
    all.worst = std::max(all.worst, part.worst);
    all.wrong += part.wrong;
    all.first = all.first < 0 ? part.first : all.first;
  }
  if (!all.wrong)
    return "";
  return llvm::formatv("'{0}' is wrong in {1} of {2} elements, first at element {3}: {4} instead of {5}; largest error {6}",
                       argument.name, all.wrong, all.written, all.first,
                       readElement(outputs + all.first * size, argument.dtype),
                       readElement(reference + all.first * size, argument.dtype), all.worst)
      .str();
}
