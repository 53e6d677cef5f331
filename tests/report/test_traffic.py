"""What counters saw over time: read strictly, described by the right numbers, drawn with gaps where nothing is known."""

import csv
import io
import json

import numpy
import pytest
import synthetic
from sonde_tools import records
from sonde_tools.report import main
from sonde_tools.traffic import numbers, over_time, parts, runs, spread
from test_page import Reader, drawn


def run_of(tmp_path, counters, *others, name="run"):
    """The Run of some counter records."""
    file = synthetic.write(tmp_path / f"{name}.jsonl", [synthetic.run_record(), *others, *counters])
    (found,) = runs.labelled(runs.of(records.read(file)))
    return found


def plain(hit_rates, seconds=0.1, **changes):
    """Counter records with these hit rates, 1e9 bytes read at the fabric in each interval."""
    return [
        {"record": "counter", "source": "amd", "t": (number + 1) * seconds, "dt": seconds, "fabric_read": 1e9,
         "memory_read": None if rate is None else 1e9 * (1 - rate), "hit_rate": rate, **changes}
        for number, rate in enumerate(hit_rates)
    ]  # fmt: skip


def page_of(tmp_path, *files, options=()):
    """A Reader of the page of several files, each a list of records."""
    paths = [synthetic.write(tmp_path / f"run-{number}.jsonl", lines) for number, lines in enumerate(files, 1)]
    out = tmp_path / "page.html"
    assert main([*map(str, paths), "-o", str(out), *options]) == 0
    return Reader(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("fabric_read", -1, "fabric_read: expected"),
        ("memory_write", "many", "memory_write: expected"),
        ("hit_rate", "NaN", "hit_rate: expected"),
        ("dt", 0, "dt: expected"),
        ("t", -0.1, "t: expected"),
        ("t", None, "t: expected"),
        ("cpu_latency_ns", -3, "cpu_latency_ns: expected"),
        ("scale", 0, "scale: expected"),
        ("scaled", 1, "scaled: expected"),
        ("baseline", "yes", "baseline: expected"),
        ("source", "", "source: expected"),
        ("state", {"gpu_clock_mhz": "fast"}, "state.gpu_clock_mhz: expected"),
    ],
)
def test_a_field_that_is_wrong_is_named_in_one_sentence(tmp_path, field, value, says):
    broken = {**synthetic.counter_records(count=1)[0], field: value}
    file = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), broken])
    with pytest.raises(records.RecordFileError, match=f"line 2: {says}"):
        records.read(file, io.StringIO())


def test_null_is_unknown_and_a_hit_rate_may_be_far_below_zero(tmp_path):
    unknown = dict.fromkeys([*runs.BYTES, "cpu_latency_ns", "hit_rate", "scale", "scaled", "baseline", "state"])
    counters = [{**synthetic.counter_records(count=1)[0], **unknown}, *plain([-40.0])]
    recording = records.read(synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), *counters]))
    assert recording.counters[0]["hit_rate"] is None and recording.counters[1]["hit_rate"] == -40


def test_the_schema_accepts_them(root):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))
    for record in [*synthetic.watch_records(count=60), *plain([-40.0, None])]:
        jsonschema.validate(record, schema)


def test_the_whole_hit_rate_is_that_of_the_sums_of_bytes(tmp_path):
    run = run_of(tmp_path, synthetic.counter_records())
    known = run.work.drop_nulls("hit_rate")
    assert numbers.whole(run.work) == pytest.approx(1 - known["memory"].sum() / known["fabric"].sum())
    assert numbers.whole(run.baseline) is None


def test_bytes_of_the_cpu_that_are_told_apart_are_not_asked_of_the_cache(tmp_path):
    counters = plain([0.8, 0.2])
    counters[1]["cpu_read"], counters[0]["cpu_read"] = 7.5e8, 0
    assert numbers.whole(run_of(tmp_path, counters).work) == pytest.approx((0.8 * 1 + 0.2 * 0.25) / 1.25)


def test_quantiles_are_of_time_and_not_of_intervals(tmp_path):
    counters = plain([0.1] * 8 + [0.9])
    counters[-1]["dt"] = 10.0
    assert numbers.over_time(run_of(tmp_path, counters)) == [0.9, 0.9, 0.9]
    assert numbers.over_time(run_of(tmp_path, plain([0.1] * 8 + [0.9]))) == [0.1, 0.1, 0.9]
    assert numbers.over_time(run_of(tmp_path, plain([None, None]))) is None


def test_the_highest_traffic_is_that_of_one_second(tmp_path):
    counters = plain([0.5] * 40)
    for number, counter in enumerate(counters):
        counter["memory_read"] = 3e9 if 20 <= number < 30 else 9e9 if number == 35 else 1e9
    found = numbers.highest(run_of(tmp_path, counters), "memory")
    assert found.gbps == pytest.approx(30) and found.at == pytest.approx(3.0)
    assert found.hit_rate == pytest.approx(0.5)


