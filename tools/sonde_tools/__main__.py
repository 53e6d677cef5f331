"""Starts `sonde report`. Until the libraries are loaded Ctrl-C ends it by the signal itself."""

import gc
import importlib.util
import os
import signal
import sys
from pathlib import Path

signal.signal(signal.SIGINT, signal.SIG_DFL)
# Else a page that is written would take the place of a closed standard output, and whatever is printed go into it.
while (lowest := os.open(os.devnull, os.O_RDWR)) <= 2:
    pass
os.close(lowest)

missing = [name for name in ("jinja2", "msgspec", "vl_convert") if not importlib.util.find_spec(name)]
if missing:
    needed = Path(__file__).resolve().parents[1] / "requirements.txt"
    advice = f"run tools/setup, or python3 -m pip install -r {needed}"
    print(f"sonde report: Python packages are missing ({', '.join(missing)}): {advice}", file=sys.stderr)
    sys.exit(2)

from sonde_tools import report  # noqa: E402

# Records hold nothing that refers to itself, and looking for it takes a sixth of the time.
gc.disable()
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(report.main())
