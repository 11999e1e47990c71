// RUN: not helion-opt %s --hl-autotune="measurements=%t.none" 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: not helion-opt %s --hl-autotune="strategy=exhaustiv measurements=%S/Inputs/measurements.jsonl" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: echo '{"config": {"block_sizes.0": 16}, "measurement": {"status": "wrong_result", "error": "bad"}}' > %t.wrong
// RUN: not helion-opt %s --hl-autotune="measurements=%t.wrong" 2>&1 | FileCheck %s --check-prefix=ALLWRONG
// RUN: echo 'no json' > %t.garbage
// RUN: not helion-opt %s --hl-autotune="measurements=%t.garbage" 2>&1 | FileCheck %s --check-prefix=GARBAGE

// NOFILE: error: cannot read the measurements
// NAME: did you mean 'exhaustive'
// ALLWRONG: error: no valid candidate
// GARBAGE: error: line 1 of
hl.kernel @k() {
  hl.param @block_sizes.0 pow2 {min = 16, max = 64, default = 64 : i64, role = "block"}
  hl.return
}
