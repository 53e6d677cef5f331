"""The same measurement in cycles: shown beside nanoseconds where it is known, and never as a point of its own."""

import csv
import io

import pytest
import synthetic
from sonde_tools import levels, records, tables
from sonde_tools.devices import device_views
from sonde_tools.latency import LATENCY, latency_curves


def view(tmp_path, *lines):
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(file)])[0]


@pytest.fixture
def plain():
    return synthetic.sample_records("opencl", 1, every=9)


@pytest.fixture
def both(plain):
    return synthetic.also_in_cycles(plain)


def tooltip(chart):
    return [
        field["title"]
        for layer in chart.to_dict()["layer"]
        for field in layer["encoding"].get("tooltip", [])
        if "values" not in layer.get("data", {})
    ]


def test_the_picture_has_each_point_once(tmp_path, plain, both):
    (curve,) = [entry.curve for entry in latency_curves(view(tmp_path, *both))]
    assert curve.unit == "ns" and [point.x for point in curve.points] == [sample["x"] for sample in plain]
    assert [point.values for point in curve.points] == [sample["values"] for sample in plain]


def test_each_point_knows_its_cycles(tmp_path, both):
    (entry,) = latency_curves(view(tmp_path, *both))
    assert [point.cycles for point in entry.curve.points] == pytest.approx(
        [2.5 * point.median for point in entry.curve.points], rel=1e-4
    )


def test_cycles_of_another_curve_are_not_taken(tmp_path, plain, both):
    cycles = [{**sample, "series": {"path": "scalar"}} for sample in both if sample["unit"] == "cycles"]
    (entry,) = latency_curves(view(tmp_path, *plain, *cycles))
    assert {point.cycles for point in entry.curve.points} == {None}


def test_hovering_says_cycles_and_clock_where_they_are_known(tmp_path, plain, both):
    chart = LATENCY.chart(view(tmp_path, *both))
    assert tooltip(chart)[-2:] == ["median, cycles", "core clock"]
    row = chart.to_dict()["data"]["values"][0]
    assert row["clock_mhz"] == 2500 and row["cycles"] == pytest.approx(2.5 * row["median"], rel=0.01)
    assert "median, cycles" not in tooltip(LATENCY.chart(view(tmp_path, *plain)))


def test_tables_say_cycles_where_they_are_known(tmp_path, plain, both):
    found = view(tmp_path, *both)
    *_, (_, cells) = LATENCY.tables(found)[-1].rows
    assert cells[0].detail.endswith(" cycles") and ";" in cells[0].detail
    *_, (_, cells) = LATENCY.tables(view(tmp_path, *plain))[-1].rows
    assert "cycles" not in cells[0].detail


def test_a_level_says_its_cycles_where_they_are_known(tmp_path, both):
    first, *rest = synthetic.level_records("opencl")
    first["cycles"] = {"low": 3.7, "value": 3.75, "high": 3.8}
    assert levels.latency_text(first) == "1.50 ns (1.48 to 1.52), 3.75 cycles"
    assert levels.latency_text(rest[0]).endswith(")")
    table = LATENCY.tables(view(tmp_path, *both, first, *rest))[0]
    (_, cells), *_ = table.rows
    assert (cells[2].text, cells[2].detail) == ("1.50 ns", "(1.48 to 1.52), 3.75 cycles")


def test_csv_has_both_units_and_the_clock(tmp_path, plain, both):
    level = {**synthetic.level_records("opencl")[0], "cycles": {"low": 3.7, "value": 3.75, "high": 3.8}}
    found = view(tmp_path, *both, level)
    samples, points, levels_file, _ = (text for _, text in tables.texts(found.recordings))
    for text, per_point in ((samples, sum(len(sample["values"]) for sample in plain)), (points, len(plain))):
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert [row["unit"] for row in rows].count("ns") == [row["unit"] for row in rows].count("cycles") == per_point
        assert {row["clock_mhz"] for row in rows} == {"2500"}
    (row,) = csv.DictReader(io.StringIO(levels_file, newline=""))
    assert (row["cycles_low"], row["cycles"], row["cycles_high"]) == ("3.7", "3.75", "3.8")


def test_a_level_whose_cycles_are_no_numbers_is_refused(tmp_path):
    level = {**synthetic.level_records("opencl")[0], "cycles": {"low": 1, "value": "2", "high": 3}}
    with pytest.raises(records.RecordFileError):
        view(tmp_path, level)
