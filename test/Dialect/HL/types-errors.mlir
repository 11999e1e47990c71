// RUN: helion-opt %s -split-input-file -verify-diagnostics

// expected-error@below {{a tensor of rank 2 has 1 strides}}
func.func private @f(!hl.tensor<[2, 3], f32, strides [1]>)

// -----

// expected-error@below {{a tensor's element type must be an integer or a float}}
func.func private @f(!hl.tensor<[2], index>)

// -----

// expected-error@below {{a dim must be positive, not 0}}
func.func private @f(!hl.tile<[0], f32>)

// -----

// expected-error@below {{a tile's element type must be an integer, an index or a float}}
func.func private @f(!hl.tile<[4], vector<4xf32>>)

// -----

// expected-error@below {{a dim must be positive, not -4}}
func.func private @f(!hl.span<-4>)
