"""Builds a libOpenCL.so.1 that breaks on demand (fake_opencl.c)."""

import ctypes
import re
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
OPENED = "host/device/opencl/CMakeLists.txt"


def real_loader():
    ctypes.CDLL("libOpenCL.so.1")
    return re.search(r"/\S*/libOpenCL\.so\S*", Path("/proc/self/maps").read_text())[0]


def build(compiler, root, folder):
    """Leaves libOpenCL.so.1 in `folder`; it has every function that the program opens."""
    opened = re.search(r"set\(functions\s([^)]*)\)", (root / OPENED).read_text())[1].split()
    own = SOURCE.read_text()
    others = [name for name in opened if f"PASS_ON_AFTER({name})" not in own and f"PASS_ON_BEFORE({name})" not in own]
    defined = {"REAL_OPENCL": f'"{real_loader()}"', "OTHER_FUNCTIONS": " ".join(f"PASS_ON({name})" for name in others)}
    defines = [f"-D{name}={value}" for name, value in defined.items()]
    library = folder / "libOpenCL.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", *defines, "-o", library, SOURCE, "-ldl"], check=True)
