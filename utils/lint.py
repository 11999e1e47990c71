#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Checks the house rules of the source tree.

usage: lint.py CHECK [--root DIR] [--tool PROGRAM]

CHECK: layers, sizes, names, banners, format (--tool clang-format), examples (--tool helion-opt), passes, options, text.
Prints each fault as path:line: what is wrong. Exits 1 when there is one.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

CODE_FOLDERS = ("include", "lib", "tools", "unittests")
CAPS = {".cpp": 800, ".c": 800, ".h": 400, ".td": 800}


class Tree:
    """The files under a root, as paths relative to it."""

    def __init__(self, root):
        self.root = root

    def files(self, folders, endings):
        for folder in folders:
            for path, subfolders, names in os.walk(os.path.join(self.root, folder)):
                subfolders[:] = sorted(s for s in subfolders if s not in ("Inputs", "__pycache__"))
                for name in sorted(names):
                    if name.endswith(endings):
                        yield os.path.relpath(os.path.join(path, name), self.root)

    def lines(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read().splitlines()

    def text(self, path):
        return "\n".join(self.lines(path))

    def rules(self, name):
        """The lines of utils/NAME as (key, value), without comments."""
        for line in self.lines(os.path.join("utils", name)):
            if line.strip() and not line.startswith("#"):
                key, _, value = line.partition(":")
                yield key.strip(), value.strip()


def layer_of(path):
    """The layer of include/helionc/L/… or lib/L/…, also of a name as it is included."""
    path = re.sub(r"^(include/helionc|lib|helionc)/", "", path)
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "Dialect" and len(parts) > 2 else parts[0]


def check_layers(tree, tool):
    allowed, banned, only = {}, {}, {}
    for key, value in tree.rules("layers.txt"):
        kind, _, prefix = key.partition(" ")
        {"ban": banned, "only": only}.get(kind, allowed)[prefix or key] = value.split()
    for path in tree.files(("include/helionc", "lib"), (".h", ".cpp", ".in")):
        layer = layer_of(path)
        for number, line in enumerate(tree.lines(path), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            name = match.group(1)
            where = f"{path}:{number}"
            if name.startswith("helionc/") and layer in allowed:
                other = layer_of(name)
                if other != layer and other not in allowed[layer]:
                    yield f"{where}: {layer} must not include {other} (utils/layers.txt)"
            for prefix, layers in banned.items():
                if name.startswith(prefix) and layer in layers:
                    yield f"{where}: {layer} must not include {prefix}"
            for prefix, places in only.items():
                if name.startswith(prefix) and not any(path.startswith(p) for p in places):
                    yield f"{where}: {prefix} belongs to {', '.join(places) or 'no file'}"
        if "/" in path[len("lib/"):] and layer not in allowed:
            yield f"{path}:1: the layer {layer} is not in utils/layers.txt"


def check_sizes(tree, tool):
    allowed = dict(tree.rules("lint-allowed.txt"))
    for path in tree.files(CODE_FOLDERS, tuple(CAPS)):
        cap, count = CAPS[os.path.splitext(path)[1]], len(tree.lines(path))
        if count > cap and not allowed.get(path):
            yield f"{path}:{count}: longer than {cap} lines, with no reason in utils/lint-allowed.txt"


def check_names(tree, tool):
    for path in tree.files(CODE_FOLDERS, (".cpp", ".h", ".td", ".c")):
        stem = os.path.splitext(os.path.basename(path))[0]
        match = re.search(r"(Utils?|Utilities|Helpers?|Common|Misc|Manager)(?![a-z])", stem)
        if match:
            yield f"{path}:1: '{match.group(1)}' says nothing; name the concept"


def check_banners(tree, tool):
    allowed = dict(tree.rules("lint-allowed.txt"))
    for path in tree.files(CODE_FOLDERS, (".cpp", ".h", ".c")):
        if allowed.get(path):
            continue
        head = tree.lines(path)[:10]
        if not any("Part of the helionc project" in line for line in head):
            yield f"{path}:1: no licence in the first lines"
        purpose = next((i for i, line in enumerate(head) if r"\file" in line), None)
        if purpose is None or not re.match(r"\s*(///|\*)\s*\S", "".join(head[purpose + 1:purpose + 2])):
            yield f"{path}:1: no \\file line followed by the purpose"


def check_format(tree, tool):
    allowed = dict(tree.rules("lint-allowed.txt"))
    files = [path for path in tree.files(CODE_FOLDERS, (".cpp", ".h", ".c")) if not allowed.get(path)]
    done = subprocess.run([tool, "--dry-run", "-Werror", *files], cwd=tree.root, capture_output=True, text=True)
    faults = re.findall(r"^(\S+:\d+):\d+: error", done.stderr, re.M)
    yield from sorted({f"{fault}: not as clang-format would write it" for fault in faults})
    if done.returncode and not faults:
        yield f"{tool} failed: {done.stderr.strip()}"


def check_examples(tree, tool):
    count = 0
    for path in tree.files(("include",), (".td",)):
        text = tree.text(path)
        for match in re.finditer(r"```mlir\n(.*?)```", text, re.S):
            count += 1
            line = text[:match.start()].count("\n") + 2
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(match.group(1))
                file.flush()
                done = subprocess.run([tool, file.name], capture_output=True, text=True)
            if done.returncode:
                yield f"{path}:{line}: the example does not parse: {done.stderr.strip().splitlines()[:1]}"
    print(f"{count} examples")


def check_passes(tree, tool):
    sources = {os.path.basename(p) for p in tree.files(("lib",), (".cpp",))}
    tests = [os.path.basename(p) for p in tree.files(("test",), (".mlir", ".test"))]
    for path in tree.files(("include",), (".td",)):
        for number, line in enumerate(tree.lines(path), 1):
            match = re.match(r'def (\w+) : Pass<"([\w-]+)"', line)
            if not match:
                continue
            stem = re.sub(r"^Convert", "", match.group(1))
            if not sources & {match.group(1) + ".cpp", stem + ".cpp"}:
                yield f"{path}:{number}: no lib/…/{stem}.cpp for this pass"
            test = re.sub(r"^(convert-|hl-(?!to-))", "", match.group(2))
            if not any(t.startswith(test) and "-errors" not in t for t in tests):
                yield f"{path}:{number}: no test/…/{test}.mlir for --{match.group(2)}"
            if not any(t.startswith(test + "-errors") for t in tests):
                yield f"{path}:{number}: no test/…/{test}-errors.mlir for --{match.group(2)}"


def check_options(tree, tool):
    declared = {}
    for path in tree.files(("lib", "tools"), (".cpp", ".h")):
        for number, line in enumerate(tree.lines(path), 1):
            if re.search(r"\bcl::opt\b", line) and not path.startswith(("lib/Driver/", "tools/")):
                yield f"{path}:{number}: command-line options belong to lib/Driver and tools"
            match = re.match(r'\s*\{"[A-Z][^"]*", "([a-z][a-z-]*)", "', line)
            if path.endswith("Driver/Options.cpp") and match:
                if match.group(1) in declared:
                    yield f"{path}:{number}: --{match.group(1)} is already declared on line {declared[match.group(1)]}"
                declared.setdefault(match.group(1), number)
                if not re.search(rf"`--?{match.group(1)}[=`\[ ]", tree.text("docs/cli.md")):
                    yield f"{path}:{number}: docs/cli.md does not name --{match.group(1)}"


def check_text(tree, tool):
    folders = CODE_FOLDERS + ("bench", "docs", "examples", "prompts", "python", "scripts", "test", "utils", ".ci", "cmake")
    faults = [(re.compile(r"(?<![\w.$}])/(work|home|root)/"), "the path of one machine"),
              (re.compile(r"https?://[\w.-]*(artifactory|pypi|debian|ubuntu)[\w.-]*"), "a package registry's host"),
              (re.compile(r"\b(TODO|FIXME|XXX)\b(?!\()"), "a task without an owner: write the task(owner)")]
    endings = (".cpp", ".h", ".c", ".td", ".py", ".md", ".txt", ".mlir", ".hl", ".test", ".cmake", "setup", "demo", "run")
    for path in [*tree.files(folders, endings), *(f for f in ("README.md", "ARCHITECTURE.md")
                                                  if os.path.exists(os.path.join(tree.root, f)))]:
        if path == "utils/lint.py":
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for pattern, what in faults:
                if pattern.search(line):
                    yield f"{path}:{number}: {what}"
            for link in re.findall(r"\]\((?!https?:)([^)#]+)", line) if path.endswith(".md") else ():
                if not os.path.exists(os.path.join(tree.root, os.path.dirname(path), link)):
                    yield f"{path}:{number}: there is no {link}"


def main():
    checks = {name[len("check_"):]: value for name, value in globals().items() if name.startswith("check_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=sorted(checks))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--tool", help="the program that the check runs")
    options = parser.parse_args()
    faults = list(checks[options.check](Tree(options.root), options.tool))
    print("\n".join(faults) if faults else f"{options.check}: ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
