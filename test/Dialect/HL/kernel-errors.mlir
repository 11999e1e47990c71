// RUN: helion-opt %s -split-input-file -verify-diagnostics

// expected-error@below {{C1: an argument is a tensor or a scalar}}
hl.kernel @k(%x: !hl.tile<[4], f32>) {
  hl.return
}

// -----

// expected-error@below {{argument 0 has the unknown role "both"}}
hl.kernel @k(%x: !hl.tensor<[4], f32> {hl.role = "both"}) {
  hl.return
}

// -----

hl.kernel @k(%x: f32) {
  // expected-error@below {{names @block_sizes.0, which is not a parameter of the kernel}}
  %0 = hl.full %x : f32 -> !hl.tile<[@block_sizes.0], f32>
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{C1: the default 48 : i64 is not one of the values}}
  hl.param @p pow2 {min = 1, max = 64, default = 48 : i64}
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{C2: min and max must be powers of two}}
  hl.param @p pow2 {min = 3, max = 64, default = 4 : i64}
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{C3: min 8 is greater than max 4}}
  hl.param @p int {min = 8, max = 4, default = 4 : i64}
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{is not one of the choices}}
  hl.param @p enum {choices = ["a", "b"], default = "c"}
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{C1: the default is not a permutation}}
  hl.param @p permutation {max = 3, default = array<i64: 0, 2, 2>}
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{expected pow2, int, enum, bool or permutation, not 'float'}}
  hl.param @p float {default = 1.0}
  hl.return
}

// -----

hl.kernel @k() {
  hl.param @p int {min = 1, max = 4, default = 4 : i64}
  // expected-error@below {{C1: the condition does not parse}}
  hl.require "p <=", "no"
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{names 'q', which is not a parameter of the kernel}}
  hl.require "q <= 4", "no"
  hl.return
}
