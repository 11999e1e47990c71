// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
def Lost : Pass<"hl-lost", "::mlir::ModuleOp"> {}
def Found : Pass<"hl-found", "::mlir::ModuleOp"> {}
def Twice : Pass<"hl-found", "::mlir::ModuleOp"> {}
