//===- Operations of the hlg dialect ----------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_DIALECT_HLG_OPS
#define HELIONC_DIALECT_HLG_OPS

include "helionc/Dialect/HLG/HLGDialect.td"

#endif
