#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Runs the examples on the GPU that is present and compares them with PyTorch in float64, on random data and ragged sizes.

usage: gpu_check.py HELIONC [--target sm_90a] [--jobs 16]

Needs PyTorch with CUDA and ptxas. Prints a line a kernel and dtype, and a closing line that counts; exits 1 when a result
is wrong.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
import helionc  # noqa: E402

SIZES = (0, 1, 7, 63, 64, 65, 200)
TORCH = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
# The share of the largest value that an element may be off by: rounding of the output, of operands that are rounded
# between steps, and of the approximations of exp and log.
TOLERANCE = {"f32": 2e-5, "f16": 3e-3, "bf16": 2e-2}


def attention(q, k, v):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ v


KERNELS = {
    "add": (lambda x, y: x + y, lambda n: [(n, n + 1), (n + 1,)]),
    "softmax": (lambda x: torch.softmax(x, 1) if x.numel() else x, lambda n: [(5, max(n, 1) * 3)]),
    "layer_norm": (lambda x, w, b: torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, 1e-5),
                   lambda n: [(6, max(n, 1) * 2), (max(n, 1) * 2,), (max(n, 1) * 2,)]),
    "matmul": (lambda x, y: x @ y, lambda n: [(n, n + 3), (n + 3, n + 1)]),
    "attention": (attention, lambda n: [(1, 2, n, 32), (1, 2, n + 5, 32), (1, 2, n + 5, 32)]),
}
CONFIGS = {
    "add": ["{}", '{"block_sizes": [4, 64], "num_warps": 2}'],
    "softmax": ["{}", '{"block_sizes": [4], "num_warps": 8}', '{"block_sizes": [1], "num_warps": 4}'],
    "layer_norm": ["{}", '{"block_sizes": [2], "num_warps": 8}'],
    "matmul": ["{}", '{"block_sizes": [32, 64, 16], "num_warps": 2, "l2_groupings": 4}', '{"block_sizes": [64, 32, 32], "num_warps": 8}'],
    "attention": ["{}", '{"block_sizes": [1, 16, 32], "num_warps": 2}', '{"block_sizes": [1, 64, 16], "num_warps": 8}'],
}


def build(options, folder, name, dtype, shapes, config, number):
    path = os.path.join(folder, f"{number}.so")
    source = os.path.join(ROOT, "examples", "py", name + ".py")
    names = {"add": "x y", "softmax": "x", "layer_norm": "x weight bias", "matmul": "x y", "attention": "q_in k_in v_in"}
    arguments = [f"--arg={n}={dtype}[{','.join(map(str, s))}]" for n, s in zip(names[name].split(), shapes)]
    command = [options.helionc, source, "--kernel", name, f"--target={options.target}", "--quiet", "-o", path,
               "--config", config, *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    return (path, "") if result.returncode == 0 else (None, result.stderr.strip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("helionc")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=16)
    options = parser.parse_args()
    torch.manual_seed(0)
    cases = []
    for name, (reference, shapes) in KERNELS.items():
        for dtype in TORCH:
            for size in SIZES:
                for config in CONFIGS[name]:
                    cases.append((name, dtype, shapes(size), config))
    right = wrong = refused = 0
    worst = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = list(pool.map(lambda c: build(options, folder, *c[1], c[0]), enumerate(cases)))
        for (name, dtype, shapes, config), (path, problem) in zip(cases, built):
            label = f"{name} {dtype} {shapes} {config}"
            if path is None:
                # A configuration that the sizes do not allow is refused with its reason.
                # So is a size that PyTorch refuses too: -1 in a view without elements.
                if "is not allowed" in problem or "does not divide" in problem or "does not hold" in problem:
                    refused += 1
                else:
                    wrong += 1
                    print(f"FAILED {label}: {problem[-300:]}")
                continue
            inputs = [torch.randn(s, device="cuda").to(TORCH[dtype]) for s in shapes]
            try:
                out = getattr(helionc.load(path), name)(*inputs)
                torch.cuda.synchronize()
            except Exception as error:  # a fault is one wrong case
                wrong += 1
                print(f"FAILED {label}: {error}")
                if "CUDA" in str(error) or "illegal" in str(error):
                    print("the device is lost; stopping")
                    break
                continue
            expected = KERNELS[name][0](*[i.double() for i in inputs])
            error = 0.0
            if expected.numel():
                error = float((out.double() - expected).abs().max() / expected.abs().max().clamp(min=1e-30))
            key = (name, dtype)
            worst[key] = max(worst.get(key, 0.0), error)
            if out.shape == expected.shape and error <= TOLERANCE[dtype]:
                right += 1
            else:
                wrong += 1
                print(f"FAILED {label}: error {error:.3e}, shape {tuple(out.shape)}")
    for (name, dtype), error in worst.items():
        print(f"{name:12} {dtype:5} largest error {error:.2e} of the largest value")
    print(f"{right} right, {wrong} wrong, {refused} refused for their sizes")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
