// RUN: helion-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: f32) {
  // expected-error@below {{C1: a value of type 'f32' for '!hl.tile<[4], f16>'}}
  %0 = hl.full %x : f32 -> !hl.tile<[4], f16>
  return
}

// -----

func.func @f(%a: !hl.tile<[4], f32>, %b: !hl.tile<[5], f32>) {
  // expected-error@below {{C2: an input of type '!hl.tile<[5], f32>' for a result of type '!hl.tile<[4], f32>'}}
  %0 = hl.map (%x = %a, %y = %b) : (!hl.tile<[4], f32>, !hl.tile<[5], f32>) -> !hl.tile<[4], f32> {
    hl.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: !hl.tile<[4], f32>) {
  // expected-error@below {{C3: must yield one value of type 'f16'}}
  %0 = hl.map (%x = %a) : (!hl.tile<[4], f32>) -> !hl.tile<[4], f16> {
    hl.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: !hl.tile<[4], f32>, %b: f32) {
  %0 = hl.map (%x = %a) : (!hl.tile<[4], f32>) -> !hl.tile<[4], f32> {
    // expected-error@below {{C4: not allowed in the body of an hl.map}}
    %t = hl.full %b : f32 -> !hl.tile<[4], f32>
    hl.yield %x : f32
  }
  return
}

// -----

func.func @f(%a: !hl.tile<[4], f32>) {
  // expected-error@below {{C2: cannot broadcast a dim}}
  %0 = hl.broadcast %a : !hl.tile<[4], f32> -> !hl.tile<[8], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 2], f32>) {
  // expected-error@below {{C2: cannot reshape}}
  %0 = hl.reshape %a : !hl.tile<[4, 2], f32> -> !hl.tile<[4], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 2], f32>) {
  // expected-error@below {{is not a permutation}}
  %0 = hl.transpose %a [0, 0] : !hl.tile<[4, 2], f32> -> !hl.tile<[4, 2], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 2], f32>) {
  // expected-error@below {{C1: dim 2 of a tile of rank 2}}
  %0 = hl.reduce sum %a dim 2 : !hl.tile<[4, 2], f32> -> !hl.tile<[4], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 2], f32>) {
  // expected-error@below {{C3: a result of 'f32' from 'f32'}}
  %0 = hl.reduce argmax %a dim 1 : !hl.tile<[4, 2], f32> -> !hl.tile<[4], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 8], f32>, %b: !hl.tile<[9, 16], f32>, %c: !hl.tile<[4, 16], f32>) {
  // expected-error@below {{C1: cannot multiply}}
  %0 = hl.dot %a, %b, %c : !hl.tile<[4, 8], f32>, !hl.tile<[9, 16], f32>, !hl.tile<[4, 16], f32> -> !hl.tile<[4, 16], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 8], f32>, %b: !hl.tile<[8, 16], f16>, %c: !hl.tile<[4, 16], f32>) {
  // expected-error@below {{C2: operands of 'f32' and 'f16'}}
  %0 = hl.dot %a, %b, %c : !hl.tile<[4, 8], f32>, !hl.tile<[8, 16], f16>, !hl.tile<[4, 16], f32> -> !hl.tile<[4, 16], f32>
  return
}

// -----

func.func @f(%a: !hl.tile<[4, 8], f32>, %x: f32, %s: !hl.span<4>) {
  // expected-error@below {{C1: a span of '!hl.span<4>' for dim 1}}
  %0 = hl.fill_padding %a, %x spans(%s) dims [1] : !hl.tile<[4, 8], f32>, f32, !hl.span<4> -> !hl.tile<[4, 8], f32>
  return
}
