"""What a series says: defaults, and the words that differ from them."""

import json

import pytest
from sonde_tools import series


def test_defaults_are_the_first_words_of_the_schema(root):
    schema = json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))
    keys = schema["$defs"]["series"]["properties"]
    first = {key: (words.get("enum") or words["anyOf"][0]["enum"])[0] for key, words in keys.items()}
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
