"""The section on bytes at the fabric and at memory for each byte that a kernel asked for."""

import synthetic
from sonde_tools import page, pictures, records, report
from sonde_tools.devices import device_views
from sonde_tools.moved import MOVED

MIB = 1 << 20


def counter(size_bytes, fabric, memory, **more):
    (sample,) = synthetic.sample_records("opencl", 1, every=1000)
    return {
        "record": "counter", "source": "amd", "t": 1.0, "dt": 0.01, "device": sample["device"], "api": "opencl",
        "probe": "bandwidth", "series": {"path": "buffer", "pattern": "copy"}, "x": {"bytes": size_bytes},
        "moved_bytes": 1e9, "fabric_per_byte": fabric, "memory_per_byte": memory, "hit_rate": 0.5, **more,
    }  # fmt: skip


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_bytes_are_drawn_over_the_working_set(tmp_path):
    seen = view(tmp_path, counter(64 * MIB, 1.5, 1.49), counter(16 * MIB, 1.5, -1e-9, hit_rate=-1e-9))
    rows = MOVED.chart(seen).to_dict()["data"]["values"]
    assert [(row["bytes"] // MIB, row["place"], row["moved"]) for row in rows] == [
        (16, "fabric", 1.5), (16, "memory", -1e-9), (64, "fabric", 1.5), (64, "memory", 1.49),
    ]  # fmt: skip
    assert {row["series"] for row in rows} == {"bandwidth, OpenCL, copy"}
    assert pictures.svg(MOVED.chart(seen)).startswith("<svg")
    (table,) = MOVED.tables(seen)
    assert [[cell.text for cell in cells] for _, cells in table.rows] == [
        ["1.50", "0.00", "0 %"],
        ["1.50", "1.49", "50 %"],
    ]
    assert MOVED.summary(seen)[0][1] == "bandwidth, OpenCL, copy: 1.49 bytes at memory for each byte, in 64 MiB"


def test_what_is_not_known_is_not_drawn(tmp_path):
    assert not MOVED.applies(view(tmp_path, counter(MIB, None, None)))
    assert not MOVED.applies(view(tmp_path, counter(MIB, 1, 1, probe="hit-rate")))
    assert not MOVED.applies(view(tmp_path, counter(MIB, 1, 1, x={})))
    seen = view(tmp_path, counter(MIB, None, 1.0, hit_rate=None))
    assert [row["place"] for row in MOVED.chart(seen).to_dict()["data"]["values"]] == ["memory"]


def test_points_of_a_run_are_no_traffic_over_time(tmp_path):
    written = synthetic.write(
        tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), counter(MIB, 1, 1)]
    )
    assert report._traffic([report.content_of(records.read(written))]) is None
    html = page.html([records.read(written)], [report.shown(view(tmp_path, counter(MIB, 1, 1)))], ["gpu"])
    assert "What really moves" in html
