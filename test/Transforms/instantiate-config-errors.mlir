// RUN: not helion-opt %s --hl-instantiate-config='config={{"block_sizes":[48],"num_warp":2}}' 2>&1 | FileCheck %s --check-prefix=VALUES
// RUN: not helion-opt %s --hl-instantiate-config='config={{"block_sizes":[128],"num_warps":1}}' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not helion-opt %s --hl-instantiate-config='config={{"block_sizes": 1,}}' 2>&1 | FileCheck %s --check-prefix=JSON

// VALUES-DAG: block_sizes.0
// VALUES-DAG: did you mean 'num_warps'
// RULE: error: the tile is too large (requires block_sizes.0 <= 64 * num_warps
// JSON: error:
hl.kernel @k() {
  hl.param @block_sizes.0 pow2 {min = 1, max = 128, default = 64 : i64}
  hl.param @num_warps enum {choices = [1, 2, 4], default = 4 : i64}
  hl.require "block_sizes.0 <= 64 * num_warps", "the tile is too large"
  hl.return
}
