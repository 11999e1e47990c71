"""Elementwise sum with broadcasting."""
import math
from typing import Callable

import torch

import helion
import helion.language as hl


@helion.kernel()
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = torch.broadcast_tensors(x, y)
    out = torch.empty(x.shape, dtype=torch.promote_types(x.dtype, y.dtype))
    for tile in hl.tile(out.size()):
        out[tile] = x[tile] + y[tile]
    return out


def main() -> None:
    print("run with PyTorch and Helion, or compile with helionc")


if __name__ == "__main__":
    main()
