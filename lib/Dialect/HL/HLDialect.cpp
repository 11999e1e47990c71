//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The hl dialect: registration.
//===----------------------------------------------------------------------===//
#include "helionc/Dialect/HL/HL.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace helionc::hl;

#include "helionc/Dialect/HL/HLDialect.cpp.inc"
#include "helionc/Dialect/HL/HLEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "helionc/Dialect/HL/HLAttrs.cpp.inc"

void HLDialect::initialize() {
  registerTypes();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "helionc/Dialect/HL/HLAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "helionc/Dialect/HL/HLOps.cpp.inc"
      >();
}

mlir::Operation *HLDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value, mlir::Type type,
                                                mlir::Location loc) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, loc);
}
