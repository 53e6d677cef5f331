"""The section on bandwidth: which curves are drawn where, what they are called, and what the table says."""

import synthetic
from sonde_tools import records
from sonde_tools.bandwidth import BANDWIDTH, bandwidth_curves
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


def test_reading_and_adding_are_the_main_picture_and_what_only_writes_is_beside(tmp_path):
    found = view(tmp_path, *samples("read", "private", 100), *samples("read", "shared", 80), *samples("write", "private", 50),
                 *samples("add", "private", 60), *synthetic.sample_records("opencl", 1, every=9))  # fmt: skip
    names = ["OpenCL, read, private", "OpenCL, read, shared", "OpenCL, add, private"]
    assert [entry.label for entry in bandwidth_curves(found)] == names
    (beside,) = BANDWIDTH.further(found)
    assert "OpenCL, write, private" in str(beside.chart.to_dict()) and "OpenCL, read" not in str(beside.chart.to_dict())
    assert "bandwidth, GB/s" in str(BANDWIDTH.chart(found).to_dict())


def test_the_table_has_every_curve_and_the_summary_its_ends(tmp_path):
    found = view(tmp_path, *samples("read", "private", 100), *samples("write", "private", 50))
    (table,) = BANDWIDTH.tables(found)
    assert table.headings == ["Working set", "OpenCL, read, private", "OpenCL, write, private"]
    assert [cell.text for cell in table.rows[-1][1]] == ["100", "50.0"]
    ((_, text),) = BANDWIDTH.summary(found)
    assert text.startswith("OpenCL, read, private: 100 GB/s in 1 KiB")


def test_the_method_names_the_shapes_that_were_found(tmp_path):
    found = view(tmp_path, *samples("read", "private", 100))
    assert any("OpenCL: 2 work-groups of 1, 64-byte loads, 8 in flight." in text for text in BANDWIDTH.method(found))


def test_a_run_without_bandwidth_has_no_section(tmp_path):
    assert not BANDWIDTH.applies(view(tmp_path, *synthetic.sample_records("opencl", 1, every=9)))
