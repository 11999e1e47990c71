// RUN: helion-opt %s --hl-autotune="strategy=exhaustive measurements=%S/Inputs/measurements.jsonl" | FileCheck %s
// RUN: helion-opt %s --hl-autotune="strategy=exhaustive measurements=%S/Inputs/measurements-other.jsonl" | FileCheck %s --check-prefix=OTHER

// The fastest right one wins, not the fastest; what is measured decides what is baked.
// CHECK: hl.kernel @copy
// CHECK-SAME: config = {block_sizes.0 = 32 : i64}
// CHECK-SAME: hl.tuned
// CHECK-SAME: hl.tuning
// CHECK-NOT: hl.param
// CHECK: !hl.span<32>
// OTHER: config = {block_sizes.0 = 16 : i64}
hl.kernel @copy(%x: !hl.tensor<[100], f32> {hl.name = "x", hl.role = "in"},
                %out: !hl.tensor<[100], f32> {hl.name = "out", hl.role = "out"}) {
  hl.param @block_sizes.0 pow2 {min = 16, max = 64, default = 64 : i64, role = "block"}
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  hl.grid (%t) = (%c0) to (%c100) step [@block_sizes.0] {
    %v = hl.load %x[%t] : !hl.tensor<[100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
    hl.store %v, %out[%t] : !hl.tile<[@block_sizes.0], f32>, !hl.tensor<[100], f32>, !hl.span<@block_sizes.0>
  }
  hl.return
}
