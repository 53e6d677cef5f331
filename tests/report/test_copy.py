"""The section on copies: which curves are drawn where, what they are called, and what the table says."""

import synthetic
from sonde_tools import records
from sonde_tools.copies import COPY, copy_curves
from sonde_tools.devices import device_views


def samples(gbps, x=None, unit="GB/s", **series):
    found = synthetic.sample_records("opencl", 1, every=9, series=series)
    for sample in found:
        sample.update(probe="copy", unit=unit, values=[gbps] * 7)
        sample["x"].update(x or {})
        sample["state"]["steps"] = 16
    return found


def finding(name, value, unit, **series):
    return {
        "record": "finding", "device": "cpu", "api": "opencl", "probe": "copy", "series": series, "finding": name,
        "value": value, "unit": unit, "evidence": "A sentence.",
    }  # fmt: skip


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_pinned_memory_is_the_main_picture_and_what_else_there_is_beside(tmp_path):
    found = view(
        tmp_path,
        *samples(20, engine="driver", host="pinned", direction="to-device"),
        *samples(25, engine="transfer", host="pinned", direction="to-host"),
        *samples(40, engine="driver", host="pinned", direction="both", counted="total"),
        *samples(20, engine="driver", host="pinned", direction="both", counted="to-host"),
        *samples(9, engine="driver", host="pageable", direction="to-device"),
        *samples(15, engine="compute-shader", host="pinned", direction="to-device"),
        *samples(200, engine="driver", direction="within"),
    )
    names = ["OpenCL, driver, pinned, to the device", "OpenCL, transfer, pinned, to the host",
             "OpenCL, driver, pinned, both at once"]  # fmt: skip
    assert [entry.label for entry in copy_curves(found)] == names
    hosts, kernels = (str(figure.chart.to_dict()) for figure in COPY.further(found))
    assert "OpenCL, driver, pageable, to the device" in hosts and "compute-shader" not in hosts
    assert "OpenCL, compute-shader, pinned, to the device" in kernels and "OpenCL, driver, within the device" in kernels
    assert "size of a copy" in str(COPY.chart(found).to_dict())


def test_intervals_of_points_far_apart_are_bars_and_no_band(tmp_path):
    far = samples(20, engine="driver", host="pinned", direction="to-device")
    near = [{**sample, "x": {"bytes": 1024 << number}} for number, sample in enumerate(far)]
    assert [{line.barred for line in COPY.chart(view(tmp_path, *lines)).lines} for lines in (far, near)] == [
        {True},
        {False},
    ]
    layers = {
        layer["mark"]["type"]: layer.get("transform") for layer in COPY.chart(view(tmp_path, *far)).to_dict()["layer"]
    }
    assert layers["area"] == [{"filter": "!datum.barred"}] and layers["rule"] == [{"filter": "datum.barred"}]


def test_several_queues_and_copies_beside_a_kernel_are_not_points_of_the_curves(tmp_path):
    found = view(
        tmp_path,
        *samples(20, engine="driver", host="pinned", direction="to-device"),
        *samples(99, {"queues": 2}, engine="driver", host="pinned", direction="to-device"),
        *samples(98, engine="driver", host="pinned", direction="to-device", beside="kernel"),
        *samples(1, unit="ratio", engine="driver", host="pinned", direction="to-device", beside="kernel"),
    )
    (entry,) = copy_curves(found)
    assert {point.median for point in entry.curve.points} == {20}


def test_the_table_says_what_each_way_delivers_and_costs(tmp_path):
    way = {"engine": "driver", "host": "pinned"}
    found = view(
        tmp_path,
        *samples(20, **way, direction="to-device"),
        finding("bandwidth", 25.3, "GB/s", **way, direction="to-device"),
        finding("latency", 7.25, "us", **way, direction="to-device"),
        finding("bandwidth", 26, "GB/s", **way, direction="to-host"),
        finding("bandwidth", 400, "GB/s", engine="driver", direction="within"),
        finding("engines", 2, "ratio", engine="driver"),
    )
    (table,) = COPY.tables(found)
    assert table.headings == ["Engine, host, direction", "Latency of a copy", "Bandwidth of a copy"]
    assert {name: [cell.text for cell in cells] for name, cells in table.rows} == {
        "driver, pinned, to-device": ["7.25 µs", "25.3 GB/s"], "driver, pinned, to-host": ["–", "26 GB/s"],
        "driver, within": ["–", "400 GB/s"],
    }  # fmt: skip


def test_a_run_without_copies_has_no_section(tmp_path):
    assert not COPY.applies(view(tmp_path, *synthetic.sample_records("opencl", 1, every=9)))