def test_of_a_shorter_run_it_is_that_of_all_and_of_few_known_intervals_none(tmp_path):
    short = run_of(tmp_path, plain([0.5] * 4))
    assert numbers.highest(short, "fabric").gbps == pytest.approx(10)
    assert numbers.highest(run_of(tmp_path, plain([None] * 30 + [0.5])), "memory") is None


def test_the_baseline_counts_for_nothing_else(tmp_path):
    counters = [*plain([0.1] * 20, baseline=True), *plain([0.6] * 20)[:20]]
    for number, counter in enumerate(counters):
        counter["t"] = 0.1 * (number + 1)
    run = run_of(tmp_path, counters)
    assert numbers.over_time(run) == [0.6] * 3 and numbers.whole(run.work) == pytest.approx(0.6)
    assert numbers.idle(run, "memory") == pytest.approx(9) and numbers.idle(run, "fabric") == pytest.approx(10)
    assert run.began == pytest.approx(2.1)


def test_what_is_not_known_is_a_gap_and_no_zero(tmp_path):
    counters = [*plain([0.5, None, None, -0.25, None, 0.5, 0.5])]
    found = over_time.reduced(run_of(tmp_path, counters).intervals, "hit_rate")
    assert found["median"] == [0.5, None, None, -0.25, None, 0.5, 0.5]
    assert found["alone"] == [True, None, None, True, None, None, None]


def test_intervals_that_are_missing_are_a_gap(tmp_path):
    counters = plain([0.5] * 6)
    for counter in counters[3:]:
        counter["t"] += 5
    found = over_time.reduced(run_of(tmp_path, counters).intervals, "hit_rate")
    assert found["median"] == [0.5] * 3 + [None] + [0.5] * 3


def test_a_long_series_is_drawn_by_extremes_and_medians(tmp_path):
    run = run_of(tmp_path, synthetic.counter_records(count=12_345))
    found = over_time.reduced(run.intervals, "fabric_read")
    assert len(found["t"]) == over_time.COLUMNS and sum(found["intervals"]) == 12_345
    rates = (run.intervals["fabric_read"] / run.intervals["dt"] / 1e9).to_list()
    assert min(found["minimum"]) == pytest.approx(min(rates)) and max(found["maximum"]) == pytest.approx(max(rates))
    first = found["intervals"][0]
    assert found["median"][0] == pytest.approx(numpy.median(rates[:first]))
    assert found["t"] == sorted(found["t"])


def test_shares_of_time_are_weighted_by_length_and_add_up(tmp_path):
    counters = plain([0.11, 0.11, 0.51, -3.0])
    counters[2]["dt"] = 0.5
    picture = spread.shares([run_of(tmp_path, counters)], {"run": "#009e73"}, ("title", []))
    rows = {round(row["hit_rate"], 2): row["share"] for row in picture.to_dict()["data"]["values"] if row["share"]}
    assert rows == {-0.99: pytest.approx(0.125), 0.11: pytest.approx(0.25), 0.51: pytest.approx(0.625)}


