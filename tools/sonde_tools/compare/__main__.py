"""Starts `sonde compare`, as python -m sonde_tools.compare."""

import sys

from sonde_tools import starting

with starting.careful("compare", ["jinja2", "msgspec", "polars", "scipy", "vl_convert"]):
    from sonde_tools.compare import command

sys.exit(command.main())
