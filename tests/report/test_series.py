"""What a series says: defaults, and the words that differ from them."""

import pytest
from sonde_tools import series


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({}, {}),
        (None, {}),
        ({"order": "cycle", "path": "vector"}, {}),
        ({"path": "scalar", "order": "page", "memory": "device"}, {"order": "page", "path": "scalar"}),
        ({"added-later": "yes"}, {"added-later": "yes"}),
    ],
)
def test_canonical(given, left):
    assert list(series.canonical(given).items()) == list(left.items())


def test_words_orders_and_cycles():
    assert series.words({"path": "scalar", "state": "awake", "side": "cpu"}) == ["scalar", "side cpu", "awake"]
    assert series.words({"beside": "kernel", "fabric": "loaded"}) == ["beside kernel", "fabric loaded"]
    assert series.word({}, "order") == series.word(None, "order") == "cycle"
    assert series.word({"order": "page"}, "order") == "page" and series.word({}, "added-later") == ""
    assert series.without_order({"order": "page", "path": "scalar"}) == {"path": "scalar"}
    assert series.without_order({"order": "page", "stride": "2M", "path": "scalar"}) == {"path": "scalar"}
    assert series.stride_bytes({"stride": "64K"}) == 65536 and series.stride_bytes({"stride": "2M"}) == 2 << 20
    assert series.stride_bytes({"order": "page"}) is None
