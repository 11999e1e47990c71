#!/usr/bin/env python3
"""Times a tuned CPU library beside NumPy in one run, interleaved, and prints the ratio.

usage: bench.py CASE LIBRARY        CASE: matmul, softmax, layer_norm, add

The matmul rival is NumPy's BLAS. Some builds pick the wrong kernels for a processor: set OPENBLAS_CORETYPE to the right
one before the run; the core type in use is printed. The row kernels' rival is a copy of the same bytes.
"""
import statistics
import sys
import time

import numpy as np

import helionc


def blas_name():
    try:
        from threadpoolctl import threadpool_info
        return ", ".join(f"{i['internal_api']} {i.get('architecture', '?')} x{i['num_threads']}" for i in threadpool_info())
    except ImportError:
        return "unknown (pip install threadpoolctl)"


def seconds(function, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        function()
    return (time.perf_counter() - start) / repeats


def interleave(contenders, rounds=15, target=0.05):
    """Median seconds a call of each contender; every round runs all of them, in turn first."""
    repeats = {name: max(1, int(target / max(seconds(f, 1), 1e-7))) for name, f in contenders.items()}
    times = {name: [] for name in contenders}
    names = list(contenders)
    for r in range(rounds):
        for name in names[r % len(names):] + names[:r % len(names)]:
            times[name].append(seconds(contenders[name], repeats[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    case, path = sys.argv[1:]
    library = helionc.load(path)
    kernel = getattr(library, case)
    rng = np.random.default_rng(0)
    shapes = [tuple(a.shape) for a in kernel.inputs]
    inputs = [rng.standard_normal(s, dtype=np.float32) for s in shapes]
    out = kernel(*inputs)
    contenders = {"helionc": kernel.bind(*inputs, out=out)}
    if case == "matmul":
        expected = inputs[0].astype(np.float64) @ inputs[1].astype(np.float64)
        error = np.abs(out - expected).max() / np.abs(expected).max()
        contenders["numpy"] = lambda: np.matmul(inputs[0], inputs[1], out=expected32)
        expected32 = np.empty_like(out)
        work, unit = 2 * shapes[0][0] * shapes[0][1] * shapes[1][1], "GFLOP/s"
        print(f"largest error {error:.2e} of the largest value; BLAS: {blas_name()}")
    else:
        copy = np.empty_like(inputs[0])
        contenders["copy"] = lambda: np.copyto(copy, inputs[0])
        work, unit = sum(a.nbytes for a in inputs) + out.nbytes, "GB/s"
    medians = interleave(contenders)
    for name, value in medians.items():
        moved = 2 * inputs[0].nbytes if name == "copy" else work
        print(f"{name:8} {value * 1e6:10.1f} us  {moved / value / 1e9:8.1f} {unit}")
    rival = [name for name in medians if name != "helionc"][0]
    print(f"helionc is {medians[rival] / medians['helionc']:.3f}x {rival} by time")


if __name__ == "__main__":
    main()
