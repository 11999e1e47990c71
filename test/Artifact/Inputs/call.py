# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Calls a library of the kernel add on NumPy arrays, rightly and wrongly."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "python"))
import helionc  # noqa: E402

library = helionc.load(sys.argv[1])
for rows, columns in ((4, 6), (2, 3)):
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    y = np.full(columns, 0.5, dtype=np.float32)
    np.testing.assert_array_equal(library.add(x, y), x + y)
    out = np.zeros_like(x)
    assert library.add(x, y, out=out) is out
    np.testing.assert_array_equal(out, x + y)
print("outputs are right")

for arrays in ((x, y.astype(np.float64)), (x[:1], y), (x,)):
    try:
        library.add(*arrays)
    except helionc.HelioncError as error:
        print("error:", error)
try:
    library.mul
except AttributeError as error:
    print("no such kernel:", error)
