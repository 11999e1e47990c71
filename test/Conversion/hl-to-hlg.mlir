// RUN: helion-opt %s --convert-hl-to-hlg -split-input-file | FileCheck %s

// A transposition says which dim became which: where both dims repeat alike the layouts do not tell.
// CHECK-LABEL: func.func @turn_0
// CHECK: hlg.view %{{.*}} order [1, 0] : <[256, 8], f32, {{.*}}repeat [2, 2]>> -> <[8, 256], f32, {{.*}}repeat [2, 2]>>
hl.kernel @turn(%x: !hl.tensor<[256, 8], f32>, %out: !hl.tensor<[8, 256], f32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  hl.grid (%i, %j) = (%c0, %c0) to (%c256, %c8) step [256, 8] {
    %v = hl.load %x[%i, %j] : !hl.tensor<[256, 8], f32>, !hl.span<256>, !hl.span<8> -> !hl.tile<[256, 8], f32>
    %t = hl.transpose %v [1, 0] : !hl.tile<[256, 8], f32> -> !hl.tile<[8, 256], f32>
    hl.store %t, %out[%j, %i] : !hl.tile<[8, 256], f32>, !hl.tensor<[8, 256], f32>, !hl.span<8>, !hl.span<256>
  }
  hl.return
}

// -----

// What a launch reads and writes is kept apart by barriers: other threads may hold the element. A tensor that is only
// written needs none.
// CHECK-LABEL: func.func @update_0
// CHECK: hlg.load
// CHECK: hlg.barrier
// CHECK-NEXT: hlg.store
// CHECK-NEXT: hlg.barrier
// CHECK-NOT: hlg.barrier
// CHECK: hlg.store
// CHECK-NEXT: return
hl.kernel @update(%x: !hl.tensor<[64], f32>, %out: !hl.tensor<[64], f32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  hl.grid (%i) = (%c0) to (%c64) step [32] {
    %v = hl.load %x[%i] : !hl.tensor<[64], f32>, !hl.span<32> -> !hl.tile<[32], f32>
    %w = hl.map (%a = %v) : (!hl.tile<[32], f32>) -> !hl.tile<[32], f32> {
      %r = arith.addf %a, %a : f32
      hl.yield %r : f32
    }
    hl.store %w, %x[%i] : !hl.tile<[32], f32>, !hl.tensor<[64], f32>, !hl.span<32>
    hl.store %w, %out[%i] : !hl.tile<[32], f32>, !hl.tensor<[64], f32>, !hl.span<32>
  }
  hl.return
}

// -----

// Blocks that fit the loop may still leave a smaller tensor: 63 limits the reads, and makes them narrow.
// CHECK-LABEL: func.func @smaller_0
// CHECK: %[[SIZE:.*]] = arith.constant 63 : index
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[SIZE]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]]
// CHECK: hlg.load %{{.*}} limits(%[[LEFT]]) strides [1] vector 1
// CHECK: hlg.store {{.*}} vector 4
hl.kernel @smaller(%x: !hl.tensor<[63], f32>, %out: !hl.tensor<[64], f32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  hl.grid (%i) = (%c0) to (%c64) step [32] {
    %v = hl.load %x[%i] : !hl.tensor<[63], f32>, !hl.span<32> -> !hl.tile<[32], f32>
    hl.store %v, %out[%i] : !hl.tile<[32], f32>, !hl.tensor<[64], f32>, !hl.span<32>
  }
  hl.return
}

// -----

// A loop may carry nothing: what it does ends with its one yield.
// CHECK-LABEL: func.func @passes_0
// CHECK: scf.for
// CHECK: hlg.load
// CHECK: hlg.store
// CHECK-NEXT: }
// CHECK-NEXT: return
hl.kernel @passes(%x: !hl.tensor<[64], f32>, %out: !hl.tensor<[64], f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  hl.grid (%i) = (%c0) to (%c1) step [1] {
    hl.loop (%j) = (%c0) to (%c64) step [32] {
      %v = hl.load %x[%j] : !hl.tensor<[64], f32>, !hl.span<32> -> !hl.tile<[32], f32>
      hl.store %v, %out[%j] : !hl.tile<[32], f32>, !hl.tensor<[64], f32>, !hl.span<32>
    }
  }
  hl.return
}
