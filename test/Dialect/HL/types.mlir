// RUN: helion-opt %s | helion-opt | FileCheck %s

// CHECK-LABEL: func.func private @tensors
// CHECK-SAME: !hl.tensor<[128, 64], bf16>, !hl.tensor<[128, 64], f16, strides [1, 128]>, !hl.tensor<[], f32>, !hl.tensor<[?, 4], i8>
func.func private @tensors(!hl.tensor<[128, 64], bf16>, !hl.tensor<[128, 64], f16, strides [1, 128]>,
                           !hl.tensor<[], f32>, !hl.tensor<[?, 4], i8>)

// Row-major strides are the default and are not printed.
// CHECK-LABEL: func.func private @contiguous
// CHECK-SAME: (!hl.tensor<[2, 3], f32>)
func.func private @contiguous(!hl.tensor<[2, 3], f32, strides [3, 1]>)

// CHECK-LABEL: func.func private @tiles
// CHECK-SAME: !hl.tile<[4, 80], f32>, !hl.tile<[], i1>, !hl.tile<[7], index>
func.func private @tiles(!hl.tile<[4, 80], f32>, !hl.tile<[], i1>, !hl.tile<[7], index>)

// CHECK-LABEL: func.func private @spans
// CHECK-SAME: !hl.span<16>
func.func private @spans(!hl.span<16>)
