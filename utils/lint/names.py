#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Refuses folders, files of any kind and types named after no concept, and TableGen files and templates without a licence.

utils/lint.py looks at the names and banners of C++ files only.
"""
import os
import re

import tree

VAGUE = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}
SOURCES = (".h", ".c", ".cpp", ".td", ".inc", ".py", ".h.in", ".cpp.in")
BANNERED = (".h", ".c", ".cpp", ".td", ".inc", ".h.in", ".cpp.in")
FOLDERS = ("lib/", "include/", "tools/")
# A type or a namespace that is defined here; `class X;` only repeats somebody else's name.
DEFINITION = re.compile(r"^\s*(?:template\s*<[^{]*>\s*)?(?:class|struct|union|enum(?:\s+class)?|namespace|def)\s+([\w:]+)"
                        r"(?!\w)(?!\s*;)")
BANNER = re.compile(r"SPDX-License-Identifier: |Apache License v2\.0")
BANNER_LINES = 5


def vague(name):
    """The last word of a name in any case style, if it says nothing: Utils of StringUtils or string_utils."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return words[-1] if words and words[-1].lower() in VAGUE else None


def check(root, path, excused):
    """The (line, message) violations of one source file."""
    folders, _, name = path.rpartition("/")
    word = vague(name.split(".")[0])
    if word:
        yield 1, f"file named {word}; name it after its one concept"
    if path.startswith(FOLDERS):
        for folder in folders.split("/"):
            if vague(folder):
                yield 1, f"folder named {vague(folder)}; name it after its one concept"
    lines = tree.lines(root, path)
    if not path.endswith(".py"):
        for number, line in lines:
            match = DEFINITION.match(line)
            word = vague(match.group(1)) if match else None
            if word:
                yield number, f"'{match.group(1)}' is named {word}; name it after what it is"
    if path.startswith(FOLDERS) and path.endswith(BANNERED) and not excused:
        if not any(BANNER.search(line) for _, line in lines[:BANNER_LINES]):
            yield 1, "no licence banner; begin as the other files do, 'Part of the helionc project, under the Apache …'"


def main():
    root = tree.root_argument(__doc__)
    excused = tree.excused(root)
    tree.finish([(path, number, message) for path in tree.files(root) if path.endswith(SOURCES)
                 for number, message in check(root, path, path in excused)])


main()
