"""Vega, Vega-Lite and Vega-Embed as one script for pages, and where it is kept, since making it takes seconds."""

import contextlib
import hashlib
import os
from importlib import metadata
from pathlib import Path

from sonde_tools import outputs
from sonde_tools.pictures import VEGA_LITE_VERSION


def javascript():
    """The script as text: from the user's cache, or made and put there. A cache that cannot be used costs time only."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "sonde"
    file = cache / f"vega-{VEGA_LITE_VERSION}-{metadata.version('vl-convert-python')}.js"
    text = _kept(file)
    if text is None:
        text = _made()
        _keep(file, text)
    return text


def _made():
    import vl_convert

    return vl_convert.javascript_bundle(vl_version=VEGA_LITE_VERSION)


def _kept(file):
    """What is in the file below its first line, a sum of the rest; None where that is missing or spoilt."""
    try:
        first, _, text = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return text if first == _sum(text) else None


def _keep(file, text):
    with contextlib.suppress(OSError):  # a home that cannot be written to: it is made again next time
        file.parent.mkdir(parents=True, exist_ok=True)
        outputs.replace(file, f"{_sum(text)}\n{text}".encode())


def _sum(text):
    return f"// {hashlib.sha256(text.encode()).hexdigest()}"
