// RUN: helion-opt %s --pass-pipeline='builtin.module(hl.kernel(hl-resolve-padding))' -split-input-file | FileCheck %s

// A load is 0 in the padding: enough for a sum, not for a maximum.
// CHECK-LABEL: hl.kernel @rows
hl.kernel @rows(%x: !hl.tensor<[8, 100], f32>, %out: !hl.tensor<[8], f32> {hl.role = "out"}) {
  hl.param @block_sizes.0 pow2 {min = 1, max = 8, default = 4}
  hl.param @block_sizes.1 pow2 {min = 1, max = 128, default = 64}
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  // CHECK: hl.grid (%[[I:.*]], %[[J:.*]]) =
  hl.grid (%i, %j) = (%c0, %c0) to (%c8, %c100) step [@block_sizes.0, @block_sizes.1] {
    // CHECK: %[[V:.*]] = hl.load
    %v = hl.load %x[%i, %j] : !hl.tensor<[8, 100], f32>, !hl.span<@block_sizes.0>, !hl.span<@block_sizes.1> -> !hl.tile<[@block_sizes.0, @block_sizes.1], f32>
    // CHECK-NEXT: hl.reduce sum %[[V]] dim 1
    %s = hl.reduce sum %v dim 1 : !hl.tile<[@block_sizes.0, @block_sizes.1], f32> -> !hl.tile<[@block_sizes.0], f32>
    // CHECK: %[[INF:.*]] = arith.constant 0xFF800000 : f32
    // CHECK: %[[F:.*]] = hl.fill_padding %[[V]], %[[INF]] spans(%[[J]]) dims [1]
    // CHECK-NEXT: hl.reduce max %[[F]] dim 1
    %m = hl.reduce max %v dim 1 : !hl.tile<[@block_sizes.0, @block_sizes.1], f32> -> !hl.tile<[@block_sizes.0], f32>
    // x * 2 is 0 where x is; exp(x) is 1 there.
    %twice = hl.map (%a = %v) : (!hl.tile<[@block_sizes.0, @block_sizes.1], f32>) -> !hl.tile<[@block_sizes.0, @block_sizes.1], f32> {
      %two = arith.constant 2.0 : f32
      %t = arith.mulf %a, %two : f32
      hl.yield %t : f32
    }
    // CHECK: %[[TWICE:.*]] = hl.map
    // CHECK: hl.reduce sum %[[TWICE]] dim 1
    %s2 = hl.reduce sum %twice dim 1 : !hl.tile<[@block_sizes.0, @block_sizes.1], f32> -> !hl.tile<[@block_sizes.0], f32>
    // CHECK: %[[EXP:.*]] = hl.map
    %e = hl.map (%a = %v) : (!hl.tile<[@block_sizes.0, @block_sizes.1], f32>) -> !hl.tile<[@block_sizes.0, @block_sizes.1], f32> {
      %t = math.exp %a : f32
      hl.yield %t : f32
    }
    // CHECK: %[[G:.*]] = hl.fill_padding %[[EXP]], %{{.*}} spans(%[[J]]) dims [1]
    // CHECK: hl.reduce sum %[[G]] dim 1
    %s3 = hl.reduce sum %e dim 1 : !hl.tile<[@block_sizes.0, @block_sizes.1], f32> -> !hl.tile<[@block_sizes.0], f32>
    // A whole dim has no padding.
    hl.store %s, %out[%i] : !hl.tile<[@block_sizes.0], f32>, !hl.tensor<[8], f32>, !hl.span<@block_sizes.0>
  }
  hl.return
}

// -----

// A value carried by a loop is known only if what comes back agrees with what went in.
// CHECK-LABEL: hl.kernel @carried
hl.kernel @carried(%x: !hl.tensor<[100], f32>, %out: !hl.tensor<[1], f32> {hl.role = "out"}) {
  hl.param @block_sizes.0 pow2 {min = 1, max = 8, default = 4}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  hl.grid (%i) = (%c0) to (%c100) step [@block_sizes.0] {
    %init = hl.full %zero : f32 -> !hl.tile<[@block_sizes.0], f32>
    // CHECK: %[[R:.*]]:2 = hl.loop
    %r:2 = hl.loop (%k) = (%c0) to (%c4) step [1] iter(%a = %init, %b = %init) -> (!hl.tile<[@block_sizes.0], f32>, !hl.tile<[@block_sizes.0], f32>) {
      %v = hl.load %x[%i] : !hl.tensor<[100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
      %s = hl.map (%p = %a, %q = %v) : (!hl.tile<[@block_sizes.0], f32>, !hl.tile<[@block_sizes.0], f32>) -> !hl.tile<[@block_sizes.0], f32> {
        %t = arith.addf %p, %q : f32
        hl.yield %t : f32
      }
      %u = hl.map (%p = %b) : (!hl.tile<[@block_sizes.0], f32>) -> !hl.tile<[@block_sizes.0], f32> {
        %t = arith.addf %p, %one : f32
        hl.yield %t : f32
      }
      hl.yield %s, %u : !hl.tile<[@block_sizes.0], f32>, !hl.tile<[@block_sizes.0], f32>
    }
    // CHECK: hl.reduce sum %[[R]]#0
    %s0 = hl.reduce sum %r#0 dim 0 : !hl.tile<[@block_sizes.0], f32> -> !hl.tile<[], f32>
    // CHECK: hl.fill_padding %[[R]]#1
    %s1 = hl.reduce sum %r#1 dim 0 : !hl.tile<[@block_sizes.0], f32> -> !hl.tile<[], f32>
  }
  hl.return
}

// -----

// Both operands of a dot are made zero along k: 0 times an unknown value may be NaN.
// CHECK-LABEL: hl.kernel @dots
hl.kernel @dots(%x: !hl.tensor<[8, 100], f32>, %y: !hl.tensor<[100, 8], f32>) {
  hl.param @block_sizes.0 pow2 {min = 1, max = 8, default = 4}
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  hl.grid (%k) = (%c0) to (%c100) step [@block_sizes.0] {
    %acc = hl.full %zero : f32 -> !hl.tile<[8, 8], f32>
    // CHECK: %[[A:.*]] = hl.load
    %a = hl.load %x[:, %k] : !hl.tensor<[8, 100], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[8, @block_sizes.0], f32>
    // CHECK: %[[B:.*]] = hl.load
    %b = hl.load %y[%k, :] : !hl.tensor<[100, 8], f32>, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0, 8], f32>
    // CHECK: %[[E:.*]] = hl.map
    %e = hl.map (%p = %b) : (!hl.tile<[@block_sizes.0, 8], f32>) -> !hl.tile<[@block_sizes.0, 8], f32> {
      %t = math.exp %p : f32
      hl.yield %t : f32
    }
    // CHECK: %[[F:.*]] = hl.fill_padding %[[E]], %{{.*}} spans(%{{.*}}) dims [0]
    // CHECK: hl.dot %[[A]], %[[F]],
    %d = hl.dot %a, %e, %acc : !hl.tile<[8, @block_sizes.0], f32>, !hl.tile<[@block_sizes.0, 8], f32>, !hl.tile<[8, 8], f32> -> !hl.tile<[8, 8], f32>
  }
  hl.return
}
