import sys

import numpy as np

import helionc

add = helionc.load(sys.argv[1]).add
x = np.ones((3, 4), np.float32)
y = np.arange(1, 5, dtype=np.float32)
print(add(x, y))
for attempt in (lambda: add(x[:2], y), lambda: add(x.astype(np.float64), y), lambda: add(np.ones((4, 3), np.float32).T, y),
                lambda: add(x, y, out=x), lambda: add(x)):
    try:
        attempt()
        print("not refused")
    except helionc.HelioncError as error:
        print("refused:", error)
