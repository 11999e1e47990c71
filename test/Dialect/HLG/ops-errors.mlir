// RUN: helion-opt %s -split-input-file -verify-diagnostics

#tile = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [1, 1]>
#other = #hlg.layout<rank 2, reg [[1, 0]], lane [[0, 1], [0, 2], [0, 4], [0, 8], [2, 0]], warp [], repeat [1, 1]>

func.func @view(%a: !hlg.reg<[4, 16], f32, #tile>) {
  // expected-error@below {{C2: order is not a permutation of the source's dims}}
  %0 = hlg.view %a order [1, 1] : <[4, 16], f32, #tile> -> <[4, 16], f32, #tile>
  return
}

// -----

#tile = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [1, 1]>
#other = #hlg.layout<rank 2, reg [[1, 0]], lane [[0, 1], [0, 2], [0, 4], [0, 8], [2, 0]], warp [], repeat [1, 1]>

func.func @order(%a: !hlg.reg<[4, 16], f32, #tile>) {
  // expected-error@below {{C2: the result's layout is not the source's in that order}}
  %0 = hlg.view %a order [0, 1] : <[4, 16], f32, #tile> -> <[4, 16], f32, #other>
  return
}

// -----

#tile = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [1, 1]>
#wide = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [2, 1]>

func.func @count(%a: !hlg.reg<[4, 16], f32, #tile>) {
  // expected-error@below {{C1: another number of registers}}
  %0 = hlg.view %a : <[4, 16], f32, #tile> -> <[4, 16], f32, #wide>
  return
}

// -----

#tile = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [1, 1]>
#rows = #hlg.layout<rank 1, reg [], lane [[1], [2], [0], [0], [0]], warp [], repeat [1]>

func.func @reduce(%a: !hlg.reg<[4, 16], f32, #tile>) {
  // expected-error@below {{C1: the result must have the other dims and the source's layout without dim 1}}
  %0 = hlg.reduce "sum" %a dim 1 : <[4, 16], f32, #tile> -> <[4], f32, #rows>
  return
}

// -----

#tile = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [1, 1]>

func.func @load(%x: !llvm.ptr<1>, %n: index) {
  // expected-error@below {{C1: 1 limits and 2 strides for a tile of rank 2}}
  %0 = hlg.load %x[%n] limits(%n) strides [16, 1] vector 1 : <1> -> <[4, 16], f32, #tile>
  return
}

// -----

#tile = #hlg.layout<rank 2, reg [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [], repeat [1, 1]>

// expected-error@below {{C1: the layout does not cover the shape}}
func.func private @small(!hlg.reg<[8, 16], f32, #tile>)
