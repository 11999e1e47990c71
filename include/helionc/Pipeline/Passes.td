//===- The autotune pass -----------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_PIPELINE_PASSES
#define HELIONC_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def Autotune : Pass<"hl-autotune", "::mlir::ModuleOp"> {
  let summary = "choose a configuration for each symbolic kernel by search, and instantiate it";
  let description = [{
    Reads each kernel's space, asks a `TuneService` for the best configuration, instantiates it, and leaves
    `hl.tuned` (the configuration as JSON) and `hl.tuning` (the record) on the kernel. The driver's service compiles and
    measures in worker processes. The pass as it is registered has one that reads recorded measurements: a file of JSON
    lines as `--tune-log=FILE.jsonl` writes them, with the strategy's proposals answered from it; a configuration that is
    not in the file counts as a failed candidate.
  }];
  let options = [Option<"strategy", "strategy", "std::string", "\"exhaustive\"", "random, pattern or exhaustive">,
                 Option<"measurements", "measurements", "std::string", "\"\"", "a file of recorded measurements">,
                 Option<"candidates", "candidates", "int64_t", "0", "at most so many (0: no limit)">,
                 Option<"seed", "seed", "uint64_t", "0", "makes the search repeatable">];
  let dependentDialects = ["::helionc::hl::HLDialect"];
}

#endif
