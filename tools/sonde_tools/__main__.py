"""Starts `sonde report`."""

import sys

from sonde_tools import starting

with starting.careful():
    from sonde_tools import report

sys.exit(report.main())
