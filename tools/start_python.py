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
package = sys.argv[0].partition(".")[0]
if package == "sonde_tools" and not (Path(__file__).resolve().parent / package / "__init__.py").is_file():
    missing = Path(__file__).resolve().parent / package
    print(
        f"sonde: {missing} is missing: Sonde's folder has to be moved as a whole; unpack or build it again",
        file=sys.stderr,
    )
    sys.exit(2)
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
