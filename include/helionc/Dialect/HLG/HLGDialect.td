//===- The hlg dialect: GPU tile programs with layouts ----------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HLG_DIALECT
#define HELIONC_DIALECT_HLG_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def HLG_Dialect : Dialect {
  let name = "hlg";
  let summary = "GPU tile programs whose values have layouts over registers, lanes and warps";
  let cppNamespace = "::helionc::hlg";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif
