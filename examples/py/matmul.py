"""Matrix product with an epilogue."""
import math
from typing import Callable

import torch

import helion
import helion.language as hl


@helion.kernel()
def matmul(x: torch.Tensor, y: torch.Tensor, epilogue: Callable = lambda acc, tile: acc) -> torch.Tensor:
    m, k = x.size()
    k2, n = y.size()
    assert k == k2, "the inner dims must agree"
    out = torch.empty([m, n], dtype=x.dtype)
    for tile_m, tile_n in hl.tile([m, n]):
        acc = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            acc = torch.addmm(acc, x[tile_m, tile_k], y[tile_k, tile_n])
        out[tile_m, tile_n] = epilogue(acc, (tile_m, tile_n)).to(out.dtype)
    return out


def main() -> None:
    print("run with PyTorch and Helion, or compile with helionc")


if __name__ == "__main__":
    main()
