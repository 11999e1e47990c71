#!/usr/bin/env python3
# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""Refuses text that belongs to one machine or to nobody: private paths, hosts of package registries, ownerless to-dos.

Every tracked text file is read; utils/lint.py looks for more words in fewer kinds of files.
"""
import re

import tree

# Holds the words it looks for.
CHECKER = "utils/lint.py"
# Each pattern has a bracket so that it does not find itself.
RULES = [
    (re.compile(r"/wor[k]/"), "a path of one machine; say it relative to the repository"),
    (re.compile(r"\b(?:pyp[i]\.org|(?:files\.)?pythonhoste[d]\.org|npmj[s]\.(?:org|com)|crate[s]\.io|rubygem[s]\.org"
                r"|proxy\.golan[g]\.org|sum\.golan[g]\.org|anacond[a]\.(?:org|com)|ghc[r]\.io|docke[r]\.io|qua[y]\.io|gc[r]\.io"
                r"|nvc[r]\.io|repo[1]?\.mave[n]\.[\w.]+|(?:artifactor[y]|nexu[s])\.[\w-]+\.\w+)\b", re.I),
     "the host of a package registry; leave it to the user's configuration"),
    (re.compile(r"\bTOD[O]\b(?!\([A-Za-z][\w. -]*\))"), "a to-do without an owner; name one in parentheses, or do it"),
]


def main():
    root = tree.root_argument(__doc__)
    tree.finish([(path, number, f"{message} ({match.group(0)})") for path in tree.files(root) if path != CHECKER
                 for number, line in tree.lines(root, path)
                 for pattern, message in RULES for match in [pattern.search(line)] if match])


main()
