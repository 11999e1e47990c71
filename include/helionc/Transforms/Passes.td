//===- Passes over the hl dialect -------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_TRANSFORMS_PASSES
#define HELIONC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def InstantiateConfig : Pass<"hl-instantiate-config", "::mlir::ModuleOp"> {
  let summary = "replace the tuning parameters of each kernel by the values of one configuration";
  let description = [{
    Every type, loop step and `hl.extent` that names an `hl.param` gets the value that `config` (a JSON object in Helion's
    form, `{"block_sizes": [64, 32], "num_warps": 4}`; missing keys take their defaults) gives it. The parameters and
    requirements disappear; the whole configuration stays as the kernel's `config` attribute. A configuration outside the
    space is an error that lists every reason. (In a textual pipeline the object takes a second pair of braces, since the
    first belongs to the option: `config={{"num_warps":4}}`.)
  }];
  let options = [Option<"config", "config", "std::string", "\"{}\"", "the configuration, a JSON object">];
  let dependentDialects = ["::helionc::hl::HLDialect"];
}

def ResolvePadding : Pass<"hl-resolve-padding", "::helionc::hl::KernelOp"> {
  let summary = "give reductions and dots neutral padding";
  let description = [{
    Follows the value that each tile is known to hold in its padding and inserts `hl.fill_padding` before each `hl.reduce`
    and `hl.dot` whose operand is not known to be neutral there. After it, both count every element.
  }];
  let dependentDialects = ["::helionc::hl::HLDialect", "::mlir::arith::ArithDialect"];
}

#endif
