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
#include <cstdio>
#include <cstring>
#include <thread>
#include <type_traits>

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
  return json::Object{
      {"kernel", kernel}, {"args", std::move(list)}, {"seed", int64_t(seed)}, {"reference", referencePath}};
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

namespace {
/// How elements of a dtype are stored; Value is exact for every element.
template <typename Stored, typename ValueType = double> struct Plain {
  using Value = ValueType;
  static constexpr size_t size = sizeof(Stored);
  static Value read(const char *at) {
    Stored stored;
    std::memcpy(&stored, at, sizeof stored);
    return Value(stored);
  }
  static void write(char *at, double value) {
    Stored stored = Stored(value);
    std::memcpy(at, &stored, sizeof stored);
  }
};
struct F16 : Plain<_Float16> {
  // Through f32: there is no direct conversion from double on every processor.
  static void write(char *at, double value) { Plain<_Float16>::write(at, float(value)); }
};
struct BF16 {
  using Value = double;
  static constexpr size_t size = 2;
  static Value read(const char *at) {
    uint16_t half;
    std::memcpy(&half, at, 2);
    uint32_t bits = uint32_t(half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  static void write(char *at, double value) {
    uint16_t half = toBf16(float(value));
    std::memcpy(at, &half, 2);
  }
};
} // namespace

/// Calls `work` with the storage of `dtype`: one choice a tensor, not one an element.
template <typename Work> static auto withStorage(const std::string &dtype, Work work) {
  if (dtype == "f32")
    return work(Plain<float>());
  if (dtype == "f64")
    return work(Plain<double>());
  if (dtype == "bf16")
    return work(BF16());
  if (dtype == "f16")
    return work(F16());
  if (dtype == "i64")
    return work(Plain<int64_t, int64_t>());
  if (dtype == "i32")
    return work(Plain<int32_t>());
  if (dtype == "i16")
    return work(Plain<int16_t>());
  return work(Plain<int8_t>());
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
  withStorage(argument.dtype, [&](auto storage) {
    for (int64_t i = 0; i < count; ++i) {
      uint64_t bits = mix(base + uint64_t(i));
      // The sum of four uniform numbers is close to normal; its variance is 4/12.
      double sum =
          double(bits & 0xffff) + double((bits >> 16) & 0xffff) + double((bits >> 32) & 0xffff) + double(bits >> 48);
      double normal = (sum / 65536.0 - 2.0) * 1.7320508075688772;
      storage.write(bytes.data() + i * size, isFloat  ? normal
                                             : isBool ? double(bits & 1)
                                                      : double(int64_t(bits % 17) - 8));
    }
  });
  return bytes;
}

/// The share of an element, and of the output's root mean square, that it may be off by.
static double tolerance(const std::string &dtype) {
  return dtype == "f32" ? 5e-4 : dtype == "bf16" ? 2e-2 : dtype == "f16" ? 4e-3 : dtype == "f64" ? 1e-9 : 0;
}

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

namespace {
/// What one thread found in its part of an output.
struct Differences {
  double squares = 0, worst = 0;
  int64_t written = 0, wrong = 0, first = -1;
};

/// Runs `work(i, result)` for i in [0, count), parts of that in threads.
template <typename Work> Differences overElements(int64_t count, Work work) {
  int64_t parts = std::clamp<int64_t>(count >> 18, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Differences> results(static_cast<size_t>(parts));
  auto run = [&](int64_t part) {
    Differences result;
    for (int64_t i = count * part / parts, end = count * (part + 1) / parts; i < end; ++i)
      work(i, result);
    results[size_t(part)] = result;
  };
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part)
    threads.emplace_back(run, part);
  run(0);
  for (std::thread &thread : threads)
    thread.join();
  Differences all;
  for (const Differences &part : results) {
    all.squares += part.squares;
    all.worst = std::max(all.worst, part.worst);
    all.written += part.written;
    all.wrong += part.wrong;
    all.first = all.first < 0 ? part.first : all.first;
  }
  return all;
}

/// One output beside the two runs of the reference.
template <typename Storage> struct Comparison {
  using Value = typename Storage::Value;
  const char *outputs, *reference, *other;
  int64_t count;
  double share;

  /// Whether the reference writes the element: what it leaves alone differs by the poison.
  bool isWritten(int64_t i) const {
    return std::memcmp(reference + i * Storage::size, other + i * Storage::size, Storage::size) == 0;
  }
  static std::string text(const char *at) {
    Value value = Storage::read(at);
    if constexpr (std::is_integral_v<Value>)
      return std::to_string(value);
    else
      return numberText(value);
  }
  Differences sumSquares() const {
    return overElements(count, [this](int64_t i, Differences &result) {
      if (!isWritten(i))
        return;
      double value = double(Storage::read(reference + i * Storage::size));
      result.squares += std::isfinite(value) ? value * value : 0;
      ++result.written;
    });
  }
  Differences findWrong(double rms) const {
    return overElements(count, [this, rms](int64_t i, Differences &result) {
      Value want = Storage::read(reference + i * Storage::size), have = Storage::read(outputs + i * Storage::size);
      if (have == want || (want != want && have != have) || !isWritten(i))
        return;
      double off = std::fabs(double(want) - double(have));
      // An infinity is no tolerance for what is finite.
      if (share > 0 && off < HUGE_VAL && off <= share * (std::fabs(double(want)) + rms))
        return;
      result.worst = std::isnan(off) ? HUGE_VAL : std::max(result.worst, off);
      result.first = result.wrong++ ? result.first : i;
    });
  }
  std::string run(const std::string &name) const {
    Differences sum = sumSquares();
    Differences found = findWrong(sum.written ? std::sqrt(sum.squares / double(sum.written)) : 0);
    if (!found.wrong)
      return "";
    return llvm::formatv("'{0}' is wrong in {1} of {2} elements, first at element {3}: {4} instead of {5}; "
                         "largest error {6}",
                         name, found.wrong, sum.written, found.first, text(outputs + found.first * Storage::size),
                         text(reference + found.first * Storage::size), numberText(found.worst))
        .str();
  }
};
} // namespace

std::string helionc::runtime::compareOutput(const artifact::Argument &argument, const char *outputs,
                                            const char *reference, const char *otherReference) {
  int64_t count = spanBytes(argument) / artifact::dtypeBytes(argument.dtype);
  return withStorage(argument.dtype, [&](auto storage) {
    return Comparison<decltype(storage)>{outputs, reference, otherReference, count, tolerance(argument.dtype)}.run(
        argument.name);
  });
}

bool helionc::runtime::holdsPoison(const Problem &problem, llvm::ArrayRef<char> outputs, unsigned char poison) {
  const char *at = outputs.data();
  for (const artifact::Argument &argument : problem.args) {
    if (!isWritten(argument))
      continue;
    size_t size = size_t(artifact::dtypeBytes(argument.dtype));
    const char *end = at + spanBytes(argument);
    for (; argument.role == artifact::ArgRole::Out && at < end; at += size)
      if (std::all_of(at, at + size, [&](char byte) { return (unsigned char)byte == poison; }))
        return true;
    at = end;
  }
  return false;
}
