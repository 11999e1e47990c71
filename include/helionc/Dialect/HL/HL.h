//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The hl dialect: tile programs with symbolic tuning parameters.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HL_HL_H
#define HELIONC_DIALECT_HL_HL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "helionc/Dialect/HL/HLDialect.h.inc"
#include "helionc/Dialect/HL/HLEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "helionc/Dialect/HL/HLAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "helionc/Dialect/HL/HLTypes.h.inc"
#define GET_OP_CLASSES
#include "helionc/Dialect/HL/HLOps.h.inc"

#endif // HELIONC_DIALECT_HL_HL_H