def test_a_file_of_counters_alone_is_a_page(tmp_path):
    reader = page_of(tmp_path, synthetic.watch_records())
    assert list(drawn(reader)) == ["traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]
    for words in ("Traffic of memory", "What went through fabric and memory", "run-1: hit rate 7", "p50 over time 7", "Grey: the idle baseline",
                  "Where a line is broken", "times 4", "weighted by its bytes", "until 0.4 s"):  # fmt: skip
        assert words in reader.text, words
    for words in ("0 devices", "What is in this machine", "kernel shared", "None", "simulated"):
        assert words not in reader.text, words


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"count": 1, "baseline": 0}, ["traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]),
        ({"count": 5, "baseline": 5}, ["traffic-run-1", "cpu-latency-over-traffic"]),
        ({"cpu_latency_ns": None, "hit_rate": None}, ["traffic-run-1"]),
        ({"cpu_latency_ns": None, **dict.fromkeys(runs.BYTES)}, ["traffic-run-1", "hit-rate-share"]),
        ({"cpu_latency_ns": None, "hit_rate": None, "fabric_read": None, "fabric_write": None}, ["traffic-run-1"]),
        (dict.fromkeys(["cpu_latency_ns", "hit_rate", *runs.BYTES]), []),
        ({"t": 3.0}, ["traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]),
        ({name: 0 for name in runs.BYTES}, ["traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]),
        ({"fabric_read": 1e300, "dt": 5e-324, "t": 1e300}, ["traffic-run-1", "hit-rate-share"]),
        ({"hit_rate": -1e300}, ["traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]),
        ({"cpu_latency_ns": 1e300}, ["traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]),
    ],
)
def test_whatever_is_known_is_drawn(tmp_path, changes, shown):
    reader = page_of(tmp_path, synthetic.watch_records(**{"count": 60, "baseline": 20, **changes}))
    assert list(drawn(reader)) == shown
    assert "NaN" not in reader.scripts[0] and "Infinity" not in reader.scripts[0]
    if not shown:
        assert "run-1: no number is known in its 60 counter records" in reader.text


def test_scaled_intervals_and_simulated_ones_say_so(tmp_path):
    reader = page_of(tmp_path, synthetic.watch_records(scaled=True, source="model:strix-halo"))
    assert "In 400 of 400 intervals the kernel scaled what it counted" in reader.text
    assert "In 400 of 400 intervals the kernel scaled" in reader.text
    assert "Traffic over time (simulated)" in reader.text and "run-1 (simulated): hit rate" in reader.text
    assert "simulated" in str(drawn(reader)["traffic-run-1"]["layer"][0])


def test_hit_rates_below_the_picture_are_told(tmp_path):
    text = page_of(tmp_path, [synthetic.run_record(), *plain([0.5, -7.5, 0.5])]).text
    assert "Beyond the picture: hit rates down to -750.0 %" in text and "Lower ones, down to -750.0 %" in text


def test_several_runs_are_drawn_over_one_another(tmp_path):
    files = [synthetic.watch_records(served=rate) for rate in (0.7, 0.5, 0.3)]
    reader = page_of(tmp_path, *files, options=["--together"])
    charts = drawn(reader)
    names = ["run-1", "run-2", "run-3"]
    for name in ("hit-rate-over-time", "hit-rate-share", "cpu-latency-over-traffic"):
        assert [line[0] for line in charts[name]["lines"]] == names
    first = [row for row in charts["hit-rate-over-time"]["rows"] if row["series"] == "run-1"]
    assert 0 <= first[0]["t"] < 0.001 and len(first) <= over_time.FEW_COLUMNS
    assert {"traffic-run-1", "traffic-run-2", "traffic-run-3"} < set(charts)
    assert "nothing to put together" not in reader.text


def test_files_and_sources_of_one_file_have_names_of_their_own(tmp_path):
    two = [*plain([0.5, 0.4]), *plain([0.3, 0.2], source="nvml")]
    found = runs.labelled(runs.of(records.read(synthetic.write(tmp_path / "a.jsonl", [synthetic.run_record(), *two]))))
    assert [run.label for run in found] == ["a, amd", "a, nvml"]
    paths = [tmp_path / folder for folder in "xy"]
    for path in paths:
        path.mkdir()
    same = [run_of(path, plain([0.5])) for path in paths]
    assert [run.label for run in runs.labelled(same)] == [f"{path.name}/run.jsonl" for path in paths]


def test_counters_beside_a_device_stand_in_one_page(tmp_path):
    lines = synthetic.records()
    reader = page_of(tmp_path, [*lines[:-1], *synthetic.counter_records(), lines[-1]])
    assert list(drawn(reader)) == ["latency-cpu", "traffic-run-1", "hit-rate-share", "cpu-latency-over-traffic"]


def test_names_cannot_break_out_of_the_page(tmp_path):
    source = "</script><img src=x onerror=alert(1)>"
    counters = [*plain([0.5]), *plain([0.4], source=source)]
    reader = page_of(tmp_path, [synthetic.run_record(), *counters])
    assert len(reader.scripts) == 3 and reader.loads == []


def test_tables_and_pictures_are_written(tmp_path):
    made = {name: tmp_path / name for name in ("svg", "csv")}
    counters = synthetic.counter_records(count=1200)
    page_of(tmp_path, [synthetic.run_record(), *counters],
            options=[word for name, path in made.items() for word in (f"--{name}", str(path))])  # fmt: skip
    pictures = sorted(path.name for path in made["svg"].iterdir())
    assert pictures == ["cpu-latency-over-traffic.svg", "hit-rate-share.svg", "traffic-run-1.svg"]
    assert "idle baseline" in (made["svg"] / "traffic-run-1.svg").read_text(encoding="utf-8")
    with (made["csv"] / "counters.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(counters)
    for row, counter in zip(rows, counters, strict=True):
        for name in ("t", "dt", "fabric_read", "memory_write", "hit_rate"):
            assert (
                row[name] == ("" if counter[name] is None else str(counter[name])) or float(row[name]) == counter[name]
            )
        assert (
            row["baseline"] == str(counter["baseline"]).lower() and row["scaled"] == "false" and row["gpu_read"] == ""
        )
        assert row["source"] == "amd" and row["state_gpu_clock_mhz"] == "2500"


def test_there_is_no_table_of_counters_without_counters(report):
    assert not (report.csv / "counters.csv").exists()


def test_the_tables_say_what_was_moved(tmp_path):
    run = run_of(tmp_path, synthetic.counter_records(count=3000))
    rates, traffic = (table.rows[0][1] for table in parts.of([run]).tables)
    assert rates[0].text == f"{100 * numbers.whole(run.work):.1f} %"
    assert [cell.text for cell in rates[1:4]] == [f"{100 * rate:.1f} %" for rate in numbers.over_time(run)]
    expected = [60, 200, 0.06, 0.2]
    assert [float(cell.text) for cell in traffic] == pytest.approx(expected, rel=0.3)
    assert traffic[0].detail.startswith("until ")


def test_lines_have_the_colour_of_what_they_show(tmp_path):
    run = run_of(tmp_path, synthetic.counter_records())
    scale = over_time.one(run, ("title", [])).specification["layer"][-1]["layer"][0]["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == dict(over_time.SERIES.values())
