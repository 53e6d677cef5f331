"""How a command starts: what must hold before the libraries are loaded, which takes a while."""

import contextlib
import gc
import importlib.util
import os
import signal
import sys
from pathlib import Path


@contextlib.contextmanager
def careful(command, packages):
    """While entered, as long as libraries are loaded, Ctrl-C ends the program by the signal itself.

    Ends it with status 2 where one of the packages is not there.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A written page would otherwise take the place of a closed standard output, and what is printed would go into it.
    while (lowest := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(lowest)
    missing = [name for name in packages if not importlib.util.find_spec(name)]
    if missing:
        needed = Path(__file__).resolve().parents[1] / "requirements.txt"
        advice = f"run tools/setup, or python3 -m pip install -r {needed}"
        print(f"sonde {command}: Python packages are missing ({', '.join(missing)}): {advice}", file=sys.stderr)
        sys.exit(2)
    yield
    # Records hold nothing that refers to itself, and looking for it takes a sixth of the time.
    gc.disable()
    signal.signal(signal.SIGINT, signal.default_int_handler)
