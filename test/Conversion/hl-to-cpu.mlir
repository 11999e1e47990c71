// RUN: helion-opt %s --convert-hl-to-cpu -split-input-file | FileCheck %s

// A load, the arithmetic and a store are one loop over vectors; 100 = 3 * 32 + 4, so the last block is clipped and ends
// with a masked vector. Arguments do not overlap.
// CHECK-LABEL: func.func private @scale_0_body
// CHECK-SAME: llvm.noalias
// CHECK: %[[REAL:.*]] = arith.minsi
// CHECK: scf.for
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[V]], %[[V]] : vector<16xf32>
// CHECK: llvm.store %[[S]]
// CHECK: scf.if
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK: func.func @scale_0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK-SAME: helionc.grid = array<i64: 4, 1, 1>
// CHECK-SAME: helionc.num_threads = 2
// CHECK-SAME: helionc.scratch_bytes = 0
hl.kernel @scale(%x: !hl.tensor<[100], f32>, %out: !hl.tensor<[100], f32>) attributes {config = {num_threads = 2 : i64, vector_width = 16 : i64}} {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  hl.grid (%i) = (%c0) to (%c100) step [32] {
    %v = hl.load %x[%i] : !hl.tensor<[100], f32>, !hl.span<32> -> !hl.tile<[32], f32>
    %w = hl.map (%a = %v) : (!hl.tile<[32], f32>) -> !hl.tile<[32], f32> {
      %r = arith.addf %a, %a : f32
      hl.yield %r : f32
    }
    hl.store %w, %out[%i] : !hl.tile<[32], f32>, !hl.tensor<[100], f32>, !hl.span<32>
  }
  hl.return
}

// -----

// Blocks that fit have no masks.
// CHECK-LABEL: func.func private @fits_0_body
// CHECK-NOT: masked
// CHECK: return
hl.kernel @fits(%x: !hl.tensor<[128], f32>, %out: !hl.tensor<[128], f32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  hl.grid (%i) = (%c0) to (%c128) step [32] {
    %v = hl.load %x[%i] : !hl.tensor<[128], f32>, !hl.span<32> -> !hl.tile<[32], f32>
    hl.store %v, %out[%i] : !hl.tile<[32], f32>, !hl.tensor<[128], f32>, !hl.span<32>
  }
  hl.return
}

// -----

// A dot keeps its register block (2 rows by 1 vector) in values that the k loop carries.
// CHECK-LABEL: func.func private @product_0_body
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
// CHECK: return
hl.kernel @product(%x: !hl.tensor<[4, 8], f32>, %y: !hl.tensor<[8, 16], f32>, %out: !hl.tensor<[4, 16], f32>) attributes {config = {dot_tile_m = 2 : i64, dot_tile_n = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  hl.grid (%i) = (%c0) to (%c4) step [4] {
    %a = hl.load %x[%i, :] : !hl.tensor<[4, 8], f32>, !hl.span<4> -> !hl.tile<[4, 8], f32>
    %b = hl.load %y[:, :] : !hl.tensor<[8, 16], f32> -> !hl.tile<[8, 16], f32>
    %acc = hl.full %zero : f32 -> !hl.tile<[4, 16], f32>
    %d = hl.dot %a, %b, %acc : !hl.tile<[4, 8], f32>, !hl.tile<[8, 16], f32>, !hl.tile<[4, 16], f32> -> !hl.tile<[4, 16], f32>
    hl.store %d, %out[%i, :] : !hl.tile<[4, 16], f32>, !hl.tensor<[4, 16], f32>, !hl.span<4>
  }
  hl.return
}
