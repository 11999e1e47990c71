// RUN: helion-opt %s -split-input-file -verify-diagnostics

hl.kernel @k() {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C1: 1 lower bounds, 2 upper bounds, 1 steps and 1 spans}}
  "hl.grid"(%c0, %c0, %c0) <{operandSegmentSizes = array<i32: 1, 2>, steps = [1]}> ({
  ^bb0(%t: !hl.span<1>):
  }) : (index, index, index) -> ()
  hl.return
}

// -----

hl.kernel @k() {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C2: a span of type '!hl.span<2>' for the step 1}}
  "hl.grid"(%c0, %c0) <{operandSegmentSizes = array<i32: 1, 1>, steps = [1]}> ({
  ^bb0(%t: !hl.span<2>):
  }) : (index, index) -> ()
  hl.return
}

// -----

hl.kernel @k(%x: f32) {
  %c0 = arith.constant 0 : index
  hl.grid (%t) = (%c0) to (%c0) step [1] {
    // expected-error@below {{C4: initial, carried, yielded and result types differ}}
    %r = hl.loop (%u) = (%c0) to (%c0) step [1] iter(%a = %x) -> (f32) {
      hl.yield %c0 : index
    }
  }
  hl.return
}

// -----

hl.kernel @k(%c: i1, %x: f32) {
  // expected-error@below {{C1: both regions must yield values of the result types}}
  %r = hl.if %c -> f32 {
    hl.yield %x : f32
  } else {
    hl.yield
  }
  hl.return
}

// -----

hl.kernel @k() {
  // expected-error@below {{the value must be an integer or a parameter}}
  %0 = hl.extent "x"
  hl.return
}
