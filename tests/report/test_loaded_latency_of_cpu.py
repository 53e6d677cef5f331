"""The section on the CPU's own latency under load: a line a kind of load, over what it moved."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.devices import device_views
from sonde_tools.loaded_latency import LOADED_LATENCY, LOADED_LATENCY_OF_CPU, lines

MIB = 1 << 20


def samples(threads, delay, nanoseconds, gbps=None, size_bytes=64 * MIB, **series):
    (one,) = synthetic.sample_records("cpu", 1, every=1000)
    words = {"pattern": "read", "placement": "same-cluster", **series}
    x = {"bytes": size_bytes, "cpu_threads": threads} | ({} if delay is None else {"delay": delay})
    shared = {**one, "probe": "loaded-latency", "series": words, "x": x}
    found = [{**shared, "unit": "ns", "values": [nanoseconds] * 95 + [4 * nanoseconds] * 5}]
    return found if gbps is None else [*found, {**shared, "unit": "GB/s", "values": [gbps] * 4}]


SAMPLES = [
    *samples(0, None, 100),
    *samples(7, 0, 250, 40),
    *samples(7, 60, 120, 20.5),
    *samples(1, 0, 150, 25),
    *samples(0, None, 100, placement="other-cluster"),
    *samples(24, 0, 200, 60, placement="other-cluster"),
    *samples(0, None, 15, size_bytes=2 * MIB),
    *samples(3, 0, 20, 90, size_bytes=2 * MIB),
]


def view(tmp_path, *samples_):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *samples_])
    return device_views([records.read(written)])[0]


def test_each_kind_of_load_is_a_line_over_what_it_moved(tmp_path):
    found = lines(view(tmp_path, *SAMPLES))
    assert list(found) == [64 * MIB, 2 * MIB]
    assert list(found[64 * MIB]) == ["same cluster reading", "other cluster reading"]
    assert [gbps for gbps, _ in found[64 * MIB]["same cluster reading"]] == [0, 20.5, 25, 40]


def test_the_table_has_latency_and_bandwidth_by_threads_and_delay(tmp_path):
    (table,) = LOADED_LATENCY_OF_CPU.tables(view(tmp_path, *SAMPLES))
    texts = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert table.headings == ["Placement", "Latency, ns", "Bandwidth of the load, GB/s"]
    assert texts["same-cluster, read, 64 MiB, 7 threads, delay 60"] == ["120", "20.5"]
    assert texts["same-cluster, read, 64 MiB, 0 threads"] == ["100", "–"]
    assert texts["other-cluster, read, 64 MiB, 24 threads, delay 0"] == ["200", "60.0"] and len(texts) == 8


def test_the_pictures_stand_alone(tmp_path):
    found = LOADED_LATENCY_OF_CPU.chart(view(tmp_path, *SAMPLES))
    assert "bandwidth of the load, GB/s" in str(found.to_dict()) and "Squares" in str(found.to_dict())
    assert pictures.svg(found).startswith("<svg")
    (cache,) = LOADED_LATENCY_OF_CPU.further(view(tmp_path, *SAMPLES))
    assert pictures.svg(cache.chart).startswith("<svg")
    text = LOADED_LATENCY_OF_CPU.summary(view(tmp_path, *SAMPLES))[0][1]
    assert text == "same cluster reading: 100 ns alone, 250 ns beside 40.0 GB/s"


def test_it_is_another_section_than_a_gpus(tmp_path):
    assert not LOADED_LATENCY.applies(view(tmp_path, *SAMPLES))
    assert not LOADED_LATENCY_OF_CPU.applies(view(tmp_path, *SAMPLES[:1]))
    assert not LOADED_LATENCY_OF_CPU.applies(view(tmp_path, *synthetic.sample_records("cpu", 1)))
