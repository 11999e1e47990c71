// RUN: helion-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[A:.*]]: !hl.tile<[4], f32>)
func.func @identities(%a: !hl.tile<[4], f32>) -> (!hl.tile<[4], f32>, !hl.tile<[4], f32>, !hl.tile<[4], f32>) {
  %0 = hl.broadcast %a : !hl.tile<[4], f32> -> !hl.tile<[4], f32>
  %1 = hl.reshape %a : !hl.tile<[4], f32> -> !hl.tile<[4], f32>
  %2 = hl.reshape %a : !hl.tile<[4], f32> -> !hl.tile<[4, 1], f32>
  %3 = hl.reshape %2 : !hl.tile<[4, 1], f32> -> !hl.tile<[4], f32>
  // CHECK-NEXT: return %[[A]], %[[A]], %[[A]]
  return %0, %1, %3 : !hl.tile<[4], f32>, !hl.tile<[4], f32>, !hl.tile<[4], f32>
}

// CHECK-LABEL: func.func @dedupe
// CHECK-SAME: (%[[A:.*]]: !hl.tile<[4], f32>, %[[B:.*]]: !hl.tile<[4], f32>)
func.func @dedupe(%a: !hl.tile<[4], f32>, %b: !hl.tile<[4], f32>) -> !hl.tile<[4], f32> {
  // CHECK: hl.map (%[[X:.*]] = %[[A]]) : (!hl.tile<[4], f32>) -> !hl.tile<[4], f32> {
  // CHECK-NEXT: arith.mulf %[[X]], %[[X]]
  %0 = hl.map (%x = %a, %y = %a, %unused = %b) : (!hl.tile<[4], f32>, !hl.tile<[4], f32>, !hl.tile<[4], f32>) -> !hl.tile<[4], f32> {
    %t = arith.mulf %x, %y : f32
    hl.yield %t : f32
  }
  return %0 : !hl.tile<[4], f32>
}

// CHECK-LABEL: func.func @extent
func.func @extent() -> index {
  // CHECK: arith.constant 16 : index
  %0 = hl.extent 16
  return %0 : index
}
