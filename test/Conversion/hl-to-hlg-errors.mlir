// RUN: helion-opt %s --convert-hl-to-hlg -split-input-file -verify-diagnostics

hl.kernel @dynamic(%n: index, %out: !hl.tensor<[100], f32>) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{the bounds of a parallel loop must be known when the kernel is compiled}}
  hl.grid (%i) = (%c0) to (%n) step [32] {
  }
  hl.return
}

// -----

hl.kernel @symbolic(%x: !hl.tensor<[100], f32>) {
  // expected-error@below {{the kernel still has tuning parameters: run --hl-instantiate-config first}}
  hl.param @block_sizes.0 pow2 {min = 1, max = 8, default = 4}
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  hl.grid (%i) = (%c0) to (%c100) step [@block_sizes.0] {
  }
  hl.return
}

// -----

hl.kernel @too_many(%x: !hl.tensor<[4294967296], f32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 4294967296 : index
  // expected-error@below {{the launch has 4294967296 programs, more than the 2147483647 of a GPU's grid}}
  hl.grid (%i) = (%c0) to (%n) step [1] {
  }
  hl.return
}

// -----

hl.kernel @branch(%flag: i1, %x: !hl.tensor<[32], f32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  hl.grid (%i) = (%c0) to (%c32) step [32] {
    // expected-error@below {{a branch on a device value is not supported on the GPU yet}}
    hl.if %flag {
      hl.yield
    } else {
      hl.yield
    }
  }
  hl.return
}

// -----

hl.kernel @nest(%x: !hl.tensor<[32], f32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  hl.grid (%i) = (%c0) to (%c32) step [32] {
    // expected-error@below {{a sequential loop over several dims is not supported on the GPU yet}}
    hl.loop (%j, %k) = (%c0, %c0) to (%c32, %c32) step [32, 32] {
    }
  }
  hl.return
}
