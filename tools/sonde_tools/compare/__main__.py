"""Starts `sonde compare`, as python -m sonde_tools.compare."""

import sys

from sonde_tools import starting

packages = ["jinja2", "msgspec", "scipy", "vl_convert"]
sys.exit(starting.status_of("compare", packages, "sonde_tools.compare.command"))
