//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Parses argument bindings and dtype names.
//===----------------------------------------------------------------------===//
#include "helionc/Frontend/Bindings.h"

#include "helionc/Support/EditDistance.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace helionc::frontend;
using llvm::StringRef;

static constexpr StringRef dtypes[] = {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "bool"};

llvm::ArrayRef<StringRef> helionc::frontend::dtypeNames() { return dtypes; }

std::string helionc::frontend::canonicalDType(StringRef name) {
  name.consume_front("torch.");
  return llvm::StringSwitch<std::string>(name)
      .Cases({"f16", "float16", "half"}, "f16")
      .Cases({"bf16", "bfloat16"}, "bf16")
      .Cases({"f32", "float32", "float"}, "f32")
      .Cases({"f64", "float64", "double"}, "f64")
      .Cases({"i8", "int8"}, "i8")
      .Cases({"i16", "int16", "short"}, "i16")
      .Cases({"i32", "int32", "int"}, "i32")
      .Cases({"i64", "int64", "long"}, "i64")
      .Case("bool", "bool")
      .Default("");
}

std::string helionc::frontend::nearestDType(StringRef name) {
  name.consume_front("torch.");
  // Unsigned and 8-bit float types are real, but not supported yet: the list of what is says more than a neighbour.
  if (name.starts_with("u") || name.starts_with("f8") || name.starts_with("float8"))
    return "";
  return support::didYouMean(name, {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "bool", "float16",
                                    "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64"});
}

static bool parseSizes(StringRef text, std::vector<int64_t> &sizes, bool allowNegative) {
  if (text.trim().empty())
    return true;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || (size < 0 && !allowNegative) || size > (int64_t(1) << 40))
      return false;
    sizes.push_back(size);
  }
  return true;
}

static llvm::Expected<ArgBinding> parseTensor(StringRef text) {
  auto [dtype, rest] = text.split('[');
  TensorBinding tensor;
  tensor.dtype = canonicalDType(dtype.trim());
  if (tensor.dtype.empty()) {
    std::string nearest = nearestDType(dtype.trim());
    return llvm::createStringError("unknown dtype '" + dtype.trim() + "'\nhelp: " +
                                   (nearest.empty() ? "the dtypes are f16, bf16, f32, f64, i8, i16, i32, i64 and bool"
                                                    : "did you mean '" + nearest + "'?"));
  }
  auto [sizes, after] = rest.split(']');
  if (!rest.contains(']') || !parseSizes(sizes, tensor.shape, /*allowNegative=*/false))
    return llvm::createStringError("'" + text +
                                   "' is not a tensor\nhelp: write a dtype and sizes, such as bf16[4096,4096]");
  after = after.trim();
  if (after.empty())
    return ArgBinding(std::move(tensor));
  if (!after.consume_front(":strides(") || !after.consume_back(")") ||
      !parseSizes(after, tensor.strides, /*allowNegative=*/false))
    return llvm::createStringError("'" + text +
                                   "' has text after its sizes\nhelp: strides are written f16[128,64]:strides(1,128)");
  if (tensor.strides.size() != tensor.shape.size())
    return llvm::createStringError("'" + text + "' has " + llvm::Twine(tensor.shape.size()) + " sizes and " +
                                   llvm::Twine(tensor.strides.size()) + " strides");
  return ArgBinding(std::move(tensor));
}

llvm::Expected<ArgBinding> helionc::frontend::parseArgBinding(StringRef text) {
  text = text.trim();
  if (text.contains('['))
    return parseTensor(text);
  int64_t integer;
  double number;
  if (!text.getAsInteger(10, integer))
    return ArgBinding(integer);
  if (text.equals_insensitive("none"))
    return ArgBinding(std::monostate());
  if (text.equals_insensitive("true") || text.equals_insensitive("false"))
    return ArgBinding(text.equals_insensitive("true"));
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    return ArgBinding(text.drop_front().drop_back().str());
  if (!text.getAsDouble(number))
    return ArgBinding(number);
  return llvm::createStringError("'" + text +
                                 "' is neither a tensor, a number, true, false nor none\nhelp: write a tensor as "
                                 "bf16[4096,4096], a word in quotes");
}
