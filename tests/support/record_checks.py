"""What record files are held against: the schema, and another program's for the same simulated device and seed."""

import json
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ("device", "api", "probe", "series", "x", "unit", "values")
LEVEL = ("probe", "series", "level", "name", "bytes", "transition", "latency_ns", "bandwidth")
END = ("status", "samples", "skips", "errors")
# Records have six digits. Both find the same by the same arithmetic, but for the last places of the C library.
ROUNDING = 2e-5


def schema_check():
    """A function that says that all records are as the schema describes them."""
    schema = json.loads((ROOT / "docs/records.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)

    def check(records):
        for record in records:
            validator.validate(record)

    return check


def fields(records, kind, names):
    return [tuple(one.get(name) for name in names) for one in records if one["record"] == kind]


def assert_same_numbers(mine, theirs, more_samples_than):
    """Both runs have the same samples and, but for rounding, the same levels, more than three."""
    samples = fields(mine, "sample", SAMPLE)
    assert len(samples) > more_samples_than
    assert samples == fields(theirs, "sample", SAMPLE)
    found, wanted = fields(mine, "level", LEVEL), fields(theirs, "level", LEVEL)
    assert len(found) == len(wanted) > 3
    for one, other in zip(found, wanted, strict=True):
        assert one[:4] == other[:4]
        for value, expected in zip(one[4:], other[4:], strict=True):
            assert value == (pytest.approx(expected, rel=ROUNDING) if expected else expected)
    assert fields(mine, "end", END) == fields(theirs, "end", END)
