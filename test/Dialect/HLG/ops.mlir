// RUN: helion-opt %s | helion-opt | FileCheck %s

#tile = #hlg.layout<rank 2, reg [[0, 1], [0, 2]], lane [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp [[8, 0]], repeat [1, 1]>
#turned = #hlg.layout<rank 2, reg [[1, 0], [2, 0]], lane [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp [[0, 8]], repeat [1, 1]>
#rows = #hlg.layout<rank 1, reg [], lane [[0], [0], [1], [2], [4]], warp [[8]], repeat [1]>
#column = #hlg.layout<rank 2, reg [], lane [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp [[8, 0]], repeat [1, 1]>

// CHECK-LABEL: func.func @ops
func.func @ops(%x: !llvm.ptr<1>, %n: index, %one: f32) {
  // CHECK: %[[ID:.*]] = hlg.program_id
  %id = hlg.program_id
  // CHECK: hlg.load %{{.*}}[%[[ID]]] limits(%{{.*}}, %{{.*}}) strides [16, 1] vector 4 : <1> -> <[16, 16], f32, #hlg.layout<rank 2, reg {{\[\[}}0, 1], [0, 2]], lane
  %a = hlg.load %x[%id] limits(%n, %n) strides [16, 1] vector 4 : <1> -> <[16, 16], f32, #tile>
  // CHECK: hlg.reduce "sum" %{{.*}} dim 1
  %sum = hlg.reduce "sum" %a dim 1 : <[16, 16], f32, #tile> -> <[16], f32, #rows>
  // CHECK: hlg.view %{{.*}} : <[16], f32
  %column = hlg.view %sum : <[16], f32, #rows> -> <[16, 1], f32, #column>
  // CHECK: hlg.broadcast
  %all = hlg.broadcast %column : <[16, 1], f32, #column> -> <[16, 16], f32, #tile>
  // CHECK: hlg.map
  // CHECK: hlg.yield %{{.*}} : f32
  %b = hlg.map %a, %all : (!hlg.reg<[16, 16], f32, #tile>, !hlg.reg<[16, 16], f32, #tile>) -> !hlg.reg<[16, 16], f32, #tile> {
  ^bb0(%p: f32, %q: f32):
    %d = arith.divf %p, %q : f32
    hlg.yield %d : f32
  }
  // CHECK: hlg.view %{{.*}} order [1, 0] :
  %t = hlg.view %b order [1, 0] : <[16, 16], f32, #tile> -> <[16, 16], f32, #turned>
  // CHECK: hlg.convert_layout
  %c = hlg.convert_layout %t : <[16, 16], f32, #turned> -> <[16, 16], f32, #tile>
  // CHECK: hlg.full
  %zero = hlg.full %one : f32 -> <[16, 16], f32, #tile>
  // CHECK: hlg.dot
  %dot = hlg.dot %a, %c, %zero : <[16, 16], f32, #tile>, <[16, 16], f32, #tile>, <[16, 16], f32, #tile> -> <[16, 16], f32, #tile>
  // CHECK: hlg.iota %{{.*}} dim 1
  %i = hlg.iota %id dim 1 -> <[16, 16], i32, #tile>
  // CHECK: hlg.barrier
  hlg.barrier
  // CHECK: hlg.store
  hlg.store %dot, %x[%id] limits(%n, %n) strides [16, 1] vector 4 : <[16, 16], f32, #tile>, <1>
  return
}
