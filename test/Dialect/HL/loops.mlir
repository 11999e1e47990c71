// RUN: helion-opt %s | helion-opt | FileCheck %s

// CHECK-LABEL: hl.kernel @loops
hl.kernel @loops(%x: !hl.tensor<[8, 100], f32>, %out: !hl.tensor<[8], f32> {hl.role = "out"}) {
  hl.param @block_sizes.0 pow2 {min = 1, max = 128, default = 64}
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: hl.grid (%[[I:.*]]) = (%{{.*}}) to (%{{.*}}) step [1]
  hl.grid (%i) = (%c0) to (%c8) step [1] {
    // CHECK: hl.begin %[[I]] : <1>
    %row = hl.begin %i : !hl.span<1>
    %init = hl.full %zero : f32 -> !hl.tile<[@block_sizes.0], f32>
    // CHECK: %[[R:.*]]:2 = hl.loop (%[[J:.*]]) = (%{{.*}}) to (%{{.*}}) step [@block_sizes.0] iter(%[[A:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (!hl.tile<[@block_sizes.0], f32>, index) {
    %r:2 = hl.loop (%j) = (%c0) to (%c100) step [@block_sizes.0] iter(%acc = %init, %n = %c0) -> (!hl.tile<[@block_sizes.0], f32>, index) {
      // CHECK: hl.load %{{.*}}[%{{.*}}, %[[J]]]
      %v = hl.load %x[%row, %j] : !hl.tensor<[8, 100], f32>, index, !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], f32>
      %s = hl.map (%a = %acc, %b = %v) : (!hl.tile<[@block_sizes.0], f32>, !hl.tile<[@block_sizes.0], f32>) -> !hl.tile<[@block_sizes.0], f32> {
        %t = arith.addf %a, %b : f32
        hl.yield %t : f32
      }
      // CHECK: hl.end %[[J]]
      %e = hl.end %j : !hl.span<@block_sizes.0>
      // CHECK: hl.block_id %[[J]]
      %id = hl.block_id %j : !hl.span<@block_sizes.0>
      // CHECK: hl.indices %[[J]] : <@block_sizes.0> -> <[@block_sizes.0], i32>
      %is = hl.indices %j : !hl.span<@block_sizes.0> -> !hl.tile<[@block_sizes.0], i32>
      // CHECK: hl.yield %{{.*}}, %{{.*}} : !hl.tile<[@block_sizes.0], f32>, index
      hl.yield %s, %e : !hl.tile<[@block_sizes.0], f32>, index
    }
    // CHECK: hl.reduce {{ *}}sum %[[R]]#0 dim 0
    %sum = hl.reduce sum %r#0 dim 0 : !hl.tile<[@block_sizes.0], f32> -> !hl.tile<[], f32>
    // CHECK: hl.loop (%{{.*}}) = (%{{.*}}) to (%{{.*}}) step [@block_sizes.0] {
    hl.loop (%k) = (%c0) to (%c100) step [@block_sizes.0] {
      // CHECK: hl.extent @block_sizes.0
      %b = hl.extent @block_sizes.0
    }
    hl.store %sum, %out[%row] : !hl.tile<[], f32>, !hl.tensor<[8], f32>, index
  }
  hl.return
}
