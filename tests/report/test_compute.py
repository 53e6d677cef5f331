"""The section on arithmetic: rates by type and function, and over the number of work-groups."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.compute import COMPUTE, group_curves
from sonde_tools.devices import device_views


def sample(type_name, operation, value, unit="Gop/s", groups=None, api="opencl"):
    """What a run records of one operation."""
    (one,) = synthetic.sample_records(api, 1, every=1000)
    chain = "parallel" if unit == "Gop/s" else "dependent"
    x = {} if groups is None else {"groups": groups}
    series = {"type": type_name, "operation": operation, "chain": chain}
    return {**one, "probe": "compute", "series": series, "x": x, "unit": unit, "values": [value] * 7}


SAMPLES = [
    sample("fp32", "fma", 65000),
    sample("fp32", "fma", 2.05, "ns"),
    *(sample("fp32", "fma", rate, groups=groups) for groups, rate in ((128, 63000), (1, 490))),
    sample("fp32", "add", 32000),
    sample("fp64", "fma", 32500),
    sample("int32", "multiply-add", 33000),
    sample("int8", "dot4", 130000),
    sample("fp32", "sine", 4100),
    sample("fp32", "sine", 12.6, "ns"),
]


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_the_curve_is_of_singles_over_work_groups(tmp_path):
    (curve,) = group_curves(view(tmp_path, *SAMPLES))
    assert [(each.x["groups"], each.median) for each in curve.curve.points if each.x] == [(1, 490), (128, 63000)]
    assert pictures.svg(COMPUTE.chart(view(tmp_path, *SAMPLES))).startswith("<svg")


def test_the_summary_has_what_most_programs_compute_with(tmp_path):
    assert [text for _, text in COMPUTE.summary(view(tmp_path, *SAMPLES))] == [
        "OpenCL: fp32 65000 Gop/s, fp64 32500 Gop/s"
    ]


def test_each_operation_of_a_type_is_a_row(tmp_path):
    (table,) = COMPUTE.tables(view(tmp_path, *SAMPLES))
    assert table.headings == ["Type", "Rate, Gop/s", "Latency of one operation, ns"]
    rows = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert rows == {
        "fp32, fma": ["65000", "2.05"], "fp32, add": ["32000", "–"], "fp32, sine": ["4100", "12.6"],
        "fp64, fma": ["32500", "–"], "int32, multiply-add": ["33000", "–"], "int8, dot4": ["130000", "–"],
    }  # fmt: skip


def test_what_was_not_measured_has_no_section(tmp_path):
    assert not COMPUTE.applies(view(tmp_path, *synthetic.sample_records("opencl", 1)))
