"""Starts `sonde report`."""

import sys

from sonde_tools import starting

packages = ["jinja2", "msgspec", "numpy", "polars", "vl_convert"]
sys.exit(starting.status_of("report", packages, "sonde_tools.report"))
