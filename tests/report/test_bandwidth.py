"""The section on bandwidth: which curves are drawn where, what they are called, and what the table says."""

import synthetic
from sonde_tools import levels, pictures, records
from sonde_tools.bandwidth import BANDWIDTH, bandwidth_curves, scaling_curves
from sonde_tools.devices import device_views

SHAPE = {"groups": 2, "group_size": 1, "vector_bytes": 64, "in_flight": 8, "interleaved": 0, "bound": 0}


def samples(pattern, sharing, gbps, api="opencl"):
    series = {"path": "buffer", "memory": "device", "pattern": pattern, "sharing": sharing}
    found = synthetic.sample_records(api, 1, every=9, series=series)
    for sample in found:
        sample.update(probe="bandwidth", unit="GB/s", values=[gbps] * 7)
        sample["state"]["shape"] = SHAPE
    return found


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_what_a_reader_looks_for_is_in_the_main_picture_and_the_rest_beside(tmp_path):
    found = view(tmp_path, *samples("read", "private", 100), *samples("read", "shared", 80), *samples("write", "private", 50),
                 *samples("add", "private", 60), *samples("triad", "private", 55), *synthetic.sample_records("opencl", 1, every=9))  # fmt: skip
    names = ["OpenCL, read, private", "OpenCL, read, shared", "OpenCL, write, private", "OpenCL, add, private"]
    assert [entry.label for entry in bandwidth_curves(found)] == names
    (beside,) = BANDWIDTH.further(found)
    assert "OpenCL, triad, private" in str(beside.chart.to_dict()) and "OpenCL, read" not in str(beside.chart.to_dict())
    assert "bandwidth, GB/s" in str(BANDWIDTH.chart(found).to_dict())


def test_of_a_size_measured_in_two_shapes_the_faster_is_drawn(tmp_path):
    swept = samples("read", "shared", 80)
    other = {**SHAPE, "in_flight": 2}
    again = [{**sample, "state": {**sample["state"], "shape": other}, "values": [gbps] * 7}
             for sample, gbps in zip(swept[-2:], (90, 70), strict=True)]  # fmt: skip
    (entry,) = bandwidth_curves(view(tmp_path, *swept, *again))
    assert [point.median for point in entry.curve.points] == [80] * (len(swept) - 2) + [90, 80]
    assert [point.x for point in entry.curve.points] == [sample["x"] for sample in swept]
    assert [point.state["shape"] for point in entry.curve.points[-2:]] == [other, SHAPE]


def test_the_table_has_every_curve_and_the_summary_its_ends(tmp_path):
    found = view(tmp_path, *samples("read", "private", 100), *samples("write", "private", 50))
    (table,) = BANDWIDTH.tables(found)
    assert table.headings == ["Working set", "OpenCL, read, private", "OpenCL, write, private"]
    assert [cell.text for cell in table.rows[-1][1]] == ["100", "50.0"]
    (_, text), _ = BANDWIDTH.summary(found)
    assert text.startswith("OpenCL, read, private: 100 GB/s in 1 KiB")


def test_other_paths_are_a_table_of_their_own_and_bytes_on_the_bus_a_curve_beside(tmp_path):
    image = samples("read", "private", 12)[:2]
    local = samples("read", "private", 900)[:1]
    bus = samples("add", "private", 40)
    for sample in image:
        sample["series"] = {**sample["series"], "path": "image"}
    local[0]["series"] = {**local[0]["series"], "path": "local"}
    for sample in bus:
        sample["series"] = {**sample["series"], "bytes-counted": "bus"}
    found = view(tmp_path, *samples("read", "private", 100), *samples("add", "private", 30), *image, *local, *bus)
    assert [entry.label for entry in bandwidth_curves(found)] == ["OpenCL, read, private", "OpenCL, add, private"]
    (sizes, paths) = BANDWIDTH.tables(found)
    assert "OpenCL, add, private, on the bus" in sizes.headings
    assert not any("image" in heading or "local" in heading for heading in sizes.headings)
    rows = {name: [cell.text for cell in cells] for name, cells in paths.rows}
    assert paths.headings == ["Working set", "image", "local"] and paths.caption.startswith(
        "Bandwidth by other paths, GB/s, OpenCL"
    )
    assert rows == {"1 KiB": ["12.0", "900"], "4.75 KiB": ["12.0", "–"]}
    (beside,) = BANDWIDTH.further(found)
    assert "on the bus" in str(beside.chart.to_dict())


def test_a_run_without_bandwidth_has_no_section(tmp_path):
    assert not BANDWIDTH.applies(view(tmp_path, *synthetic.sample_records("opencl", 1, every=9)))


def scaling_samples(size_bytes, gbps_by_groups, api="opencl"):
    series = {"path": "buffer", "memory": "device", "pattern": "read", "sharing": "shared"}
    (one,) = synthetic.sample_records(api, 1, every=1000, series=series)
    one.update(probe="bandwidth", unit="GB/s")
    return [
        {**one, "x": {"bytes": size_bytes, "groups": groups}, "values": [gbps] * 7}
        for groups, gbps in gbps_by_groups.items()
    ]


def test_fewer_groups_are_a_picture_of_their_own_with_a_curve_for_each_working_set(tmp_path):
    scaled = [*scaling_samples(8192, {2: 150, 1: 80}), *scaling_samples(1 << 26, {1: 9, 2: 16})]
    found = view(tmp_path, *samples("read", "shared", 100), *scaled)
    curves = scaling_curves(found)
    assert [entry.label for entry in curves] == ["OpenCL, 8 KiB", "OpenCL, 64 MiB"]
    assert [point.median for point in curves[0].curve.points] == [80, 150]
    (figure,) = BANDWIDTH.further(found)
    assert figure.name == "scaling" and "work-groups" in str(figure.chart.to_dict())
    # The curve over the working set, and its table, know nothing of them.
    (entry,) = bandwidth_curves(found)
    assert all("groups" not in point.x for point in entry.curve.points)
    assert pictures.svg(figure.chart).startswith("<svg")


def test_without_latencies_the_levels_stand_with_the_bandwidth(tmp_path):
    series = {"path": "buffer", "pattern": "read", "sharing": "shared"}
    level = {
        "record": "level", "device": "cpu", "api": "opencl", "probe": "bandwidth", "series": series, "level": 1,
        "bytes": None, "transition": None, "bandwidth": {"low": 23, "value": 24, "high": 25},
    }  # fmt: skip
    found = view(tmp_path, *samples("read", "private", 80), *samples("read", "shared", 80), level)
    table = BANDWIDTH.tables(found)[0]
    assert table.headings == ["Level", "Size", "Transition", "Bandwidth"]
    assert table.rows[0][1][2].text == "24.0 GB/s"


def test_bytes_a_cycle_of_each_unit_where_the_clock_is_known(tmp_path):
    read = samples("read", "shared", 80)
    for sample in read:
        sample["state"]["clock_mhz"] = 2500
    found = view(tmp_path, *read)
    assert levels.bytes_per_cycle(80, found, found.curves[0]) == 80e9 / 2500e6 / 8
    unknown = view(tmp_path, *samples("read", "shared", 80))
    assert levels.bytes_per_cycle(80, unknown, unknown.curves[0]) is None
