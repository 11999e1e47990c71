//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The hlg dialect: GPU tile programs with layouts.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HLG_HLG_H
#define HELIONC_DIALECT_HLG_HLG_H

#include "helionc/Dialect/HLG/Layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "helionc/Dialect/HLG/HLGDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "helionc/Dialect/HLG/HLGAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "helionc/Dialect/HLG/HLGTypes.h.inc"
#define GET_OP_CLASSES
#include "helionc/Dialect/HLG/HLGOps.h.inc"

namespace helionc::hlg {

/// The layout that an attribute holds, and back.
Layout toLayout(LayoutAttr attribute);
LayoutAttr toAttribute(mlir::MLIRContext *context, const Layout &layout);

} // namespace helionc::hlg

#endif // HELIONC_DIALECT_HLG_HLG_H
