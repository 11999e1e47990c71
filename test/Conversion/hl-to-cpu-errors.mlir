// RUN: helion-opt %s --convert-hl-to-cpu -split-input-file -verify-diagnostics

hl.kernel @dynamic(%n: index, %out: !hl.tensor<[100], f32>) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{the bounds of a grid must be known when the kernel is compiled}}
  hl.grid (%i) = (%c0) to (%n) step [32] {
  }
  hl.return
}

// -----

hl.kernel @symbolic(%x: !hl.tensor<[100], f32>) {
  hl.param @block_sizes.0 pow2 {min = 1, max = 8, default = 4}
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  // expected-error@below {{the kernel still has tuning parameters; run --hl-instantiate-config first}}
  hl.grid (%i) = (%c0) to (%c100) step [@block_sizes.0] {
    %v = hl.load %x[%i] : !hl.tensor<[100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
  }
  hl.return
}
