import os
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
config.substitutions.append(("%python", sys.executable))
if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode == 0:
    config.available_features.add("numpy")
