// RUN: helion-opt %s --pass-pipeline='builtin.module(hl.kernel(hl-resolve-padding))' -split-input-file -verify-diagnostics

hl.kernel @shared(%x: !hl.tensor<[100, 100], f32>) {
  hl.param @block_sizes.0 pow2 {min = 1, max = 8, default = 4}
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  hl.grid (%i, %j) = (%c0, %c0) to (%c100, %c100) step [@block_sizes.0, @block_sizes.0] {
    %v = hl.load %x[%i, %j] : !hl.tensor<[100, 100], f32>, !hl.span<@block_sizes.0>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0, @block_sizes.0], f32>
    // expected-error@below {{two enclosing loops share the block size @block_sizes.0}}
    %s = hl.reduce sum %v dim 1 : !hl.tile<[@block_sizes.0, @block_sizes.0], f32> -> !hl.tile<[@block_sizes.0], f32>
  }
  hl.return
}
