#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Compiles an example for some shapes, runs it on the CPU and compares it with its reference in float64.

usage: run_kernel.py EXAMPLE SHAPES … [--dtype f32] [--configs N] [--config JSON] [--helionc PATH]

SHAPES binds the example's dims: M=7,N=33. --configs also runs N random valid configurations. Ends with a line that counts
the runs; exits 1 after the first wrong one.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "test", "Execute")]
import helionc  # noqa: E402
import references  # noqa: E402

# The arguments of each example, by its dims.
ARGUMENTS = {
    "add": {"x": "M,N", "y": "N"},
    "softmax": {"x": "M,N"},
    "layer_norm": {"x": "M,N", "weight": "N", "bias": "N"},
    "matmul": {"x": "M,K", "y": "K,N"},
    "matmul_bias_relu": {"x": "M,K", "y": "K,N", "bias": "N"},
    "attention": {"q_in": "B,H,M,D", "k_in": "B,H,S,D", "v_in": "B,H,S,D"},
}
# The share of the largest value that an element may be off by.
TOLERANCE = {"f32": 2e-5, "f16": 4e-3, "bf16": 2e-2, "f64": 1e-12}


def to_bf16(values):
    """float32 to the bits of bf16, rounded to nearest even."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def encode(values, dtype):
    if dtype == "bf16":
        return to_bf16(values)
    return values.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[dtype])


def decode(values, dtype):
    return (from_bf16(values) if dtype == "bf16" else values).astype(np.float64)


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\nexit code {result.returncode}\n{result.stderr}")
    return result.stdout


def random_configs(helionc_path, source, arguments, count, rng):
    space = json.loads(run([helionc_path, source, "--target=cpu", "--emit=space=json", *arguments]))
    configs = []
    for _ in range(count * 200):
        if len(configs) == count:
            break
        config = {}
        for parameter in space["parameters"]:
            values = parameter.get("values") or parameter.get("choices")
            if not values:
                values = [2 ** i for i in range(64) if parameter["min"] <= 2 ** i <= parameter["max"]]
            name, value = parameter["name"], rng.choice(values)
            head, _, index = name.rpartition(".")
            if head and index.isdigit():
                config.setdefault(head, []).append(value)
            else:
                config[name] = value
        text = json.dumps(config)
        probe = subprocess.run([helionc_path, source, "--target=cpu", "--emit=hl-instantiated", "--config", text, *arguments],
                               capture_output=True)
        if probe.returncode == 0:
            configs.append(text)
    return configs


def check(helionc_path, source, name, arguments, inputs, dtype, config):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.so")
        extra = ["--config", config] if config else []
        run([helionc_path, source, "--target=cpu", "--quiet", "-o", path, *arguments, *extra])
        kernel = getattr(helionc.load(path), name)
        result = decode(kernel(*inputs), dtype)
    expected = getattr(references, name)(*[decode(i, dtype) for i in inputs])
    assert result.shape == expected.shape, f"shape {result.shape}, expected {expected.shape}"
    if expected.size == 0:
        return 0.0
    scale = np.abs(expected).max() or 1.0
    length = max([1] + [i.shape[-1] for i in inputs])
    limit = TOLERANCE[dtype] * max(1.0, np.sqrt(length) / 16)
    error = float(np.abs(result - expected).max() / scale)
    if not error <= limit:
        sys.exit(f"{name} {[i.shape for i in inputs]} {dtype} config {config}: error {error:.3e}, at most {limit:.3e}")
    return error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("example")
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--configs", type=int, default=0)
    parser.add_argument("--config")
    parser.add_argument("--source")
    parser.add_argument("--helionc", default=shutil.which("helionc") or os.path.join(ROOT, "build", "bin", "helionc"))
    options = parser.parse_args()
    source = options.source or os.path.join(ROOT, "examples", options.example + ".hl")
    rng, count, worst = random.Random(1), 0, 0.0
    generator = np.random.default_rng(0)
    for text in options.shapes:
        dims = {k: int(v) for k, v in (part.split("=") for part in text.split(","))}
        inputs, arguments = [], []
        for argument, names in ARGUMENTS[options.example].items():
            shape = [dims[d] for d in names.split(",")]
            inputs.append(encode(generator.standard_normal(shape), options.dtype))
            arguments += ["--arg", f"{argument}={options.dtype}[{','.join(map(str, shape))}]"]
        configs = [options.config]
        if options.configs:
            configs += random_configs(options.helionc, source, arguments, options.configs, rng)
        for config in configs:
            worst = max(worst, check(options.helionc, source, options.example, arguments, inputs, options.dtype, config))
            count += 1
    print(f"{options.example} {options.dtype}: {count} runs right, largest error {worst:.2e} of the largest value")


if __name__ == "__main__":
    main()
