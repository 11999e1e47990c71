"""Attention forward with an online softmax, in powers of two."""

import math

import torch

import helion
import helion.language as hl


@helion.kernel(static_shapes=True)
def attention(q_in: torch.Tensor, k_in: torch.Tensor, v_in: torch.Tensor) -> torch.Tensor:
    queries = q_in.size(-2)
    keys = k_in.size(-2)
    assert keys == v_in.size(-2)
    head = hl.specialize(q_in.size(-1))
    assert head == k_in.size(-1) == v_in.size(-1)
    q = q_in.reshape([-1, queries, head])
    v = v_in.reshape([-1, keys, head])
    k = k_in.reshape([-1, keys, head]).transpose(1, 2)
    out = torch.empty_like(q)
    scale = 1.0 / math.sqrt(head) * 1.44269504
    for tile_b, tile_q in hl.tile([q.size(0), queries]):
        top = hl.full([tile_b, tile_q], float("-inf"), dtype=torch.float32)
        total = torch.full_like(top, 1.0)
        acc = hl.zeros([tile_b, tile_q, head], dtype=torch.float32)
        block_q = q[tile_b, tile_q, :]
        for tile_k in hl.tile(keys):
            scores = hl.dot(block_q, k[tile_b, :, tile_k], out_dtype=torch.float32)
            new_top = torch.maximum(top, torch.amax(scores, -1) * scale)
            scores = scores * scale - new_top[:, :, None]
            weights = torch.exp2(scores)
            shrink = torch.exp2(top - new_top)
            total = total * shrink + torch.sum(weights, -1)
            acc = acc * shrink[:, :, None]
            block_v = v[tile_b, tile_k, :]
            acc = torch.baddbmm(acc, weights.to(block_v.dtype), block_v)
            top = new_top
        out[tile_b, tile_q, :] = (acc / total[:, :, None]).to(out.dtype)
    return out.view(q_in.size())


def main() -> None:
    q, k, v = (torch.randn(2, 8, 512, 64, device="cuda", dtype=torch.float16) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(attention(q, k, v), expected, rtol=1e-2, atol=1e-2)


if __name__ == "__main__":
    main()
