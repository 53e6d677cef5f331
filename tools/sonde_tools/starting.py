"""How a command starts: what must hold before the libraries are loaded, which takes a while."""

import contextlib
import os
import signal


@contextlib.contextmanager
def careful():
    """While entered, as long as libraries are loaded, Ctrl-C ends the program by the signal itself."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Else a page that is written would take the place of a closed standard output, and whatever is printed go into it.
    while (lowest := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(lowest)
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)
