"""The table of what is compared: its words are the schema's, and it says of every finding whether it is compared."""

import json

from sonde_tools.compare.kinds_of_features import NUMBERS, OF_EACH_LEVEL, VERDICTS

# Said of how something was measured, or of two features that are compared themselves.
NOT_COMPARED = {
    ("latency", "translation"), ("latency", "apis-disagree"), ("latency", "probes-disagree"),
    ("latency", "orders-disagree"), ("cpu-latency", "orders-disagree"),
    ("cpu-latency", "translation"), ("bandwidth", "saturated-by"), ("bandwidth", "suspicious"),
    ("core-to-core", "split-lock-latency"), ("core-to-core", "split-lock-loss"),
    ("cpu-bandwidth", "saturated-by"), ("hit-rate", "none-seen"), ("hit-rate", "contrast-too-small"), ("hit-rate", "methods-differ"), ("copy", "overlaps-compute"), ("contention", "load-for-10-percent"), ("contention", "load-for-50-percent"),
    ("compute", "half-rate"), ("compute", "sustained"), ("compute", "ridge"), ("compute", "suspicious"),
}  # fmt: skip


def test_every_finding_of_the_schema_is_compared_or_said_not_to_be(root):
    schema = json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))["$defs"]
    listed = [one["properties"] for one in schema["finding"]["anyOf"]]
    said = {(one["probe"]["const"], word) for one in listed for word in one["finding"]["enum"]}
    compared = set(NUMBERS) | {(probe, word) for probe, words in VERDICTS.items() for word in words}
    assert compared | NOT_COMPARED == said and not compared & NOT_COMPARED


def test_what_is_found_at_each_level_is_in_the_table():
    assert {(probe, word) for probe, words in OF_EACH_LEVEL.items() for word in words} <= set(NUMBERS)
