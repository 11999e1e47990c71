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

class HLG_Attr<string name, string attrMnemonic> : AttrDef<HLG_Dialect, name> {
  let mnemonic = attrMnemonic;
}
class HLG_Type<string name, string typeMnemonic> : TypeDef<HLG_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def HLG_LayoutAttr : HLG_Attr<"Layout", "layout"> {
  let summary = "which thread holds which elements of a tile";
  let description = [{
    Linear over bits: bit i of the register number, of the lane and of the warp moves the index by its basis vector; a zero
    vector means that both values of the bit hold the same element (a copy). On top, `repeat` says how many times the whole
    pattern is laid side by side along each dim, with fresh registers, so that extents need not be powers of two.

    Example: `#hlg.layout<rank 1, reg [[1], [2]], lane [[4], [8], [16], [32], [64]], warp [], repeat [2]>` gives each lane
    four neighbours of every 128 of 256 elements.

    - C1: every basis vector has `rank` numbers, `repeat` too, all of them at least 1 there.
  }];
  let parameters = (ins "int64_t":$rank, ArrayRefParameter<"int64_t">:$reg, ArrayRefParameter<"int64_t">:$lane,
                        ArrayRefParameter<"int64_t">:$warp, ArrayRefParameter<"int64_t">:$repeat);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def HLG_RegType : HLG_Type<"Reg", "reg"> {
  let summary = "a tile spread over the registers of a block's threads";
  let description = [{
    Example: `!hlg.reg<[64, 128], f32, #hlg.layout<…>>`. Elements of the layout beyond the shape are not part of the value.

    C1: the layout has the shape's rank and covers it.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
