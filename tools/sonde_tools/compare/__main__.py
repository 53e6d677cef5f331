"""Starts `sonde compare`, as python -m sonde_tools.compare."""

import sys

from sonde_tools import starting

with starting.careful():
    from sonde_tools.compare import command

sys.exit(command.main())
