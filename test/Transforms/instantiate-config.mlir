// RUN: helion-opt %s --hl-instantiate-config='config={{"block_sizes":[32],"num_warps":2}}' | FileCheck %s
// RUN: helion-opt %s --hl-instantiate-config | FileCheck %s --check-prefix=DEFAULT

// CHECK: hl.kernel @copy
// CHECK-SAME: attributes {config = {block_sizes.0 = 32 : i64, num_warps = 2 : i64}}
// DEFAULT: attributes {config = {block_sizes.0 = 64 : i64, num_warps = 4 : i64}}
hl.kernel @copy(%x: !hl.tensor<[128], f32> {hl.role = "in"}, %out: !hl.tensor<[1], f32> {hl.role = "out"}) {
  // CHECK-NOT: hl.param
  // CHECK-NOT: hl.require
  hl.param @block_sizes.0 pow2 {min = 1, max = 128, default = 64 : i64}
  hl.param @num_warps enum {choices = [1, 2, 4], default = 4 : i64}
  hl.require "block_sizes.0 <= 64 * num_warps", "too large"
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: hl.grid (%[[T:.*]]) = (%{{.*}}) to (%{{.*}}) step [32]
  hl.grid (%t) = (%c0) to (%c128) step [@block_sizes.0] {
    // CHECK: hl.load %{{.*}}[%[[T]]] : !hl.tensor<[128], f32>, !hl.span<32> -> !hl.tile<[32], f32>
    %v = hl.load %x[%t] : !hl.tensor<[128], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
    // Blocks of 32 have no padding in 128: the fill goes.
    // CHECK-NOT: hl.fill_padding
    %f = hl.fill_padding %v, %zero spans(%t) dims [0] : !hl.tile<[@block_sizes.0], f32>, f32, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
    %s = hl.reduce max %f dim 0 : !hl.tile<[@block_sizes.0], f32> -> !hl.tile<[], f32>
    // CHECK: hl.extent 32
    %e = hl.extent @block_sizes.0
    hl.store %s, %out[%c0] : !hl.tile<[], f32>, !hl.tensor<[1], f32>, index
  }
  hl.return
}
