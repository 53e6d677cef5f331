"""The CSV files hold every value and the right statistics."""

import csv

import pytest
import synthetic
from sonde_tools import records, tables
from sonde_tools.curves import quartiles


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_samples_hold_every_value_in_order(report):
    samples = [record for record in synthetic.records() if record["record"] == "sample"]
    expected = [
        (record["api"], str(record["x"]["bytes"]), str(number), value, str(record["state"]["disturbed"]).lower())
        for record in sorted(samples, key=lambda sample: sample["t"])
        for number, value in enumerate(record["values"], start=1)
    ]
    found = rows(report.csv / "samples.csv")
    assert [(r["api"], r["bytes"], r["repetition"], float(r["value"]), r["disturbed"]) for r in found] == expected
    assert found[0]["file"] == str(report.file) and found[0]["run"] == records.read(report.file).run["run"]
    assert found[0]["unit"] == "ns" and found[0]["device"] == "cpu" and found[0]["probe"] == "latency"


def test_points_hold_medians_and_quartiles(report):
    found = rows(report.csv / "points.csv")
    samples = [record for record in synthetic.records() if record["record"] == "sample"]
    assert len(found) == len(samples)
    for row, sample in zip(found, samples, strict=True):
        expected = quartiles(sample["values"])
        assert [float(row[name]) for name in ("low_quartile", "median", "high_quartile")] == pytest.approx(expected)
        assert float(row["minimum"]) == min(sample["values"]) and float(row["maximum"]) == max(sample["values"])
        assert int(row["repetitions"]) == len(sample["values"])
        assert float(row["foreign_cpu"]) == sample["state"]["foreign_cpu"]


def written(folder, recordings):
    """The paths of the tables of some recordings."""
    paths = []
    for name, text in tables.texts(recordings):
        paths.append(folder / name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def test_series_keys_and_x_become_columns(tmp_path):
    sample = synthetic.sample_records("opencl", 1)[0]
    one = {**sample, "series": {"path": "scalar", "state": "awake"}, "x": {"bytes": 64, "groups": 4}}
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), sample, one])
    recordings = [records.read(file)]
    for path in written(tmp_path, recordings)[:2]:
        first, last = rows(path)[0], rows(path)[-1]
        assert (first["series_path"], first["series_state"], first["groups"]) == ("", "", "")
        assert (last["series_path"], last["series_state"], last["groups"]) == ("scalar", "awake", "4")


def test_a_point_in_two_shapes_has_a_row_for_each(tmp_path):
    sample = synthetic.sample_records("opencl", 1)[0]
    shapes = [{"groups": 2, "vector_bytes": 16}, {"groups": 4, "vector_bytes": 16}]
    lines = [{**sample, "state": {**sample["state"], "shape": shape}} for shape in shapes]
    recordings = [records.read(synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), *lines]))]
    for path in written(tmp_path, recordings)[:2]:
        told = dict.fromkeys(row["shape"] for row in rows(path))
        assert list(told) == ["groups=2 vector_bytes=16", "groups=4 vector_bytes=16"]
    assert len(rows(tmp_path / "points.csv")) == 2


def test_a_default_word_makes_no_column_and_no_curve(tmp_path):
    sample = synthetic.sample_records("opencl", 1)[0]
    lines = [synthetic.run_record(), sample, {**sample, "series": {"order": "cycle", "path": "vector"}}]
    recordings = [records.read(synthetic.write(tmp_path / "run.jsonl", lines))]
    _, points, *_ = written(tmp_path, recordings)
    (row,) = rows(points)
    assert int(row["repetitions"]) == 2 * len(sample["values"]) and "series_path" not in row


def test_levels_hold_every_number(full_report):
    expected = [record for record in synthetic.full_records() if record["record"] == "level"]
    found = rows(full_report.csv / "levels.csv")
    assert len(found) == len(expected) == 8
    for row, level in zip(found, expected, strict=True):
        assert (row["api"], int(row["level"]), row["name"]) == (level["api"], level["level"], level["name"])
        for end, column in (("low", "latency_ns_low"), ("value", "latency_ns"), ("high", "latency_ns_high")):
            assert float(row[column]) == level["latency_ns"][end]
        if level["bytes"]:
            names = ("bytes_low", "bytes", "bytes_high", "transition_onset", "transition_end")
            assert [int(row[name]) for name in names] == [*level["bytes"].values(), *level["transition"].values()]
        else:
            assert row["bytes"] == row["transition_onset"] == ""
        assert row["bandwidth"] == row["matches"] == ""


def test_findings_hold_words_values_and_evidence(full_report):
    first, last = rows(full_report.csv / "findings.csv")
    assert (first["finding"], first["value"], first["unit"]) == ("translation", str(6 << 20), "bytes")
    assert first["series_order"] == "page" and first["evidence"] == synthetic.TRANSLATION_EVIDENCE
    assert (last["finding"], last["value"], last["unit"], last["series_order"]) == ("apis-disagree", "", "", "")


def test_no_cell_is_a_formula_or_moves_a_cursor(tmp_path):
    name = '=HYPERLINK("http://x")'
    finding = {
        "record": "finding", "device": name, "api": "opencl", "probe": "latency", "series": {},
        "finding": "suspicious", "value": -1.5, "unit": "ns", "evidence": "@cmd\x1b]0;title\x07",
    }  # fmt: skip
    lines = [synthetic.run_record(), {**synthetic.device_record(), "device": name}, finding]
    written(tmp_path, [records.read(synthetic.write(tmp_path / "run.jsonl", lines))])
    (row,) = rows(tmp_path / "findings.csv")
    assert (row["device"], row["value"]) == ("'" + name, "-1.5")
    assert row["evidence"] == "'@cmd\\x1b]0;title\\x07"
