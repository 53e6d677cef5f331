"""Starts a module of Sonde's as a program: python -E start_python.py MODULE WORD…

Python looks for modules beside this file, then in a package's own folders, then where it always does; never in the
current folder, nor in PYTHONPATH: a file there with the name of a library would be run in its place.
"""

import runpy
import sys
from pathlib import Path

brought = Path(__file__).resolve().parent / "python"
version = "{}.{}".format(*sys.version_info[:2])
sys.path[1:1] = [str(folder) for folder in (brought / version, brought / "any") if folder.is_dir()]
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
