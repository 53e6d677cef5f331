"""The section on the last cache: shares with their intervals, the theory's curve, and what has no share."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.devices import device_views
from sonde_tools.hit_rate import HIT_RATE, shares

MIB = 1 << 20
SERIES = {"path": "vector", "memory": "device", "order": "independent", "method": "timing"}


def sample(size_bytes, values, unit="ratio", **more):
    (one,) = synthetic.sample_records("opencl", 1, every=1000, series=SERIES)
    return {**one, "probe": "hit-rate", "unit": unit, "x": {"bytes": size_bytes}, "values": values, **more}


def interval(low, value, high):
    return {"low": low, "value": value, "high": high}


SAMPLES = [
    sample(16 * MIB, [1.0, 1.01], interval=interval(0.98, 1.0, 1.02)),
    sample(64 * MIB, [0.49, 0.5], interval=interval(0.47, 0.495, 0.52)),
    sample(256 * MIB, [-0.02, 0.1], interval=interval(-0.04, 0.1, 0.14)),
    sample(64 * MIB, [230.0], unit="ns"),
]
CAPACITY = {
    **synthetic.finding_record("effective-capacity", value=32 * MIB, unit="bytes"),
    "probe": "hit-rate", "api": "opencl", "series": SERIES, "details": {"before_bytes": 2 * MIB, "share_of_stated": 1.0},
}  # fmt: skip


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_shares_are_drawn_with_their_intervals_and_never_clamped(tmp_path):
    seen = view(tmp_path, *SAMPLES, CAPACITY)
    drawn = HIT_RATE.chart(seen).to_dict()
    rows = drawn["data"]["values"]
    assert [(row["low"], row["share"], row["high"]) for row in rows] == [
        (0.98, 1.0, 1.02), (0.47, 0.495, 0.52), (-0.04, 0.1, 0.14),
    ]  # fmt: skip
    assert pictures.svg(HIT_RATE.chart(seen)).startswith("<svg")
    assert HIT_RATE.summary(seen)[0][1].endswith("holds 32 MiB, 100 % of what is stated")


def test_the_theorys_curve_begins_at_the_capacity_and_leaves_out_the_cache_before(tmp_path):
    drawn = HIT_RATE.chart(view(tmp_path, *SAMPLES, CAPACITY)).to_dict()
    (theory,) = [
        layer["data"]["values"] for layer in drawn["layer"] if layer.get("data", {}).get("values", [{}])[0].get("share")
    ]
    assert theory[0]["bytes"] == 32 * MIB and abs(theory[0]["share"] - 1) < 1e-9
    assert abs(theory[-1]["share"] - 30 / 254) < 1e-9


def test_the_size_of_the_cache_stands_in_the_picture(tmp_path):
    drawn = HIT_RATE.chart(view(tmp_path, *SAMPLES, {**CAPACITY, "low": 30 * MIB, "high": 33 * MIB})).to_dict()
    noted = [
        layer["data"]["values"] for layer in drawn["layer"] if "low" in layer.get("data", {}).get("values", [{}])[0]
    ]
    assert [(row["name"], row["low"], row["bytes"], row["high"]) for row in noted[0]] == [
        ("holds 32 MiB", 30 * MIB, 32 * MIB, 33 * MIB), ("stated: 32 MiB", *[32 * MIB] * 3),
    ]  # fmt: skip
    assert len({row["name_y"] for row in noted[0]}) == 2


def test_points_far_apart_are_not_joined(tmp_path):
    near = sample(90 * MIB, [0.3], interval=interval(0.2, 0.3, 0.4))
    rows = HIT_RATE.chart(view(tmp_path, *SAMPLES, near)).to_dict()["data"]["values"]
    assert [(row["bytes"] // MIB, row["piece"]) for row in rows] == [(16, 0), (64, 1), (90, 1), (256, 2)]


def test_a_share_without_an_interval_shows_its_quartiles(tmp_path):
    seen = view(tmp_path, sample(64 * MIB, [0.4, 0.5, 0.6]))
    (row,) = HIT_RATE.chart(seen).to_dict()["data"]["values"]
    assert (row["low"], row["share"], row["high"]) == (0.45, 0.5, 0.55)
    (table,) = HIT_RATE.tables(seen)
    assert (table.rows[0][1][0].text, table.rows[0][1][0].detail) == ("0.5", "0.45 to 0.55")


def test_latencies_alone_have_no_section(tmp_path):
    assert not shares(view(tmp_path, SAMPLES[-1]))
    assert not HIT_RATE.applies(view(tmp_path, SAMPLES[-1]))


COUNTED = {**SERIES, "method": "counters"}
STREAM = {"path": "buffer", "memory": "device", "sharing": "private", "method": "counters"}


def test_both_methods_share_a_colour_and_differ_in_shape(tmp_path):
    seen = view(tmp_path, *SAMPLES, sample(64 * MIB, [0.48, 0.5], series=COUNTED), CAPACITY)
    rows = HIT_RATE.chart(seen).to_dict()["data"]["values"]
    assert len({row["series"] for row in rows}) == 1
    assert [row["share"] for row in rows if row["counted"]] == [0.49]
    assert "Diamonds" in HIT_RATE.legend(seen)
    (table,) = HIT_RATE.tables(seen)
    rows = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert table.headings == ["Working set", "device, timing", "device, counters"] and rows["64 MiB"] == [
        "0.495",
        "0.49",
    ]
    assert len(HIT_RATE.summary(seen)) == 1


def test_streams_have_a_picture_of_their_own(tmp_path):
    lines = [sample(64 * MIB, [0.0], series=STREAM), sample(64 * MIB, [0.1], series={**STREAM, "pattern": "copy"})]
    seen = view(tmp_path, *SAMPLES, *lines)
    (figure,) = HIT_RATE.further(seen)
    rows = figure.chart.to_dict()["data"]["values"]
    assert {(row["series"], row["share"]) for row in rows} == {("OpenCL, read", 0.0), ("OpenCL, copy", 0.1)}
    assert not any(row["counted"] for row in HIT_RATE.chart(seen).to_dict()["data"]["values"])
    assert not HIT_RATE.further(view(tmp_path, *SAMPLES))


def test_a_few_points_at_nothing_are_no_picture(tmp_path):
    seen = view(tmp_path, sample(256 * MIB, [0.0]), sample(1024 * MIB, [0.001]))
    assert HIT_RATE.chart(seen) is None and "the table has them" in HIT_RATE.legend(seen)
    assert len(HIT_RATE.tables(seen)) == 1
    assert HIT_RATE.chart(view(tmp_path, sample(256 * MIB, [0.0]), sample(16 * MIB, [0.3]))) is not None
