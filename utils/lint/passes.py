#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Checks that each pass of a Passes.td has an implementation in lib/ and a test that names its command-line argument."""
import re

import tree

PASS = re.compile(r'^\s*def\s+(\w+)\s*:\s*Pass<\s*"([^"]+)"')


def main():
    root = tree.root_argument(__doc__)
    paths = tree.files(root)
    sources = {path: tree.text(root, path) or "" for path in paths
               if path.startswith("lib/") and path.endswith(".cpp")}
    tests = [tree.text(root, path) or "" for path in paths
             if path.startswith("test/") and not path.startswith("test/Lint/")]
    violations, seen = [], {}
    for path in paths:
        if not (path.startswith("include/helionc/") and path.endswith("/Passes.td")):
            continue
        for number, line in tree.lines(root, path):
            match = PASS.match(line)
            if not match:
                continue
            name, argument = match.groups()
            macro = re.compile(rf"\bGEN_PASS_DEF_{name.upper()}\b")
            if not any(source.endswith(f"/{name}.cpp") or macro.search(text) for source, text in sources.items()):
                violations.append((path, number, f"pass {name} has no lib/**/{name}.cpp, and no file defines "
                                                 f"GEN_PASS_DEF_{name.upper()}"))
            named = re.compile(rf"(?<!\w)(?<!\w-){re.escape(argument)}(?![\w-])")
            if not any(named.search(text) for text in tests):
                violations.append((path, number, f"no file of test/ names the pass --{argument}"))
            if argument in seen:
                violations.append((path, number, f"--{argument} is also the pass at {seen[argument]}"))
            seen[argument] = f"{path}:{number}"
    tree.finish(violations)


main()
