"""Starts `sonde report`. Until the libraries are loaded, which takes a second, Ctrl-C ends it by the signal itself."""

import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)
# Else a page that is written would take the place of a closed standard output, and whatever is printed go into it.
while (lowest := os.open(os.devnull, os.O_RDWR)) <= 2:
    pass
os.close(lowest)

from sonde_tools import report  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(report.main())
