"""The reader: what it skips, and what it refuses in one clear sentence."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest
import synthetic
from sonde_tools import records


def written(tmp_path, text):
    path = tmp_path / "run.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def lines(*found):
    return "".join(json.dumps(record) + "\n" for record in found)


def test_reads_every_kind_in_order(tmp_path):
    recording = records.read(synthetic.write(tmp_path / "run.jsonl", synthetic.records()))
    assert recording.run["schema"] == 1
    assert [device["device"] for device in recording.devices] == ["cpu"]
    assert len(recording.samples) == 146
    assert recording.skips[0]["reason"] == synthetic.SKIP_REASON
    assert recording.errors[0]["reason"] == synthetic.ERROR_REASON
    assert recording.end["status"] == "complete"


@pytest.mark.parametrize("cut", [b'{"record": "sample", "val', '{"record": "skip", "reason": "ü'.encode()[:-1], b"{"])
def test_skips_an_unfinished_last_line_with_a_note(tmp_path, cut):
    whole = lines(synthetic.run_record(), synthetic.device_record()).encode()
    notes = io.StringIO()
    recording = records.read(written(tmp_path, whole + cut), notes)
    assert len(recording.devices) == 1 and recording.end is None
    assert "unfinished last line (3)" in notes.getvalue()


def test_every_cut_of_a_file_keeps_its_complete_lines(tmp_path):
    whole = lines(*synthetic.records()[:4]).encode()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole), 5):
        recording = records.read(written(tmp_path, whole[:length]), io.StringIO())
        found = 1 + len(recording.devices) + len(recording.samples)
        # A line that lacks nothing but its newline is complete.
        assert found == whole[: length + 1].count(b"\n")


def test_finished_file_makes_no_note(tmp_path):
    notes = io.StringIO()
    records.read(synthetic.write(tmp_path / "run.jsonl", synthetic.records()), notes)
    assert notes.getvalue() == ""


def test_ignores_unknown_records_and_fields(tmp_path):
    device = synthetic.device_record(colour="green")
    text = lines(synthetic.run_record(mood="good"), {"record": "weather", "sky": 3}, device)
    recording = records.read(written(tmp_path, text))
    assert recording.devices == [{name: value for name, value in device.items() if name != "colour"}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no records"),
        ('{"record": "ru', "holds no records"),
        (lines(synthetic.run_record(schema=2)), "has schema 2"),
        (lines(synthetic.run_record(schema=None)), "has schema None"),
        (lines(synthetic.run_record(schema="1")), "line 1: schema: expected `int | null`, got `str`"),
        (lines(synthetic.device_record()), "not a run record"),
        ("[1, 2]\n", "line 1: expected `object`, got `array`"),
        ("{}\n", "line 1: object missing required field `record`"),
        ("<html>\n</html>\n", "line 1 is not valid JSON"),
        ("[" * 100_000 + "\n\n", "line 1: expected `object`, got `array`"),
        ('{"record": "run", "mood": ' + "[" * 100_000 + "\n\n", "line 1 is not valid JSON"),
        ('{"record": "run", "version": "\\ud800"}\n', "line 1 is not valid JSON"),
        (b'{"record": "run", "version": "\xff"}\n', "line 1 is not valid JSON"),
        (lines(synthetic.run_record()) + '{"record"\n' + lines(synthetic.device_record()), "line 2 is not valid JSON"),
        (lines(synthetic.run_record()) + '{"record": "end", "seconds": NaN}\n', "line 2 is not valid JSON"),
        (lines(synthetic.run_record(), {"record": "sample"}), "line 2: object missing required field `device`"),
        *[
            (
                lines(synthetic.run_record(), {**synthetic.sample_records("opencl", 1)[0], name: value}),
                f"line 2: {name}",
            )
            for name, value in [
                ("values", []),
                ("values", ["1"]),
                ("values", [0.0, 0.0, 1.0]),
                ("values", [1.0, -1.0]),
                ("values", [2**64]),
                ("values", 1.0),
                ("values", [True]),
                ("x", {"bytes": "4K"}),
                ("x", {"bytes": 0}),
                ("x", [1]),
                ("series", {"path": 3}),
                ("series", {"": "vector"}),
                ("unit", ""),
                ("device", "x" * 1001),
                ("state", {"foreign_cpu": 2}),
                ("state", {"shape": {"groups": [1]}}),
            ]
        ],
        *[
            (lines(synthetic.run_record(), {**synthetic.level_records("opencl")[0], name: value}), f"line 2: {name}")
            for name, value in [
                ("bytes", {"low": 1, "value": None, "high": 2}),
                ("bytes", {"low": 1, "value": 0, "high": 2}),
                ("bytes", 4096),
                ("latency_ns", {}),
                ("transition", {"onset": "4K"}),
                ("transition", [1]),
                ("level", "1"),
                ("level", 0),
                ("name", 1),
                ("matches", "1"),
                ("series", None),
            ]
        ],
        (lines(synthetic.run_record(), synthetic.finding_record(value="6M")), "line 2: value"),
        (lines(synthetic.run_record(), synthetic.finding_record(low="6M")), "line 2: low"),
        (lines(synthetic.run_record(), synthetic.finding_record(evidence=None)), "line 2: evidence"),
        (lines(synthetic.run_record(), synthetic.run_record()), "second run from line 2"),
    ],
)
def test_refuses_what_is_no_record_file(tmp_path, text, says):
    with pytest.raises(records.RecordFileError, match=re.escape(says)) as refusal:
        records.read(written(tmp_path, text), io.StringIO())
    assert "run.jsonl" in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(("unit", "value", "stands"), [
    ("us", 0.0, True), ("us", -1.0, False), ("ratio", -0.1, True), ("ns", 0.0, False), ("GB/s", 0.0, False),
])  # fmt: skip
def test_only_what_curves_are_made_of_has_no_zero(tmp_path, unit, value, stands):
    sample = {**synthetic.sample_records("opencl", 1)[0], "unit": unit, "values": [value]}
    path = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), sample])
    with contextlib.nullcontext() if stands else pytest.raises(records.RecordFileError, match="line 2: values"):
        records.read(path)


@pytest.mark.parametrize(
    ("probe", "old", "x", "new"),
    [
        ("latency", "loaded", {}, {"fabric": "loaded"}),
        ("host-memory", "idle", {}, {"fabric": "idle"}),
        ("copy", "loaded", {}, {"beside": "kernel"}),
        ("contention", "idle", {}, {"beside": "nothing"}),
        ("contention", "loaded", {"load": 1}, {"beside": "gpu-load"}),
        ("core-to-core", "loaded", {"from": 0, "to": 1}, {"beside": "pairs"}),
        ("core-to-core", "loaded", {"address": 60}, {"beside": "split-locks"}),
        ("core-to-core", "idle", {"address": 60}, {"beside": "nothing"}),
    ],
)
def test_words_of_older_versions_are_read_as_those_of_today(tmp_path, probe, old, x, new):
    sample = {**synthetic.sample_records("opencl", 1)[0], "probe": probe, "x": {"bytes": 4096, **x}}
    sample["series"] = {"pattern": "read", "fabric": old}
    recording = records.read(synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), sample]))
    assert recording.samples[0]["series"] == {"pattern": "read", **new}


def test_refuses_what_is_no_file_on_a_disk(tmp_path):
    for path in (tmp_path / "nowhere.jsonl", tmp_path, Path("/dev/zero"), Path("zero\0byte.jsonl")):
        with pytest.raises(records.RecordFileError, match="cannot be read"):
            records.read(path)
