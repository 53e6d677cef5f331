"""What a series says: defaults, and the words that differ from them."""

import json

import pytest
from sonde_tools import series


def test_defaults_are_the_first_words_of_the_schema(root):
    schema = json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))
    keys = schema["$defs"]["series"]["properties"]
    named = {
        key: words.get("enum") or words["anyOf"][0]["enum"] for key, words in keys.items() if "pattern" not in words
    }
    first = {key: words[0] for key, words in named.items()}
    assert series.DEFAULTS == first


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
    assert series.order({}) == series.order(None) == "cycle" and series.order({"order": "page"}) == "page"
    assert series.without_order({"order": "page", "path": "scalar"}) == {"path": "scalar"}
    assert series.without_order({"order": "page", "stride": "2M", "path": "scalar"}) == {"path": "scalar"}
    assert series.stride_bytes({"stride": "64K"}) == 65536 and series.stride_bytes({"stride": "2M"}) == 2 << 20
    assert series.stride_bytes({"order": "page"}) is None
