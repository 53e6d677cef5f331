"""Writes files whole or not at all, and never over a file that was read."""

import os
import stat
import sys
import tempfile
from pathlib import Path


class OutputError(Exception):
    """What cannot be written; the text is one sentence for the user."""


class Outputs:
    """Writes what was made from some input files."""

    def __init__(self, inputs):
        """inputs: paths of existing files that no output may replace, by whatever name it reaches them."""
        self._inputs = {_identity(path.stat()): path for path in inputs}

    def write(self, path, content):
        """Writes text (as UTF-8) or bytes beside the path and renames it when it is complete; returns the path.

        Raises OutputError where the path is an input or cannot be written; what was there before then still is.
        """
        self.check(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Not resolved yet: what stands for an open pipe (/dev/stdout, /dev/fd/63) would lead to a name of no file.
            replace(path, content.encode() if isinstance(content, str) else content)
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
        return path

    def check(self, path):
        """Raises OutputError where the path is an input."""
        try:
            found = self._inputs.get(_identity(path.stat()))
        except (OSError, ValueError):  # there is nothing yet; or it never can be, which writing will tell
            return
        if found is not None:
            same = "" if found == path else f" by another name ({found})"
            raise OutputError(f"{path} is a record file to be read{same}: name another place to write to.")


def say(text):
    """Writes text to standard output, which may be closed: then nobody wants to know. Raises OutputError otherwise."""
    try:
        print(text, end="", flush=True)  # which a standard output that is None does not mind
    except BrokenPipeError:
        sys.stdout = None
    except OSError as error:
        sys.stdout = None
        raise OutputError(f"standard output cannot be written: {error.strerror}.") from error


def _identity(about):
    return about.st_dev, about.st_ino


def replace(path, content):
    """Writes bytes beside the path and renames the file when it is complete. Raises OSError."""
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):  # a pipe or /dev/null is written to, not replaced
        path.write_bytes(content)
        return
    path = path.resolve()
    descriptor, beside = tempfile.mkstemp(prefix=".sonde-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(beside, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
