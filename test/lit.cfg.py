# Part of the helionc project, under the Apache License v2.0 with LLVM Exceptions.
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "helionc"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".hl", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.build_dir, "bin"), config.llvm_tools, os.environ["PATH"]])
for name in ("HELIONC_PTXAS", "CUDA_HOME", "VIRTUAL_ENV"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# What a test measures stays with it.
config.environment["HELIONC_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")

# The environment that scripts/setup made, else the Python that runs lit.
python = os.path.join(config.source_dir, ".venv", "bin", "python")
python = python if os.access(python, os.X_OK) else sys.executable
config.substitutions.append(("%python", python))
config.substitutions.append(("%root", config.source_dir))
clang_format = shutil.which("clang-format-22") or shutil.which(os.path.join(config.llvm_tools, "clang-format"))
if clang_format:
    config.available_features.add("clang-format")
    config.substitutions.append(("%clang-format", clang_format))

if subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0:
    config.available_features.add("numpy")
ptxas = [os.environ.get("HELIONC_PTXAS", ""), "/usr/local/cuda/bin/ptxas", "/opt/cuda/bin/ptxas",
         os.path.join(os.environ.get("CUDA_HOME", "/none"), "bin", "ptxas")]
venv = os.path.join(config.source_dir, ".venv", "lib")
for folder, _, files in os.walk(venv) if os.path.isdir(venv) else []:
    if "ptxas" in files:
        ptxas.append(os.path.join(folder, "ptxas"))
if shutil.which("ptxas") or any(os.access(path, os.X_OK) for path in ptxas if path):
    config.available_features.add("ptxas")
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("gpu")
