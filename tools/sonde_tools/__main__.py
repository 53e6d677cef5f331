"""Starts `sonde report`."""

import sys

from sonde_tools import starting

with starting.careful("report", ["jinja2", "msgspec", "numpy", "polars", "vl_convert"]):
    from sonde_tools import report

sys.exit(report.main())
