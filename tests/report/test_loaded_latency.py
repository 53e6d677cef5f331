"""The section on latency under load: one curve a working set, alone at the left, over the bandwidth that was reached."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.devices import device_views
from sonde_tools.loaded_latency import LOADED_LATENCY, loaded_curves


def point(size_bytes, gbps, nanoseconds, delay=None, unit="ns"):
    (one,) = synthetic.sample_records("opencl", 1, every=1000, series={"path": "vector", "memory": "device"})
    x = {"bytes": size_bytes, "gpu_gbps": gbps} | ({} if delay is None else {"delay": delay})
    return {**one, "probe": "loaded-latency", "unit": unit, "x": x, "values": [nanoseconds] * 7}


SAMPLES = [
    *(point(size, 0, 20) for size in (1 << 20, 4 << 20)),
    point(64 << 20, 0, 100),
    point(64 << 20, 10, 210, delay=0),
    point(64 << 20, 10, 10, delay=0, unit="GB/s"),
    point(64 << 20, 5, 120, delay=4),
    point(4 << 20, 40, 35, delay=0),
]


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_each_loaded_working_set_is_a_curve_over_the_bandwidth_that_was_reached(tmp_path):
    curves = loaded_curves(view(tmp_path, *SAMPLES))
    assert [entry.label for entry in curves] == ["OpenCL, 4 MiB", "OpenCL, 64 MiB"]
    assert [(each.x["gpu_gbps"], each.median) for each in curves[1].curve.points] == [(0, 100), (5, 120), (10, 210)]


def test_the_summary_has_the_latency_alone_and_under_the_most_load(tmp_path):
    found = LOADED_LATENCY.summary(view(tmp_path, *SAMPLES))
    assert found[1][1] == "OpenCL, 64 MiB: 100 ns alone, 210 ns beside 10.0 GB/s"


def test_a_cache_and_memory_have_panels_of_their_own(tmp_path):
    loads = [point(size, 2 + delay, size >> 18, delay=delay) for size in (4 << 20, 64 << 20) for delay in range(4)]
    found = LOADED_LATENCY.chart(view(tmp_path, *SAMPLES[:3], *loads))
    memory, cache = found.to_dict()["vconcat"]
    assert (memory["title"]["text"], cache["title"]["text"]) == ("64 MiB", "4 MiB")
    domains = [panel["layer"][0]["encoding"]["y"]["scale"]["domain"] for panel in (memory, cache)]
    assert domains[1][1] < domains[0][0] and "bandwidth of the load, GB/s" in str(memory)
    names = [layer.get("name") for panel in (memory, cache) for layer in panel["layer"]]
    assert names == [None] * len(names)  # Vega-Lite draws the line of one panel in all where both have one name
    assert pictures.svg(found).startswith("<svg")


def test_few_points_are_no_line(tmp_path):
    found = LOADED_LATENCY.chart(view(tmp_path, *SAMPLES))
    marks = {layer["mark"]["type"] for layer in found.to_dict()["layer"]}
    assert "line" not in marks and {"rule", "text", "point"} <= marks
    assert [len(line.points) for line in found.lines] == [1] * 5


def test_every_size_and_load_is_in_the_table(tmp_path):
    (table,) = LOADED_LATENCY.tables(view(tmp_path, *SAMPLES))
    assert [name for name, _ in table.rows] == [
        "1 MiB, 0 GB/s", "4 MiB, 0 GB/s", "4 MiB, 40.0 GB/s", "64 MiB, 0 GB/s", "64 MiB, 5.00 GB/s", "64 MiB, 10.0 GB/s",
    ]  # fmt: skip


def test_a_walk_that_was_only_alone_has_no_section(tmp_path):
    assert not LOADED_LATENCY.applies(view(tmp_path, *SAMPLES[:3]))
