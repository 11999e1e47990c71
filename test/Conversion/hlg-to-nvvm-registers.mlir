// RUN: helion-opt %s --convert-hlg-to-nvvm -split-input-file | FileCheck %s

// Both dims repeat twice: the second register, one further along the last dim, becomes the third of the turned tile.
#tile = #hlg.layout<rank 2, reg [], lane [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp [], repeat [2, 2]>
#turned = #hlg.layout<rank 2, reg [], lane [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2]], warp [], repeat [2, 2]>

// CHECK-LABEL: func.func @turn
// CHECK: %[[A:.*]] = llvm.load
// CHECK: %[[B:.*]] = llvm.load
// CHECK: %[[C:.*]] = llvm.load
// CHECK: %[[D:.*]] = llvm.load
// CHECK: llvm.store %[[A]]
// CHECK: llvm.store %[[C]]
// CHECK: llvm.store %[[B]]
// CHECK: llvm.store %[[D]]
func.func @turn(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %a = hlg.load %x[%c0] limits(%c8, %c16) strides [16, 1] vector 1 : <1> -> <[8, 16], f32, #tile>
  %t = hlg.view %a order [1, 0] : <[8, 16], f32, #tile> -> <[16, 8], f32, #turned>
  hlg.store %t, %y[%c0] limits(%c16, %c8) strides [8, 1] vector 1 : <[16, 8], f32, #turned>, <1>
  return
}

// -----

// Indices beyond 32 bits are summed in 64.
#line = #hlg.layout<rank 1, reg [], lane [[1], [2], [4], [8], [16]], warp [], repeat [1]>

// CHECK-LABEL: func.func @far
// CHECK: %[[START:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[PLACE:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: arith.addi %[[START]], %[[PLACE]] : i64
func.func @far(%x: !llvm.ptr<1>) attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  %start = arith.constant 4294967296 : index
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %i = hlg.iota %start dim 0 -> <[32], i64, #line>
  hlg.store %i, %x[%c0] limits(%c32) strides [1] vector 1 : <[32], i64, #line>, <1>
  return
}

// -----

// Twelve elements on thirty-two lanes: lanes from the thirteenth on write nothing, however much of the loop is left.
#line = #hlg.layout<rank 1, reg [], lane [[1], [2], [4], [8], [16]], warp [], repeat [1]>

// CHECK-LABEL: func.func @reach
// CHECK: %[[C12:.*]] = arith.constant 12 : index
// CHECK: arith.minsi %arg1, %[[C12]] : index
// CHECK: scf.if
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store
func.func @reach(%x: !llvm.ptr<1>, %left: index) attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %i = hlg.iota %c0 dim 0 -> <[12], i32, #line>
  hlg.store %i, %x[%c0] limits(%left) strides [1] vector 1 : <[12], i32, #line>, <1>
  return
}

// -----

// CHECK-LABEL: func.func @wait
// CHECK: nvvm.barrier
func.func @wait() attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  hlg.barrier
  return
}

// -----

// A loop that carries nothing keeps what it does.
#line = #hlg.layout<rank 1, reg [], lane [[1], [2], [4], [8], [16]], warp [], repeat [1]>

// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: return
func.func @loop(%x: !llvm.ptr<1>, %n: index) attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %n step %c32 {
    %a = hlg.load %x[%i] limits(%c32) strides [1] vector 1 : <1> -> <[32], f32, #line>
    hlg.store %a, %x[%i] limits(%c32) strides [1] vector 1 : <[32], f32, #line>, <1>
  }
  return
}
