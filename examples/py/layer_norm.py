"""Layer norm over the last dim."""
import math
from typing import Callable

import torch

import helion
import helion.language as hl


@helion.kernel()
def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    m, n = x.size()
    out = torch.empty_like(x)
    for tile_m in hl.tile(m):
        row = x[tile_m, :].to(torch.float32)
        var, mean = torch.var_mean(row, dim=-1, keepdim=True, correction=0)
        normalized = (row - mean) * torch.rsqrt(var + eps)
        scaled = normalized * weight[:].to(torch.float32) + bias[:].to(torch.float32)
        out[tile_m, :] = scaled.to(x.dtype)
    return out


def main() -> None:
    print("run with PyTorch and Helion, or compile with helionc")


if __name__ == "__main__":
    main()
