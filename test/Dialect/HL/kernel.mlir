// RUN: helion-opt %s | helion-opt | FileCheck %s

// CHECK-LABEL: hl.kernel @copy
// CHECK-SAME: %[[X:.*]]: !hl.tensor<[100], f32> {hl.name = "x", hl.role = "in"}
hl.kernel @copy(%x: !hl.tensor<[100], f32> {hl.name = "x", hl.role = "in"},
                %out: !hl.tensor<[100], f32> {hl.name = "out", hl.role = "out"}) {
  // CHECK: hl.param @block_sizes.0 pow2 {default = 64 : i64, max = 128 : i64, min = 1 : i64, role = "block"}
  hl.param @block_sizes.0 pow2 {min = 1, max = 128, default = 64, role = "block"}
  // CHECK: hl.param @num_warps enum {choices = [1, 2, 4], default = 4 : i64}
  hl.param @num_warps enum {choices = [1, 2, 4], default = 4 : i64}
  // CHECK: hl.param @fast bool {default = false}
  hl.param @fast bool {default = false}
  // CHECK: hl.param @loop_orders.0 permutation {default = array<i64: 1, 0>, max = 2 : i64}
  hl.param @loop_orders.0 permutation {max = 2, default = array<i64: 1, 0>}
  // CHECK: hl.require "block_sizes.0 <= 64 * num_warps", "too large"
  hl.require "block_sizes.0 <= 64 * num_warps", "too large"
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  // CHECK: hl.grid (%[[T:.*]]) = (%{{.*}}) to (%{{.*}}) step [@block_sizes.0] {
  hl.grid (%t) = (%c0) to (%c100) step [@block_sizes.0] {
    // CHECK: hl.load %[[X]][%[[T]]] : !hl.tensor<[100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
    %v = hl.load %x[%t] : !hl.tensor<[100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
    // CHECK: hl.store %{{.*}}, %{{.*}}[%[[T]]] : !hl.tile<[@block_sizes.0], f32>, !hl.tensor<[100], f32>, !hl.span<@block_sizes.0>
    hl.store %v, %out[%t] : !hl.tile<[@block_sizes.0], f32>, !hl.tensor<[100], f32>, !hl.span<@block_sizes.0>
  }
  // CHECK: hl.return
  hl.return
}
