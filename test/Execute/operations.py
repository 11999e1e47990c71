# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Compiles small kernels for the CPU, runs them on ragged sizes and compares with NumPy.

usage: operations.py HELIONC [NAME…]
"""
import ctypes
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy as np


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


DTYPES = {"f32": (np.float32, 2), "f64": (np.float64, 2), "f16": (np.float16, 2), "i8": (np.int8, 0),
          "i16": (np.int16, 0), "i32": (np.int32, 0), "i64": (np.int64, 0), "bool": (np.bool_, 6)}


def dltensor(array):
    code = next(code for dtype, code in DTYPES.values() if array.dtype == dtype)
    sizes = ctypes.c_int64 * max(array.ndim, 1)
    strides = sizes(*[s // array.itemsize for s in array.strides])
    return DLTensor(array.ctypes.data, (ctypes.c_int32 * 2)(1, 0), array.ndim, code, array.itemsize * 8, 1,
                    sizes(*array.shape), strides, 0)


def binding(array):
    name = next(name for name, (dtype, _) in DTYPES.items() if array.dtype == dtype)
    return f"{name}[{','.join(map(str, array.shape))}]"


def run(helionc, folder, text, inputs, outputs, config):
    """`inputs`: arrays by name; `outputs`: arrays to write."""
    source, library = os.path.join(folder, "k.hl"), os.path.join(folder, f"k{run.count}.so")
    run.count += 1
    with open(source, "w") as file:
        file.write(text)
    command = [helionc, source, "--target=cpu", "--quiet", "--config", config, "-o", library]
    for name, array in inputs.items():
        command += ["--arg", f"{name}={binding(array)}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    loaded = ctypes.CDLL(library)
    tensors = [dltensor(array) for array in [*inputs.values(), *outputs]]
    if loaded.helion_k(*[ctypes.byref(t) for t in tensors], None):
        loaded.helion_k_last_error.restype = ctypes.c_char_p
        raise RuntimeError(loaded.helion_k_last_error().decode())


run.count = 0

FLOATS = np.array([-2.5, -1.0, -0.0, 0.0, 0.3, 1.0, 7.25, np.inf, -np.inf, np.nan], np.float32)
RANDOM = np.random.default_rng(0)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def integers(low, high, *shape, dtype=np.int32):
    return RANDOM.integers(low, high, shape).astype(dtype)


def elementwise(expression, parameters="x", dtype="torch.float32"):
    return (f"@helion.kernel()\ndef k({', '.join(p + ': torch.Tensor' for p in parameters)}):\n"
            f"    out = torch.empty(x.shape, dtype={dtype})\n"
            f"    for tile in hl.tile(x.size()):\n        out[tile] = {expression}\n    return out\n")


def rows(body, parameters="x", shape="[x.size(0)]", dtype="torch.float32"):
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return (f"@helion.kernel()\ndef k({', '.join(p + ': torch.Tensor' for p in parameters)}):\n"
            f"    out = torch.empty({shape}, dtype={dtype})\n"
            f"    for tile in hl.tile(x.size(0)):\n{lines}    return out\n")


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


X, Y = floats(37, 21), floats(37, 21)
I, J = integers(-50, 50, 37), integers(-7, 8, 37)
J[J == 0] = 3
LONG = integers(-2**62, 2**62, 37, dtype=np.int64)
K1, K2 = floats(37, 45), floats(45, 29)
HOLES = X.copy()
HOLES[3, 5] = HOLES[4, 0] = np.nan
erf = np.vectorize(math.erf)
SPECIAL = np.concatenate([FLOATS, floats(27)])

# name: kernel, inputs, expected
CASES = {
    "arithmetic": (elementwise("x[tile] * 2 + y[tile] / 3 - 1", "xy"), dict(x=X, y=Y), X * 2 + Y / 3 - 1),
    "int-floordiv": (elementwise("x[tile] // y[tile]", "xy", "torch.int32"), dict(x=I, y=J), I // J),
    "int-mod": (elementwise("x[tile] % y[tile]", "xy", "torch.int32"), dict(x=I, y=J), I % J),
    "int-fmod": (elementwise("torch.fmod(x[tile], y[tile])", "xy", "torch.int32"), dict(x=I, y=J), np.fmod(I, J)),
    "int-true-div": (elementwise("x[tile] / y[tile]", "xy"), dict(x=I, y=J), (I / J).astype(np.float32)),
    "int-pow": (elementwise("x[tile] ** 3", "x", "torch.int32"), dict(x=I), I ** 3),
    "int-wraps": (elementwise("x[tile] * x[tile] + x[tile]", "x", "torch.int64"), dict(x=LONG), LONG * LONG + LONG),
    "float-floordiv": (elementwise("x[tile] // y[tile]", "xy"), dict(x=X, y=Y), X // Y),
    "float-mod": (elementwise("x[tile] % y[tile]", "xy"), dict(x=X, y=Y), X % Y),
    "shift": (elementwise("(x[tile] << 3) + (x[tile] >> 1)", "x", "torch.int32"), dict(x=I), (I << 3) + (I >> 1)),
    "bits": (elementwise("(x[tile] & 12) | (x[tile] ^ 5)", "x", "torch.int32"), dict(x=I), (I & 12) | (I ^ 5)),
    "invert": (elementwise("~x[tile]", "x", "torch.int32"), dict(x=I), ~I),
    "compare": (elementwise("(x[tile] > 0) & (x[tile] <= 20)", "x", "torch.bool"), dict(x=I), (I > 0) & (I <= 20)),
    "where": (elementwise("torch.where(x[tile] > y[tile], x[tile], 0)", "xy"), dict(x=X, y=Y), np.where(X > Y, X, 0)),
    "clamp-keeps-nan": (elementwise("torch.clamp(x[tile], -1, 1)"), dict(x=SPECIAL), np.clip(SPECIAL, -1, 1)),
    "maximum-keeps-nan": (elementwise("torch.maximum(x[tile], 0.5)"), dict(x=SPECIAL), np.maximum(SPECIAL, np.float32(0.5))),
    "relu-keeps-nan": (elementwise("torch.relu(x[tile])"), dict(x=SPECIAL), np.maximum(SPECIAL, 0)),
    "isnan": (elementwise("torch.isnan(x[tile])", "x", "torch.bool"), dict(x=SPECIAL), np.isnan(SPECIAL)),
    "isinf": (elementwise("torch.isinf(x[tile])", "x", "torch.bool"), dict(x=SPECIAL), np.isinf(SPECIAL)),
    "round": (elementwise("torch.round(x[tile] * 4)"), dict(x=X), np.round(X * 4)),
    "floor-ceil-trunc": (elementwise("torch.floor(x[tile]) + torch.ceil(y[tile]) * 2 + torch.trunc(x[tile]) * 4", "xy"),
                         dict(x=X, y=Y), np.floor(X) + np.ceil(Y) * 2 + np.trunc(X) * 4),
    "exp": (elementwise("torch.exp(x[tile]) + torch.exp2(x[tile]) + torch.expm1(x[tile])"), dict(x=X),
            np.exp(X) + np.exp2(X) + np.expm1(X)),
    "log": (elementwise("torch.log(x[tile] + 5) + torch.log2(x[tile] + 5) + torch.log1p(x[tile] + 5)"), dict(x=X),
            np.log(X + 5) + np.log2(X + 5) + np.log1p(X + 5)),
    "sqrt": (elementwise("torch.sqrt(x[tile] + 5) + torch.rsqrt(x[tile] + 5) + torch.reciprocal(x[tile] + 5)"),
             dict(x=X), np.sqrt(X + 5) + 1 / np.sqrt(X + 5) + 1 / (X + 5)),
    "trigonometry": (elementwise("torch.sin(x[tile]) + torch.cos(x[tile]) * 2 + torch.tanh(x[tile]) * 4"), dict(x=X),
                     np.sin(X) + np.cos(X) * 2 + np.tanh(X) * 4),
    "sigmoid-silu": (elementwise("torch.sigmoid(x[tile] * 50) + torch.nn.functional.silu(x[tile])"), dict(x=X),
                     1 / (1 + np.exp(-X.astype(np.float64) * 50)) + X / (1 + np.exp(-X))),
    "pow": (elementwise("torch.abs(x[tile]) ** 0.3 + x[tile] ** 2"), dict(x=X), np.abs(X) ** np.float32(0.3) + X ** 2),
    "half": (elementwise("x[tile] * x[tile] + 0.1", "x", "torch.float16"), dict(x=X.astype(np.float16)),
             ((X.astype(np.float16) * X.astype(np.float16)).astype(np.float32) + np.float32(0.1)).astype(np.float16)),
    "cast": (elementwise("(x[tile] * 10).to(torch.int32)", "x", "torch.int32"), dict(x=X), (X * 10).astype(np.int32)),
    "index": (rows("out[tile] = x[tile] + tile.index * 2"), dict(x=floats(37)), None),
    "sum": (rows("out[tile] = x[tile, :].sum(1)"), dict(x=X), X.sum(1)),
    "sum-of-bools": (rows("out[tile] = (x[tile, :] > 0).sum(1)", dtype="torch.int64"), dict(x=X), (X > 0).sum(1)),
    "prod": (rows("out[tile] = x[tile, :].prod(1)"), dict(x=X), X.prod(1)),
    "mean": (rows("out[tile] = torch.mean(x[tile, :], dim=-1)"), dict(x=X), X.mean(1)),
    "max": (rows("out[tile] = x[tile, :].amax(1) - x[tile, :].amin(1)"), dict(x=X), X.max(1) - X.min(1)),
    "max-of-negative": (rows("out[tile] = (-torch.abs(x[tile, :]) - 1).amax(1)"), dict(x=X), (-np.abs(X) - 1).max(1)),
    "argmax": (rows("out[tile] = x[tile, :].argmax(1)", dtype="torch.int64"), dict(x=X), X.argmax(1)),
    "argmin-ties": (rows("out[tile] = x[tile, :].argmin(1)", dtype="torch.int64"), dict(x=integers(0, 3, 37, 21)), "argmin"),
    "any-all": (rows("out[tile] = torch.any(x[tile, :] > 2, dim=1) | torch.all(x[tile, :] > -1, dim=1)", dtype="torch.bool"),
                dict(x=X), (X > 2).any(1) | (X > -1).all(1)),
    "var": (rows("out[tile] = torch.var(x[tile, :] + 1000, dim=1)"), dict(x=X),
            (X + np.float32(1000)).astype(np.float64).var(1, ddof=1)),
    "std": (rows("out[tile] = torch.std(x[tile, :], dim=1, correction=0)"), dict(x=X), X.std(1)),
    "logsumexp": (rows("out[tile] = torch.logsumexp(x[tile, :] * 100, dim=1)"), dict(x=X),
                  np.log(np.exp((X * 100.0) - (X * 100.0).max(1, keepdims=True)).sum(1)) + (X * 100.0).max(1)),
    "softmax": (rows("out[tile, :] = torch.softmax(x[tile, :], dim=1)", shape="x.shape"), dict(x=X), softmax(X)),
    "log-softmax": (rows("out[tile, :] = torch.nn.functional.log_softmax(x[tile, :], dim=1)", shape="x.shape"), dict(x=X),
                    np.log(softmax(X))),
    "looped-sum": (rows("acc = hl.zeros([tile])\nfor t in hl.tile(x.size(1)):\n    acc += torch.exp(x[tile, t]).sum(1)\n"
                        "out[tile] = acc"), dict(x=X), np.exp(X).sum(1)),
    "looped-max": (rows("acc = hl.full([tile], float('-inf'))\nfor t in hl.tile(x.size(1)):\n"
                        "    acc = torch.maximum(acc, (x[tile, t] - 9).amax(1))\nout[tile] = acc"), dict(x=X), X.max(1) - 9),
    "looped-mean-of-tiles": (rows("acc = hl.zeros([tile])\nfor t in hl.tile(x.size(1)):\n"
                                  "    acc += x[tile, t].mean(1) * (t.end - t.begin)\nout[tile] = acc"), dict(x=X), X.sum(1)),
    "looped-min-of-shifted": (rows("acc = hl.full([tile], float('inf'))\nfor t in hl.tile(x.size(1)):\n"
                                   "    acc = torch.minimum(acc, (x[tile, t] + 9).amin(1))\nout[tile] = acc"), dict(x=X),
                              X.min(1) + 9),
    "argmax-of-nan": (rows("out[tile] = x[tile, :].argmax(1)", dtype="torch.int64"), dict(x=HOLES), HOLES.argmax(1)),
    "max-of-nan": (rows("out[tile] = x[tile, :].amax(1) + x[tile, :].amin(1)"), dict(x=HOLES), HOLES.max(1) + HOLES.min(1)),
    "erf-gelu": (elementwise("torch.erf(x[tile] * 3) + torch.nn.functional.gelu(x[tile] * 3)"), dict(x=X),
                 erf(X * 3) + X * 3 * 0.5 * (1 + erf(X * 3 / np.sqrt(2)))),
    "softplus": (elementwise("torch.nn.functional.softplus(x[tile] * 3)"), dict(x=X), np.log1p(np.exp(X * 3))),
    "lerp": (elementwise("torch.lerp(x[tile], y[tile], 0.25)", "xy"), dict(x=X, y=Y), X + (Y - X) * np.float32(0.25)),
    "remainder-of-negative": (elementwise("torch.remainder(x[tile] * 9, -1.5)"), dict(x=X), np.mod(X * 9, np.float32(-1.5))),
    "bitcast": (elementwise("x[tile].view(torch.int32)", "x", "torch.int32"), dict(x=X), X.view(np.int32)),
    "store-then-load": ("@helion.kernel()\ndef k(x: torch.Tensor):\n    out = torch.empty_like(x)\n    for tile in hl.tile(x.size()):\n"
                        "        out[tile] = x[tile]\n        out[tile] = out[tile] * 2 + out[tile]\n    return out\n", dict(x=X), X * 3),
    "sum-of-columns": ("@helion.kernel()\ndef k(x: torch.Tensor):\n    out = torch.empty([x.size(1)])\n    for t in hl.tile(x.size(1)):\n"
                       "        acc = hl.zeros([t])\n        for r in hl.tile(x.size(0)):\n            acc += torch.exp(x[r, t]).sum(0)\n"
                       "        out[t] = acc\n    return out\n", dict(x=X), np.exp(X).sum(0)),
    "reductions-of-reductions": (rows("w = torch.exp(x[tile, :])\nw = w / w.sum(1, keepdim=True)\nout[tile] = (w * w).sum(-1) + w.amin(1)"),
                                 dict(x=X), (softmax(X) ** 2).sum(1) + softmax(X).min(1)),
    "dot-of-padded": (rows("acc = hl.zeros([tile, y.size(1)])\nfor t in hl.tile(x.size(1)):\n"
                           "    acc = acc + torch.matmul(torch.exp(x[tile, t]), torch.cos(y[t, :]))\nout[tile, :] = acc", "xy", "[37, 29]"),
                      dict(x=K1, y=K2), np.exp(K1) @ np.cos(K2)),
    "part-of-a-row": (rows("out[tile, 2:23] = x[tile, :]", shape="[37, 24]").replace("torch.empty", "torch.zeros"), dict(x=X),
                      np.pad(X, ((0, 0), (2, 1)))),
    "count": (rows("n = 0\nfor t in hl.grid(2, 9):\n    n += t\nout[tile] = x[tile, 0] * n"), dict(x=X), X[:, 0] * 35),
    "gather": (rows("out[tile] = y[x[tile]]", "xy"), dict(x=integers(0, 21, 37, dtype=np.int64), y=floats(21)), "gather"),
    "masked": (rows("out[tile] = hl.load(x, [tile], extra_mask=tile.index % 3 == 0)"), dict(x=floats(37)), "masked"),
    "slice-step": (rows("out[tile, :] = x[tile, 1:20:3]", shape="[37, 7]"), dict(x=X), X[:, 1:20:3]),
    "transpose": (elementwise("y[tile]", "xy").replace("    out =", "    y = y.T\n    out ="), dict(x=X, y=floats(21, 37)), "transpose"),
    "permute": (elementwise("y[tile]", "xy").replace("    out =", "    y = y.permute(2, 0, 1)\n    out ="),
                dict(x=floats(5, 3, 4), y=floats(3, 4, 5)), "permute"),
    "broadcast": (elementwise("x[tile] + y[tile]", "xy").replace("    out =", "    x, y = torch.broadcast_tensors(x, y)\n    out ="),
                  dict(x=X, y=floats(21)), "broadcast"),
    "outer": (rows("out[tile, :] = x[tile][:, None] * y[:][None, :]", "xy", "[37, 21]"), dict(x=floats(37), y=floats(21)), "outer"),
    "tile-transpose": (rows("out[:, tile] = x[tile, :].T", shape="[21, 37]"), dict(x=X), X.T),
    "matmul": ("@helion.kernel()\ndef k(x: torch.Tensor, y: torch.Tensor):\n    out = torch.empty([x.size(0), y.size(1)])\n"
               "    for a, b in hl.tile([x.size(0), y.size(1)]):\n        acc = hl.zeros([a, b])\n"
               "        for c in hl.tile(x.size(1)):\n            acc = torch.addmm(acc, x[a, c] + 1, y[c, b] + 1)\n"
               "        out[a, b] = acc\n    return out\n", dict(x=K1, y=K2), (K1 + 1) @ (K2 + 1)),
    "matmul-whole": (rows("out[tile, :] = (x[tile, :] + 1) @ (y[:, :] + 1)", "xy", "[37, 29]"), dict(x=K1, y=K2), (K1 + 1) @ (K2 + 1)),
    "bmm": ("@helion.kernel()\ndef k(x: torch.Tensor, y: torch.Tensor):\n    out = torch.empty([3, 5, 6])\n"
            "    for i, a in hl.tile([3, 5]):\n        out[i, a, :] = torch.bmm(x[i, a, :], y[i, :, :])\n    return out\n",
            dict(x=floats(3, 5, 7), y=floats(3, 7, 6)), "bmm"),
    "int8-dot": (rows("out[tile, :] = hl.dot(x[tile, :], y[:, :])", "xy", "[37, 29]", "torch.int32"),
                 dict(x=integers(-128, 128, 37, 45, dtype=np.int8), y=integers(-128, 128, 45, 29, dtype=np.int8)), "int-dot"),
    "zeros-then-part": ("@helion.kernel()\ndef k(x: torch.Tensor):\n    out = torch.full([37], 3.5)\n"
                        "    for tile in hl.tile(20):\n        out[tile] = x[tile]\n    return out\n", dict(x=floats(37)), "part"),
    "two-loops": ("@helion.kernel()\ndef k(x: torch.Tensor):\n    t = torch.empty_like(x)\n    out = torch.empty_like(x)\n"
                  "    for tile in hl.tile(x.size()):\n        t[tile] = x[tile] * 2\n    for a in hl.tile(x.size(0)):\n"
                  "        out[a, :] = t[a, :] - t[a, :].amax(1)[:, None]\n    return out\n", dict(x=X), X * 2 - (X * 2).max(1, keepdims=True)),
}
SPECIAL_CASES = {
    "index": lambda a: a["x"] + np.arange(37, dtype=np.float32) * 2,
    "argmin-ties": lambda a: a["x"].argmin(1),
    "gather": lambda a: a["y"][a["x"]],
    "masked": lambda a: np.where(np.arange(37) % 3 == 0, a["x"], 0),
    "transpose": lambda a: a["y"].T,
    "permute": lambda a: a["y"].transpose(2, 0, 1),
    "broadcast": lambda a: a["x"] + a["y"],
    "outer": lambda a: a["x"][:, None] * a["y"][None, :],
    "bmm": lambda a: a["x"] @ a["y"],
    "int8-dot": lambda a: a["x"].astype(np.int32) @ a["y"].astype(np.int32),
    "zeros-then-part": lambda a: np.where(np.arange(37) < 20, a["x"], np.float32(3.5)),
}


def check(helionc, name, folder):
    text, inputs, expected = CASES[name]
    if name in SPECIAL_CASES:
        expected = SPECIAL_CASES[name](inputs)
    dtype = next((DTYPES[short][0] for word, short in {"torch.int32": "i32", "torch.int64": "i64", "torch.bool": "bool",
                                                       "torch.float16": "f16"}.items() if f"dtype={word})" in text), np.float32)
    largest = block_limits(helionc, text, inputs, folder)
    for sizes in [[1, 1, 1, 1], [8, 16, 4, 8], [64, 32, 16, 64]]:
        blocks = [min(pair) for pair in zip(sizes, largest)]
        out = np.full(expected.shape, 77, dtype)
        try:
            run(helionc, folder, text, inputs, [out], '{"block_sizes": %s}' % blocks)
        except RuntimeError as error:
            return f"{blocks}: {error}"
        exact = dtype not in (np.float32, np.float16)
        same = np.array_equal(out, expected) if exact else np.allclose(out, expected, rtol=2e-5 if dtype == np.float32 else 2e-3,
                                                                         atol=2e-5, equal_nan=True)
        if not same:
            wrong = np.argwhere(~np.isclose(out.astype(np.float64), expected.astype(np.float64), rtol=2e-5, atol=2e-5, equal_nan=True))
            at = tuple(wrong[0]) if len(wrong) else ()
            return f"{blocks}: {len(wrong)} of {out.size} elements differ, first at {at}: {out[at]}, expected {expected[at]}"
    return ""


def block_limits(helionc, text, inputs, folder):
    """The largest value of each block size of the kernel."""
    source = os.path.join(folder, "k.hl")
    with open(source, "w") as file:
        file.write(text)
    command = [helionc, source, "--emit=hl"]
    for name, array in inputs.items():
        command += ["--arg", f"{name}={binding(array)}"]
    printed = subprocess.run(command, capture_output=True, text=True).stdout
    return [int(size) for size in re.findall(r"hl.param @block_sizes.*?max = (\d+)", printed)]


def main(helionc, names):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or CASES:
            problem = check(helionc, name, folder)
            failures += bool(problem)
            print(f"{'FAIL' if problem else 'ok'} {name} {problem}", flush=True)
    print(f"{len(names or CASES)} operations, {failures} wrong")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
