#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Tunes the examples on the GPU that is present and times them beside PyTorch (eager and torch.compile) in one run.

usage: bench.py HELIONC RESULTS [--budget 40s] [--strategy llm]

For each case: helionc tunes and writes a library and the CSV of every candidate into RESULTS; its output is compared with
PyTorch in float64; then all contenders run interleaved in short bursts, each after a pause, over rotating inputs larger
than the L2 cache. The table gives the median time of a call and the ratio to the best rival (above 1: helionc is faster).
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
import helionc  # noqa: E402

F = torch.nn.functional
CASES = {
    "add": ([(8192, 8192), (8192,)], lambda x, y: x + y),
    "softmax": ([(4096, 4096)], lambda x: torch.softmax(x, 1)),
    "layer_norm": ([(4096, 4096), (4096,), (4096,)], lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, 1e-5)),
    "matmul": ([(2048, 2048), (2048, 2048)], lambda x, y: x @ y),
    "attention": ([(2, 8, 1024, 64)] * 3, F.scaled_dot_product_attention),
}
NAMES = {"add": "x y", "softmax": "x", "layer_norm": "x weight bias", "matmul": "x y", "attention": "q_in k_in v_in"}


def burst(functions, calls):
    """Microseconds a call; `functions` take the sets of inputs in turn, so that they come from memory, not the cache."""
    time.sleep(0.05)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for i in range(calls):
        functions[i % len(functions)]()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e3 / calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("helionc")
    parser.add_argument("results")
    parser.add_argument("--budget", default="40s")
    parser.add_argument("--strategy", default="llm")
    parser.add_argument("--dtype", default="bf16")
    options = parser.parse_args()
    os.makedirs(options.results, exist_ok=True)
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}[options.dtype]
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {options.dtype}")
    print(f"{'kernel':12} {'helionc us':>11} {'eager us':>10} {'compile us':>11} {'ratio':>7} {'error':>9}  tuning")
    for name, (shapes, reference) in CASES.items():
        library = os.path.join(options.results, f"lib{name}.so")
        csv = os.path.join(options.results, f"{name}.csv")
        arguments = [f"--arg={n}={options.dtype}[{','.join(map(str, s))}]" for n, s in zip(NAMES[name].split(), shapes)]
        begin = time.time()
        run = subprocess.run([options.helionc, os.path.join(ROOT, "examples", "py", name + ".py"), "--kernel", name, "-O3",
                              "--target=auto", f"--autotune={options.strategy}", f"--tune-budget={options.budget}",
                              f"--tune-log={csv}", "--no-journal", "-o", library, *arguments], capture_output=True, text=True)
        wall = time.time() - begin
        with open(os.path.join(options.results, f"{name}.txt"), "w") as log:
            log.write(run.stderr)
        if run.returncode:
            print(f"{name:12} failed: {run.stderr[-300:]}")
            continue
        kernel = getattr(helionc.load(library), name)
        bytes_ = sum(torch.Size(s).numel() for s in shapes) * 2
        count = max(2, min(32, int(2e8 / bytes_)))
        sets = [[torch.randn(s, device="cuda").to(dtype) for s in shapes] for _ in range(count)]
        out = kernel(*sets[0])
        expected = reference(*[i.double() for i in sets[0]])
        error = float((out.double() - expected).abs().max() / expected.abs().max())
        compiled = torch.compile(reference)
        contenders = {"helionc": [kernel.bind(*s, out=torch.empty_like(out)) for s in sets],
                      "eager": [lambda s=s: reference(*s) for s in sets],
                      "compile": [lambda s=s: compiled(*s) for s in sets]}
        for functions in contenders.values():
            burst(functions, 3)
        times = {c: [] for c in contenders}
        for round_ in range(12):
            for c in contenders:
                times[c].append(burst(contenders[c], 40))
        median = {c: statistics.median(t) for c, t in times.items()}
        best = min(median["eager"], median["compile"])
        tuned = [line for line in run.stderr.splitlines() if "candidates in" in line]
        print(f"{name:12} {median['helionc']:11.1f} {median['eager']:10.1f} {median['compile']:11.1f} "
              f"{best / median['helionc']:7.3f} {error:9.2e}  {tuned[0].split(', ', 1)[1] if tuned else ''} {wall:.1f} s wall")


if __name__ == "__main__":
    main()
