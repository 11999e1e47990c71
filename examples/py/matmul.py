"""Matrix product whose result passes through a function of the caller's."""

from typing import Callable

import torch
from torch import Tensor

import helion
import helion.language as hl

try:
    import triton.testing as bench
except ImportError:
    bench = None


@helion.kernel(static_shapes=True)
def matmul(
    x: Tensor,
    y: Tensor,
    epilogue: Callable[[Tensor, tuple[Tensor, ...]], Tensor] = lambda acc, tile: acc,
) -> Tensor:
    m, k = x.size()
    k2, n = y.size()
    assert k == k2, f"the inner sizes {k} and {k2} differ"
    out = torch.empty([m, n], dtype=torch.promote_types(x.dtype, y.dtype), device=x.device)
    for tile_m, tile_n in hl.tile([m, n]):
        acc = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            acc = torch.addmm(acc, x[tile_m, tile_k], y[tile_k, tile_n])
        out[tile_m, tile_n] = epilogue(acc, (tile_m, tile_n)).to(out.dtype)
    return out


def with_bias_and_relu(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
    return matmul(x, y, lambda acc, tile: torch.relu(acc + bias[tile[1]]))


def main() -> None:
    x = torch.randn(512, 256, device="cuda", dtype=torch.float16)
    y = torch.randn(256, 384, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(matmul(x, y), x @ y, rtol=1e-2, atol=1e-1)
    if bench is not None:
        print(bench.do_bench(lambda: matmul(x, y)), "ms")


if __name__ == "__main__":
    main()
