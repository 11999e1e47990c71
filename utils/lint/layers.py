#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Checks what makes utils/layers.txt an order, and includes that it does not speak of.

utils/lint.py holds each #include "helionc/…" against layers.txt. Here: a layer of that list may include only layers that
stand above it there, which are the ones below it in the compiler; no include leaves its layer by a relative path; curl is
Autotune/LLM's and cuda.h nobody's in .c files too; and what utils/lint/freestanding.txt names includes nothing else.
"""
import os
import posixpath
import re

import tree

LAYERS = "utils/layers.txt"
FREESTANDING = "utils/lint/freestanding.txt"
INCLUDE = re.compile(r'^\s*#?\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = (".h", ".c", ".cpp", ".td", ".inc", ".in")


def entries(root, path):
    """(line number, key, words) of each `key: words` line; ends the program where there is no such file."""
    if not os.path.isfile(os.path.join(root, path)):
        tree.finish([(path, 1, "no such file")])
    for number, line in tree.lines(root, path):
        if line.strip() and not line.startswith("#"):
            key, _, words = line.partition(":")
            yield number, key.strip(), words.split()


def check_order(root):
    """The layers of layers.txt from the bottom, and the violations of that order."""
    layers, violations = [], []
    for number, key, words in entries(root, LAYERS):
        if key.startswith(("ban ", "only ")):
            continue
        if key in layers:
            violations.append((LAYERS, number, f"layer {key} is listed twice"))
        violations += [(LAYERS, number, f"{key} points up: {word} is not listed above it")
                       for word in words if word not in layers]
        layers.append(key)
    if not layers:
        violations.append((LAYERS, 1, "no layer is listed"))
    return layers, violations


def layer_of(path, layers):
    """The layer that a path under lib/ or include/helionc/ belongs to, or None."""
    place = re.sub(r"^(lib|include/helionc)/", "", path)
    return next((layer for layer in layers if place.startswith(layer + "/")), None) if place != path else None


def check_include(path, quote, header, layers, freestanding):
    """The messages about one #include of the file at path."""
    if quote == '"' and header.startswith("."):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), header))
        if layer_of(target, layers) != layer_of(path, layers):
            yield f"includes {header}: a relative path out of its layer; write helionc/… so that {LAYERS} sees it"
    if header.startswith("curl/") and "/Autotune/LLM/" not in path:
        yield f"includes {header}: curl belongs to Autotune/LLM"
    if header == "cuda.h":
        yield f"includes {header}: the CUDA driver is loaded at run time, through declarations of our own"
    for place, headers in freestanding.items():
        if (path + "/").startswith(place + "/") and header not in headers:
            yield f"includes {header}, which {FREESTANDING} does not list for {place}"


def main():
    root = tree.root_argument(__doc__)
    layers, violations = check_order(root)
    freestanding = {key: set(words) for _, key, words in entries(root, FREESTANDING)}
    paths = [path for path in tree.files(root) if path.endswith(SOURCES)]
    for place in freestanding:
        if not any((path + "/").startswith(place + "/") for path in paths):
            violations.append((FREESTANDING, 1, f"there is no {place}"))
    for path in paths:
        for number, line in tree.lines(root, path):
            match = INCLUDE.match(line)
            if match:
                violations += [(path, number, message)
                               for message in check_include(path, *match.groups(), layers, freestanding)]
    tree.finish(violations)


main()
