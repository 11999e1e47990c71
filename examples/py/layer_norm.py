"""Layer norm over the last dim. The bias may be left out."""

from __future__ import annotations

import torch

import helion
import helion.language as hl


@helion.kernel()
def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    m, n = x.size()
    assert weight.size(0) == n, f"the weight has {weight.size(0)} elements, a row {n}"
    out = torch.empty([m, n], dtype=x.dtype, device=x.device)
    for tile_m in hl.tile(m):
        row = x[tile_m, :].to(torch.float32)
        center = row - torch.mean(row, dim=-1, keepdim=True)
        spread = torch.mean(center * center, dim=-1, keepdim=True)
        result = center * torch.rsqrt(spread + eps) * weight[:].to(torch.float32)
        if bias is not None:
            result = result + bias[:].to(torch.float32)
        out[tile_m, :] = result.to(x.dtype)
    return out


def main() -> None:
    x = torch.randn(512, 768, device="cuda")
    weight, bias = torch.randn(768, device="cuda"), torch.randn(768, device="cuda")
    expected = torch.nn.functional.layer_norm(x, [768], weight, bias)
    torch.testing.assert_close(layer_norm(x, weight, bias), expected, rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    main()
