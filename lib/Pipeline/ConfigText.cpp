//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// Configuration attributes as text.
//===----------------------------------------------------------------------===//
#include "helionc/Pipeline/ConfigText.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static llvm::json::Value toJson(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  return llvm::json::Array(cast<DenseI64ArrayAttr>(attribute).asArrayRef());
}

std::string helionc::pipeline::configToJson(DictionaryAttr config) {
  llvm::json::Object object;
  for (NamedAttribute entry : config)
    object[entry.getName().getValue()] = toJson(entry.getValue());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}
