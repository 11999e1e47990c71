// RUN: helion-opt %s --convert-hlg-to-nvvm | FileCheck %s

// Each thread adds one to its two elements; the third argument of the limits keeps what lies outside untouched.
#layout = #hlg.layout<rank 1, reg [[1]], lane [[2], [4], [8], [16], [32]], warp [], repeat [1]>

// CHECK: llvm.mlir.global external @{{.*}}addr_space = 3
// CHECK-LABEL: @increment
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
// CHECK: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: arith.addf
// CHECK: llvm.store {{.*}}, !llvm.ptr<1>
// CHECK-NOT: hlg.
func.func @increment(%x: !llvm.ptr<1>) attributes {helionc.block_threads = 32 : i64, helionc.grid = array<i64: 2, 1, 1>} {
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %block = hlg.program_id
  %base = arith.muli %block, %c64 : index
  %left = arith.subi %c100, %base : index
  %a = hlg.load %x[%base] limits(%left) strides [1] vector 2 : <1> -> <[64], f32, #layout>
  %b = hlg.map %a : (!hlg.reg<[64], f32, #layout>) -> !hlg.reg<[64], f32, #layout> {
  ^bb0(%e: f32):
    %one = arith.constant 1.0 : f32
    %sum = arith.addf %e, %one : f32
    hlg.yield %sum : f32
  }
  hlg.store %b, %x[%base] limits(%left) strides [1] vector 2 : <[64], f32, #layout>, <1>
  return
}

// A function that is no launch stays as it is.
// CHECK-LABEL: func.func @other
func.func @other() {
  return
}
