// RUN: helion-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: !hl.tensor<[4, 4], f32>, %t: !hl.span<2>) {
  // expected-error@below {{C1: 1 indices for a tensor of rank 2}}
  %0 = hl.load %x[%t] : !hl.tensor<[4, 4], f32>, !hl.span<2> -> !hl.tile<[2], f32>
  return
}

// -----

func.func @f(%x: !hl.tensor<[4, 4], f32>, %t: !hl.span<2>) {
  // expected-error@below {{C3: the indices give '!hl.tile<[2, 4], f32>', not '!hl.tile<[2, 2], f32>'}}
  %0 = hl.load %x[%t, :] : !hl.tensor<[4, 4], f32>, !hl.span<2> -> !hl.tile<[2, 2], f32>
  return
}

// -----

func.func @f(%x: !hl.tensor<[4], f32>, %t: i32) {
  // expected-error@below {{C2: index 0 must be of type index, not 'i32'}}
  %0 = hl.load %x[%t] : !hl.tensor<[4], f32>, i32 -> !hl.tile<[], f32>
  return
}

// -----

func.func @f(%x: !hl.tensor<[4], f32>, %t: !hl.span<2>, %m: !hl.tile<[4], i1>) {
  // expected-error@below {{the mask must be an i1 tile of the value's shape}}
  %0 = hl.load %x[%t] mask %m : !hl.tensor<[4], f32>, !hl.span<2>, !hl.tile<[4], i1> -> !hl.tile<[2], f32>
  return
}

// -----

func.func @f(%v: !hl.tile<[2], i8>, %x: !hl.tensor<[4], f32>, %t: !hl.span<2>) {
  // expected-error@below {{C3: the indices give '!hl.tile<[2], f32>', not '!hl.tile<[2], i8>'}}
  hl.store %v, %x[%t] : !hl.tile<[2], i8>, !hl.tensor<[4], f32>, !hl.span<2>
  return
}

// -----

func.func @f(%x: !hl.tensor<[4, 4], f32>) {
  // expected-error@below {{C2: the view reaches element 20 of a source that ends at 16}}
  %0 = hl.view %x offset 4 : !hl.tensor<[4, 4], f32> -> !hl.tensor<[16], f32>
  return
}

// -----

func.func @f(%x: !hl.tensor<[4], f32>) {
  // expected-error@below {{C1: element types 'f32' and 'i32' differ}}
  %0 = hl.view %x : !hl.tensor<[4], f32> -> !hl.tensor<[4], i32>
  return
}
