"""A terminal for the program to write to: a pseudo-terminal whose other end is read here."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading


def run_in_terminal(sonde, *words, columns=100, results_too=False, env=None):
    """Returns the status, what the terminal got, and standard output (empty when the terminal got that too)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = bytearray()
    process = subprocess.Popen(
        [sonde.program, *words],
        cwd=sonde.folder,
        env=sonde.environment(**(env or {})),
        stdin=subprocess.DEVNULL,
        stdout=theirs if results_too else subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    reader = threading.Thread(target=read_all, args=(ours, shown))
    reader.start()
    out = process.communicate(timeout=300)[0] or b""
    reader.join(timeout=10)
    os.close(ours)
    return process.returncode, shown.decode("utf-8"), out.decode("utf-8")


def read_all(file, into):
    while True:
        try:
            got = os.read(file, 65536)
        except OSError:  # how a terminal says that nobody has its other end any more
            return
        if not got:
            return
        into += got
