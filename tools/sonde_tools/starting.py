"""How a command starts: what must hold before the libraries are loaded, which takes a while, and how it ends."""

import gc
import importlib
import importlib.util
import os
import signal
import sys
import traceback
from pathlib import Path


def status_of(command, packages, module):
    """Runs `main` of the module that holds `sonde COMMAND`, and returns the exit status.

    That is 2 where one of the packages is not there, and where something fails that nobody expects: 1 means that
    something got slower. As long as libraries are loaded, Ctrl-C ends the program by the signal itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # A written page would otherwise take the place of a closed standard output, and what is printed would go into it.
    while (lowest := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(lowest)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="replace")  # a terminal of another encoding has no dash of ours
    missing = [name for name in packages if not importlib.util.find_spec(name)]
    if missing:
        needed = Path(__file__).resolve().parents[1] / "requirements.txt"
        advice = f"run tools/setup, or python3 -m pip install -r {needed}"
        print(f"sonde {command}: Python packages are missing ({', '.join(missing)}): {advice}", file=sys.stderr)
        return 2
    try:
        main = importlib.import_module(module).main
        # Records hold nothing that refers to itself, and looking for it takes a sixth of the time.
        gc.disable()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except Exception:
        traceback.print_exc()
        return 2
