"""Elementwise sum of two tensors that broadcast against each other."""

import helion
import helion.language as hl
import torch


@helion.kernel()
def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x, y = torch.broadcast_tensors(x, y)
    result = torch.empty(x.shape, dtype=torch.promote_types(x.dtype, y.dtype), device=x.device)
    for tile in hl.tile(result.size()):
        result[tile] = x[tile] + y[tile]
    return result


def main() -> None:
    rows = torch.randn(1024, 512, device="cuda")
    bias = torch.randn(512, device="cuda")
    torch.testing.assert_close(add(rows, bias), rows + bias)


if __name__ == "__main__":
    main()
