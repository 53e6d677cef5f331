"""The section on the CPU's own bandwidth: a curve a stream and number of threads, and the number of threads across."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.cpu_bandwidth import CPU_BANDWIDTH, read_curves, size_curves, thread_curves
from sonde_tools.devices import device_views

MIB = 1 << 20


def sample(pattern, threads, size_bytes, gbps, **series):
    (one,) = synthetic.sample_records("cpu", 1, every=1000)
    words = {"pattern": pattern, "pinning": "compact", "bytes-counted": "program", **series}
    x = {"bytes": size_bytes, "cpu_threads": threads}
    return {**one, "probe": "cpu-bandwidth", "series": words, "unit": "GB/s", "x": x, "values": [gbps] * 7}


SAMPLES = [
    *(sample("read", threads, size, 100 * threads if size < 8 * MIB else 20)
      for threads in (1, 8) for size in (MIB, 4 * MIB, 64 * MIB)),
    *(sample("read", threads, 64 * MIB, 20) for threads in (2, 4)),
    sample("copy", 8, 64 * MIB, 30, stores="ordinary"),
    sample("copy", 8, 64 * MIB, 45, stores="ordinary", **{"bytes-counted": "bus"}),
    sample("copy", 8, 64 * MIB, 44, stores="non-temporal"),
    sample("read-2-write-1", 8, 64 * MIB, 33, stores="ordinary"),
    sample("read-2-write-1", 1, 64 * MIB, 11, stores="ordinary"),
]  # fmt: skip


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_each_number_of_threads_is_a_curve_over_the_working_set(tmp_path):
    curves = size_curves(view(tmp_path, *SAMPLES))
    assert [entry.label for entry in curves] == ["read, 1 thread", "read, 8 threads"]
    assert [point.median for point in curves[1].curve.points] == [800, 800, 20]
    assert read_curves(view(tmp_path, *SAMPLES))[0].label == "read, 8 threads"


def test_threads_are_across_in_the_largest_working_set(tmp_path):
    (curve,) = thread_curves(view(tmp_path, *SAMPLES))
    assert curve.label == "read, compact"
    assert [(point.x["cpu_threads"], point.median) for point in curve.curve.points] == [(n, 20) for n in (1, 2, 4, 8)]
    (further,) = CPU_BANDWIDTH.further(view(tmp_path, *SAMPLES))
    assert pictures.svg(further.chart).startswith("<svg")


def rows_of(table):
    return {
        name: dict(zip(table.headings[1:], (cell.text for cell in cells), strict=True)) for name, cells in table.rows
    }


def test_both_kinds_of_stores_and_both_ways_to_count_are_shown(tmp_path):
    sizes, streams, bus = CPU_BANDWIDTH.tables(view(tmp_path, *SAMPLES))
    assert rows_of(sizes)["64 MiB"] == {
        f"read, {count}": "20.0" for count in ("1 thread", "2 threads", "4 threads", "8 threads")
    }
    assert rows_of(streams)["copy"] == {
        "ordinary, 1 thread": "–",
        "ordinary, 8 threads": "30.0",
        "non-temporal, 8 threads": "44.0",
    }
    assert rows_of(streams)["read-2-write-1"]["ordinary, 1 thread"] == "11.0"
    assert "as the bus counts" in bus.caption and rows_of(bus) == {"copy": {"ordinary, 8 threads": "45.0"}}


def test_the_picture_stands_alone(tmp_path):
    found = CPU_BANDWIDTH.chart(view(tmp_path, *SAMPLES))
    assert pictures.svg(found).startswith("<svg")
    texts = [text for _, text in CPU_BANDWIDTH.summary(view(tmp_path, *SAMPLES))]
    assert texts[1] == "read, 8 threads: 800 GB/s in 1 MiB, 20.0 GB/s in 64 MiB"
    assert not CPU_BANDWIDTH.applies(view(tmp_path, *synthetic.sample_records("cpu", 1)))
