// RUN: helion-opt %s | helion-opt | FileCheck %s

// CHECK-LABEL: func.func @tiles
func.func @tiles(%a: !hl.tile<[4, 8], bf16>, %b: !hl.tile<[8, 16], bf16>, %acc: !hl.tile<[4, 16], f32>,
                 %s: !hl.span<4>, %row: !hl.tile<[16], f32>, %x: f32) -> !hl.tile<[16, 4], f32> {
  // CHECK: hl.dot %{{.*}}, %{{.*}}, %{{.*}} {precision = "ieee"} : <[4, 8], bf16>, <[8, 16], bf16>, <[4, 16], f32> -> <[4, 16], f32>
  %0 = hl.dot %a, %b, %acc {precision = "ieee"} : !hl.tile<[4, 8], bf16>, !hl.tile<[8, 16], bf16>, !hl.tile<[4, 16], f32> -> !hl.tile<[4, 16], f32>
  // CHECK: hl.reshape
  %1 = hl.reshape %row : !hl.tile<[16], f32> -> !hl.tile<[1, 16], f32>
  // CHECK: hl.broadcast
  %2 = hl.broadcast %1 : !hl.tile<[1, 16], f32> -> !hl.tile<[4, 16], f32>
  // CHECK: hl.map (%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) : (!hl.tile<[4, 16], f32>, !hl.tile<[4, 16], f32>) -> !hl.tile<[4, 16], f32> {
  // CHECK-NEXT: arith.mulf %[[P]], %[[Q]]
  %3 = hl.map (%p = %0, %q = %2) : (!hl.tile<[4, 16], f32>, !hl.tile<[4, 16], f32>) -> !hl.tile<[4, 16], f32> {
    %m = arith.mulf %p, %q : f32
    hl.yield %m : f32
  }
  // CHECK: hl.fill_padding %{{.*}}, %{{.*}} spans(%{{.*}}) dims [0]
  %4 = hl.fill_padding %3, %x spans(%s) dims [0] : !hl.tile<[4, 16], f32>, f32, !hl.span<4> -> !hl.tile<[4, 16], f32>
  // CHECK: hl.transpose %{{.*}} [1, 0]
  %5 = hl.transpose %4 [1, 0] : !hl.tile<[4, 16], f32> -> !hl.tile<[16, 4], f32>
  // CHECK: hl.arange
  %c0 = arith.constant 0 : index
  %6 = hl.arange %c0 -> !hl.tile<[16], i32>
  return %5 : !hl.tile<[16, 4], f32>
}
