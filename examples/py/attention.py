"""Attention forward by the online softmax."""
import math
from typing import Callable

import torch

import helion
import helion.language as hl


LOG2_E = 1.4426950408889634


@helion.kernel()
def attention(q_in: torch.Tensor, k_in: torch.Tensor, v_in: torch.Tensor) -> torch.Tensor:
    m_dim = q_in.size(-2)
    n_dim = k_in.size(-2)
    head_dim = hl.specialize(q_in.size(-1))
    assert n_dim == v_in.size(-2)
    q = q_in.reshape([-1, m_dim, head_dim])
    k = k_in.reshape([-1, n_dim, head_dim]).transpose(1, 2)
    v = v_in.reshape([-1, n_dim, head_dim])
    out = torch.empty_like(q)
    scale = LOG2_E / math.sqrt(head_dim)
    for tile_b, tile_m in hl.tile([q.size(0), m_dim]):
        top = hl.full([tile_b, tile_m], float("-inf"), dtype=torch.float32)
        total = torch.full_like(top, 1.0)
        acc = hl.zeros([tile_b, tile_m, head_dim], dtype=torch.float32)
        queries = q[tile_b, tile_m, :]
        for tile_n in hl.tile(n_dim):
            scores = torch.bmm(queries, k[tile_b, :, tile_n]).to(torch.float32)
            new_top = torch.maximum(top, torch.amax(scores, -1) * scale)
            weights = torch.exp2(scores * scale - new_top[:, :, None])
            shrink = torch.exp2(top - new_top)
            total = total * shrink + torch.sum(weights, -1)
            values = v[tile_b, tile_n, :]
            acc = torch.baddbmm(acc * shrink[:, :, None], weights.to(values.dtype), values)
            top = new_top
        out[tile_b, tile_m, :] = (acc / total[:, :, None]).to(out.dtype)
    return out.view(q_in.size())


def main() -> None:
    print("run with PyTorch and Helion, or compile with helionc")


if __name__ == "__main__":
    main()
