"""Softmax over the last dim."""
import math
from typing import Callable

import torch

import helion
import helion.language as hl


@helion.kernel()
def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile_m in hl.tile(x.size(0)):
        out[tile_m, :] = torch.nn.functional.softmax(x[tile_m, :], dim=1)
    return out


def main() -> None:
    print("run with PyTorch and Helion, or compile with helionc")


if __name__ == "__main__":
    main()
