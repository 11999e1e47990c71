# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
"""What every check shares: the files of a tree, their text, and how a violation is reported."""
import os
import re
import subprocess
import sys

# Bad on purpose: what the checks are tested on.
INPUTS = "test/Lint/Inputs/"
# Not source, where no git tree says so.
SKIPPED_FOLDERS = re.compile(r"^(\.git|\.venv|__pycache__|build(-.*)?)$")


def root_argument(doc):
    """The folder that the command line names; usage is an error with exit code 2."""
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ROOT\n\n{doc}")
    return os.path.abspath(sys.argv[1])


def files(root):
    """The paths of the tree's files, relative to root and sorted: the tracked ones in a git tree, else all."""
    try:
        git = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True)
        paths = git.stdout.split("\0")[:-1] if git.returncode == 0 else []
    except OSError:
        paths = []
    if not paths:
        for folder, subfolders, names in os.walk(root):
            subfolders[:] = [name for name in subfolders if not SKIPPED_FOLDERS.match(name)]
            paths += [os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/") for name in names]
    return sorted(path for path in set(paths)
                  if not path.startswith(INPUTS) and os.path.isfile(os.path.join(root, path)))


def text(root, path):
    """The text of a file, or None for a binary one."""
    with open(os.path.join(root, path), "rb") as stream:
        data = stream.read()
    return None if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def lines(root, path):
    """(number, line) of each line of a text file; nothing for a binary one."""
    return list(enumerate((text(root, path) or "").splitlines(), 1))


def excused(root):
    """The files that utils/lint-allowed.txt names with a reason."""
    path = "utils/lint-allowed.txt"
    if not os.path.isfile(os.path.join(root, path)):
        return set()
    entries = [line.partition(":") for _, line in lines(root, path) if not line.startswith("#")]
    return {name.strip() for name, _, reason in entries if reason.strip()}


def finish(violations):
    """Prints each (path, line, message) and exits: 1 if there is one, else 0."""
    for path, number, message in sorted(set(violations)):
        print(f"{path}:{number}: {message}", file=sys.stderr)
    sys.exit(1 if violations else 0)
