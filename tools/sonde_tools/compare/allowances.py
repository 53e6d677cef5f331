"""How much runs of one device differ, from allowances.toml: what one run cannot tell about itself."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Allowance:
    """The standard deviation of a run's value (of its logarithm, or of a share), and how many degrees it counts."""

    scatter: float
    weight: float
    levels_repeat: bool


def allowance(device_type, kind_name, feature_name=""):
    """The Allowance for a feature of a kind on a type of device; a type without one of its own has that of `other`."""
    table = _tables().get(device_type) or _tables()["other"]
    by_name = table.get("of", {})
    scatter = by_name.get(feature_name, by_name.get(kind_name, table["scatter"]))
    return Allowance(scatter, table["weight"], table["levels_repeat"])


@cache
def _tables():
    return tomllib.loads((Path(__file__).parent / "allowances.toml").read_text(encoding="utf-8"))
