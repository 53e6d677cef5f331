"""The schema accepts what docs/records.md shows, and rejects what is broken."""

import copy
import json
import re

import jsonschema
import pytest
import synthetic

KINDS = ["run", "device", "sample", "level", "finding", "counter", "skip", "error", "end"]


@pytest.fixture(scope="module")
def validator(root):
    schema = json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def all_examples(root):
    text = (root / "docs/records.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    return [record for block in blocks for record in map(json.loads, block.splitlines())]


@pytest.fixture(scope="module")
def examples(all_examples):
    """The first example of each kind."""
    return {record["record"]: record for record in reversed(all_examples)}


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


@pytest.mark.parametrize("kind", KINDS)
def test_rejects_a_missing_field(validator, examples, kind):
    required = validator.schema["$defs"][kind]["required"]
    assert "record" in required and len(required) > 1
    for name in required:
        broken = {key: value for key, value in examples[kind].items() if key != name}
        assert not validator.is_valid(broken), name


@pytest.mark.parametrize("kind", KINDS)
def test_rejects_a_wrong_type(validator, examples, kind):
    for name in validator.schema["$defs"][kind]["required"]:
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
        ("sample", ["probe"], "speed"),
        ("sample", ["unit"], "seconds"),
        ("sample", ["values"], []),
        ("sample", ["values"], [1.0, None]),
        ("sample", ["x", "bytes"], "32K"),
        ("sample", ["x"], {"kilobytes": 32}),
        ("sample", ["series"], {"path": "diagonal"}),
        ("sample", ["series"], {"colour": "green"}),
        ("sample", ["series"], {"memory": "host-visible+shiny"}),
        ("sample", ["state", "foreign_cpu"], 1.5),
        ("sample", ["state", "smt_interference"], 1.5),
        ("sample", ["state", "disturbed"], "no"),
        ("sample", ["state", "drift"], "1 %"),
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
        ("level", ["transition"], None),
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
        ("finding", ["finding"], "fast"),
        ("finding", ["finding"], "zero-copy"),
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
    assert not validator.is_valid({**last, "bytes": {"low": 1, "value": 2, "high": 3}})


@pytest.mark.parametrize("word", ["translation", "apis-disagree", "probes-disagree", "orders-disagree"])
def test_latency_probe_may_find(validator, word):
    validator.validate(synthetic.finding_record(word, value=None, unit=None))
    assert not validator.is_valid({**synthetic.finding_record(word), "probe": "copy"})


@pytest.mark.parametrize(
    ("probe", "word"), [("cpu-latency", "apis-disagree"), ("loaded-latency", "cpu-loss"), ("latency", "added-later")]
)
def test_a_probe_finds_no_word_but_its_own(validator, probe, word):
    assert not validator.is_valid({**synthetic.finding_record(word), "probe": probe})


def test_level_has_latency_or_bandwidth(validator, examples):
    level = {**examples["level"], "bytes": None, "transition": None}
    validator.validate(level)
    band = level.pop("latency_ns")
    assert not validator.is_valid(level)
    validator.validate({**level, "bandwidth": band})
