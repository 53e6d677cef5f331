"""The schema is the one that the types make, accepts what docs/records.md shows, and rejects what is broken."""

import copy
import json
import re

import jsonschema
import pytest
import synthetic
from sonde_tools import record_types, schema

KINDS = ["run", "device", "curve", "sample", "level", "finding-kind", "finding", "counter", "skip", "error", "end"]


@pytest.fixture(scope="module")
def validator(root):
    checked_in = json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(checked_in)
    return jsonschema.Draft202012Validator(checked_in)


@pytest.fixture(scope="module")
def all_examples(root):
    text = (root / "docs/records.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    return [record for block in blocks for record in map(json.loads, block.splitlines())]


@pytest.fixture(scope="module")
def examples(all_examples):
    """The first example of each kind."""
    return {record["record"]: record for record in reversed(all_examples)}


def test_the_schema_is_up_to_date(root):
    made = "python -m sonde_tools.schema > docs/records.schema.json"
    assert (root / "docs/records.schema.json").read_text(encoding="utf-8") == schema.text(), made


def test_every_kind_has_an_example_and_is_accepted(validator, all_examples):
    assert list(dict.fromkeys(record["record"] for record in all_examples)) == KINDS
    for record in all_examples:
        validator.validate(record)


def test_accepts_a_whole_run(validator):
    for record in synthetic.full_records():
        validator.validate(record)


def test_accepts_unknown_fields(validator, examples):
    for record in examples.values():
        validator.validate({**record, "added_later": {"by": "a newer version"}})


def required_of(validator, kind):
    return validator.schema["$defs"][record_types.RECORDS[kind].__name__]["required"]


@pytest.mark.parametrize("kind", KINDS)
def test_rejects_a_missing_field(validator, examples, kind):
    required = required_of(validator, kind)
    assert "record" in required and len(required) > 1
    for name in required:
        broken = {key: value for key, value in examples[kind].items() if key != name}
        assert not validator.is_valid(broken), name


@pytest.mark.parametrize("kind", KINDS)
def test_rejects_a_wrong_type(validator, examples, kind):
    for name in required_of(validator, kind):
        assert not validator.is_valid({**examples[kind], name: [[]]}), name


@pytest.mark.parametrize(
    ("kind", "where", "value"),
    [
        ("run", ["schema"], 2),
        ("run", ["effort"], "maximal"),
        ("run", ["time"], "2025-03-04 09:15"),
        ("run", ["host", "cores"], "8"),
        ("device", ["type"], "gpu"),
        ("device", ["opencl"], {"platform": "p"}),
        ("sample", ["api"], "cuda"),
        ("sample", ["probe"], ""),
        ("sample", ["unit"], "seconds"),
        ("sample", ["values"], []),
        ("sample", ["values"], [1.0, None]),
        ("sample", ["x", "bytes"], "32K"),
        ("sample", ["x"], [32768]),
        ("sample", ["series"], {"path": 3}),
        ("sample", ["series"], {"path": ""}),
        ("sample", ["series"], "vector"),
        ("curve", ["better"], "faster"),
        ("curve", ["per_clock"], 2),
        ("curve", ["table"], "Copies"),
        ("curve", ["table"], {"title": "Copies", "rows": "bytes"}),
        ("curve", ["title"], None),
        ("finding-kind", ["named_by"], "engine"),
        ("finding-kind", ["compared"], "quotient"),
        ("finding-kind", ["heading"], ""),
        ("sample", ["state", "foreign_cpu"], 1.5),
        ("sample", ["state", "smt_interference"], 1.5),
        ("sample", ["state", "disturbed"], "no"),
        ("sample", ["state", "temperature_celsius"], "warm"),
        ("sample", ["process"], 1),
        ("sample", ["state", "gpu_clock_mhz"], "2400"),
        ("sample", ["state", "clock_mhz"], 0),
        ("sample", ["state", "clock_source"], "sensor"),
        ("sample", ["state", "throttle_reasons"], "power"),
        ("sample", ["state", "throttle_reasons"], ["weather"]),
        ("level", ["level"], 0),
        ("level", ["level"], 1.5),
        ("level", ["name"], "L1"),
        ("level", ["name"], "level 0"),
        ("level", ["matches"], 0),
        ("level", ["matches"], "1"),
        ("level", ["bytes"], 32768),
        ("level", ["bytes", "high"], None),
        ("level", ["bytes"], {"low": 1, "value": 2}),
        ("level", ["transition", "onset"], "32K"),
        ("level", ["transition"], {"onset": 32768}),
        ("level", ["latency_ns"], 1.5),
        ("level", ["latency_ns", "value"], -1),
        ("level", ["cycles"], 125),
        ("finding", ["value"], "16"),
        ("finding", ["low"], "16"),
        ("finding", ["high"], [1]),
        ("finding", ["unit"], "groups"),
        ("finding", ["evidence"], ""),
        ("finding", ["finding"], ""),
        ("counter", ["hit_rate"], "high"),
        ("counter", ["fabric_read"], -1),
        ("counter", ["dt"], 0),
        ("counter", ["baseline"], "before"),
        ("skip", ["reason"], ""),
        ("end", ["status"], "done"),
    ],
)
def test_rejects_what_the_words_do_not_allow(validator, examples, kind, where, value):
    broken = copy.deepcopy(examples[kind])
    inner = broken
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = value
    assert not validator.is_valid(broken)


def test_rejects_an_unknown_kind(validator):
    assert not validator.is_valid({"record": "weather"})


@pytest.mark.parametrize("memory", ["device", "svm-fine", "host-visible+host-coherent", "device-local"])
def test_accepts_memory_types(validator, examples, memory):
    validator.validate({**examples["sample"], "series": {"memory": memory}})


def test_accepts_where_a_skip_and_an_error_happened(validator, examples):
    for kind in ("skip", "error"):
        validator.validate({"record": kind, "reason": "No loader."})
        validator.validate({**examples[kind], "x": {"bytes": 4096}, "api": None, "probe": None})


def test_last_level_has_neither_size_nor_transition(validator, examples):
    last = {**examples["level"], "bytes": None}
    for transition in (None, {"onset": None, "end": None}):
        validator.validate({**last, "transition": transition})
    del last["transition"]
    validator.validate(last)


def test_words_that_no_version_knows_yet_are_those_of_the_file(validator, examples):
    validator.validate({**examples["sample"], "probe": "added-later", "series": {"added": "later"}, "x": {"later": 1}})
    validator.validate({**examples["finding"], "probe": "added-later", "finding": "added-later"})


def test_level_has_latency_or_bandwidth(validator, examples):
    level = {**examples["level"], "bytes": None, "transition": None}
    validator.validate(level)
    band = level.pop("latency_ns")
    assert not validator.is_valid(level)
    validator.validate({**level, "bandwidth": band})
