"""Softmax of each row: a program reads whole rows."""

import helion
import helion.language as hl
import torch


@helion.kernel(static_shapes=True)
def softmax(x: torch.Tensor) -> torch.Tensor:
    rows, _ = x.size()
    out = torch.empty_like(x)
    for tile in hl.tile(rows):
        values = x[tile, :].to(torch.float32)
        top = torch.amax(values, dim=1, keepdim=True)
        powers = torch.exp(values - top)
        out[tile, :] = (powers / powers.sum(dim=1, keepdim=True)).to(x.dtype)
    return out


def check(rows: int, columns: int) -> None:
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    error = (softmax(x) - torch.softmax(x, dim=1)).abs().max().item()
    print(f"{rows}x{columns}: largest error {error:.2e}")


if __name__ == "__main__":
    for shape in [(4096, 256), (4096, 1000)]:
        check(*shape)
