//===----------------------------------------------------------------------===//
// Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
/// \file
/// The tuning parameters that CPU code generation reads from a configuration.
//===----------------------------------------------------------------------===//
#ifndef HELIONC_CONVERSION_CPUTUNABLES_H
#define HELIONC_CONVERSION_CPUTUNABLES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace helionc::conversion {

/// One integer of the configuration: values outside of [minimum, maximum] are clamped.
struct CpuTunable {
  const char *key;
  int64_t minimum, maximum, defaultValue;
  const char *meaning;
};

/// Beside these, "loop_orders.<launch>" (an i64 array: a permutation of the grid's dims, outermost first) is read.
/// A dot keeps dot_tile_m * dot_tile_n accumulators and dot_tile_n vectors of the right side in registers:
/// dot_tile_m * dot_tile_n + dot_tile_n + 1 <= 32 with AVX-512, 16 without, lest it spills.
inline constexpr CpuTunable cpuTunables[] = {
    {"vector_width", 1, 64, 16, "f32 elements in a vector; a power of two"},
    {"dot_tile_m", 1, 16, 8, "rows of the register block of a dot"},
    {"dot_tile_n", 1, 8, 2, "vectors in a row of the register block of a dot"},
    {"unroll", 1, 16, 1, "steps of a dot's inner loop that are written out"},
    {"num_threads", 0, 4096, 0, "threads that share the grid; 0: all cores"},
    {"l2_groupings", 1, 1 << 20, 1, "blocks of the first grid dim that run before the second moves on"},
};

/// The entry of `key`, which must be one of the table's.
inline const CpuTunable *findCpuTunable(llvm::StringRef key) {
  for (const CpuTunable &tunable : cpuTunables)
    if (key == tunable.key)
      return &tunable;
  return nullptr;
}

} // namespace helionc::conversion

#endif // HELIONC_CONVERSION_CPUTUNABLES_H
