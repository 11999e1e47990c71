// RUN: helion-opt %s --convert-hlg-to-nvvm -split-input-file -verify-diagnostics

#layout = #hlg.layout<rank 1, reg [[1]], lane [[2], [4], [8], [16], [32]], warp [], repeat [1]>

// expected-error@below {{a launch takes pointers and scalars, not tiles}}
func.func @tile(%x: !hlg.reg<[64], f32, #layout>) attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  return
}

// -----

// expected-error@below {{a launch must have one block}}
func.func @blocks() attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 1, 1, 1>} {
  cf.br ^end
^end:
  return
}
