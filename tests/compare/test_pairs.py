"""Which devices of two sides are compared with each other."""

from pathlib import Path

import pytest
from sonde_tools.compare import runs


def side(**names):
    """A side of one run that found something on devices, by id with their names."""
    devices = {id_: (name, "discrete") for id_, name in names.items()}
    return [runs.Run(Path("run.jsonl"), "u", devices, dict.fromkeys(devices), {}, True)]


@pytest.mark.parametrize(("base", "new", "pairs"), [
    ({"a": "X"}, {"b": "X"}, [("a", "b")]),
    ({"a": "X", "b": "X"}, {"d": "X", "c": "X"}, [("a", "c"), ("b", "d")]),
    ({"a": "X", "b": "X"}, {"c": "X"}, [("a", "c")]),
    ({"a": "X", "b": "Y"}, {"c": "X", "d": "Z"}, [("a", "c"), ("b", "d")]),
    ({"a": "X", "b": "X", "c": "Y"}, {"d": "Y", "e": "X", "f": "X"}, [("a", "e"), ("b", "f"), ("c", "d")]),
])  # fmt: skip
def test_by_name_as_many_as_there_are_in_order(base, new, pairs):
    assert runs.pairs(side(**base), side(**new), "name") == pairs


def test_no_name_is_on_both_sides():
    with pytest.raises(runs.NothingToCompare, match="no device is on both sides"):
        runs.pairs(side(a="X", b="Y"), side(c="Z", d="W"), "name")
