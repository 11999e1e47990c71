//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// A configuration as attributes, and as the JSON that users write.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_CONFIGTEXT_H
#define HELIONC_PIPELINE_CONFIGTEXT_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace helionc::pipeline {

/// The `config` attribute of an instantiated kernel as one line of JSON with flat names.
std::string configToJson(mlir::DictionaryAttr config);

} // namespace helionc::pipeline

#endif // HELIONC_PIPELINE_CONFIGTEXT_H
