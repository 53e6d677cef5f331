"""The sections on the CPU's own latency and on contention: what is drawn, in which order, and what tables say."""

import synthetic
from sonde_tools import records
from sonde_tools.contention import CONTENTION, lines
from sonde_tools.cpu_latency import CPU_LATENCY, gpu_curves
from sonde_tools.devices import device_views
from sonde_tools.windows import percentile


def views(tmp_path, *found):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), *found])
    return {view.device: view for view in device_views([records.read(written)])}


def cpu_samples(pages, state="asleep", **words):
    found = synthetic.sample_records("cpu", 1, every=9, series={"pages": pages, "state": state, **words})
    for sample in found:
        sample["probe"] = "cpu-latency"
    return found


def windows(gbps, load, values, series=None, unit="ns", threads=0):
    series = series or {"side": "cpu", "beside": "gpu-load", "pattern": "add"}
    return {
        "record": "sample", "device": "cpu", "api": "opencl", "probe": "contention", "series": series, "unit": unit,
        "x": {"load": load, "cpu_threads": threads, **({} if gbps is None else {"gpu_gbps": gbps})},
        "values": values, "state": {}, "t": 1.0,
    }  # fmt: skip


CONTROL = {"side": "cpu", "beside": "nothing", "pattern": "add"}
GPU = synthetic.device_record(device="gpu-1", name="Some GPU", type="integrated", opencl=None)


def test_each_pages_and_state_of_the_cpu_is_a_curve_with_its_name(tmp_path):
    view = views(tmp_path, synthetic.device_record(), *cpu_samples("small"), *cpu_samples("huge"),
                 *cpu_samples("huge", "awake", core="efficiency"))["cpu"]  # fmt: skip
    drawn = str(CPU_LATENCY.chart(view).to_dict())
    for label in ("CPU, small pages", "CPU, huge pages", "CPU, huge pages, efficiency cores, kept awake"):
        assert f"'{label}'" in drawn
    assert len(CPU_LATENCY.summary(view)) == 3 and CPU_LATENCY.tables(view)


def test_a_curve_of_few_sizes_says_so(tmp_path):
    few = cpu_samples("huge")[2:5]
    view = views(tmp_path, synthetic.device_record(), *cpu_samples("small"), *few)["cpu"]
    assert "CPU, huge pages: only 3 sizes of 9 were measured, 22.6 to 512 KiB." in CPU_LATENCY.legend(view)
    assert "CPU, small pages: only" not in CPU_LATENCY.legend(view)


def test_the_cpus_levels_are_drawn_with_short_names(tmp_path):
    found = [{**level, "probe": "cpu-latency", "series": {"pages": pages, "state": "asleep"}}
             for pages in ("small", "huge") for level in synthetic.level_records("cpu")]  # fmt: skip
    view = views(tmp_path, synthetic.device_record(), *cpu_samples("small"), *cpu_samples("huge"),
                 *cpu_samples("huge", "awake"), *found)["cpu"]  # fmt: skip
    noted = [
        layer["data"]["values"]
        for layer in CPU_LATENCY.chart(view).to_dict()["layer"]
        if "values" in layer.get("data", {})
    ]
    assert [row["name"] for rows in noted for row in rows if "name" in row] == ["small pages", "huge pages"]
    assert "Thick: the latency of a level where it serves." in CPU_LATENCY.legend(view)


def test_a_gpus_curve_stands_beside_the_cpus_where_both_are_known(tmp_path):
    found = views(tmp_path, synthetic.device_record(), GPU, *cpu_samples("small"),
                  *synthetic.sample_records("vulkan", 1, every=9, device="gpu-1"),
                  *synthetic.sample_records("vulkan", 1, every=9, device="gpu-1", series={"path": "scalar"}))  # fmt: skip
    assert [entry.label for entry in gpu_curves(found["cpu"])] == ["Some GPU, Vulkan"]
    assert "Some GPU, Vulkan" in str(CPU_LATENCY.chart(found["cpu"]).to_dict())
    assert not CPU_LATENCY.applies(found["gpu-1"])


def test_percentiles_are_linear_between_neighbours():
    assert percentile([7.0], 99) == 7.0
    assert percentile([float(value) for value in range(101)], 90) == 90
    assert percentile([0.0, 1.0], 50) == 0.5


def test_contention_is_drawn_by_bandwidth_with_idle_and_control_apart(tmp_path):
    view = views(tmp_path, synthetic.device_record(), windows(80, 1, [300.0] * 9), windows(0, 0, [100.0, 110.0, 120.0]),
                 windows(40, 0.5, [150.0] * 9), windows(0, 1, [101.0] * 9, CONTROL),
                 windows(78, 1, [400.0] * 9, threads=2), windows(80, 1, [2.0, 2.5, 1.8], unit="ratio"))["cpu"]  # fmt: skip
    found = lines(view)
    assert list(found) == ["OpenCL", "OpenCL, 2 CPU threads reading"]
    assert [point.x["gpu_gbps"] for point in found["OpenCL"]] == [0, 40, 80]
    drawn = CONTENTION.chart(view).to_dict()
    assert sorted(row["kind"] for row in drawn["data"]["values"]) == ["control", "idle", "load", "load", "load"]
    # Bands of two series in one plot would overlap.
    assert [panel["title"]["text"] for panel in drawn["vconcat"]] == list(found)
    assert [panel["transform"][0]["filter"]["oneOf"] for panel in drawn["vconcat"]] == [[name] for name in found]
    # Three points and one are no line.
    assert not any(layer["mark"]["type"] in ("line", "area") for panel in drawn["vconcat"] for layer in panel["layer"])
    (_, first), _ = CONTENTION.summary(view)
    assert first == "OpenCL: 110 ns with the GPU idle, 300 ns while it moves 80.0 GB/s"
    table = CONTENTION.tables(view)[0]
    assert [heading for heading, _ in table.rows] == [
        "0 threads, 0 GB/s", "0 threads, 40.0 GB/s", "0 threads, 80.0 GB/s", "2 threads, 78.0 GB/s",
    ]  # fmt: skip
    assert [[cell.text for cell in cells] for _, cells in table.rows] == [
        ["110", "–"],
        ["150", "–"],
        ["300", "2"],
        ["400", "–"],
    ]
    assert table.rows[2][1][1].detail == "1.9 to 2.25"
    assert "Square" in CONTENTION.legend(view) and "same silicon" in CONTENTION.legend(view)


def test_one_busy_moment_does_not_rule_the_axis(tmp_path):
    quiet = [100.0, 110.0, 120.0] * 30
    points = [windows(gbps, gbps / 80, quiet) for gbps in range(0, 80, 10)]
    busy = windows(80, 1, [*quiet[:80], *[90_000.0] * 10])
    drawn = CONTENTION.chart(views(tmp_path, synthetic.device_record(), *points, busy)["cpu"]).to_dict()
    assert 120 < max(drawn["layer"][2]["encoding"]["y"]["scale"]["domain"]) < 300
    assert "Beyond the picture: p99 of up to 90000 ns, at 80.0 GB/s." in drawn["title"]["subtitle"]
    drawn = CONTENTION.chart(views(tmp_path, synthetic.device_record(), *points)["cpu"]).to_dict()
    assert "Beyond" not in str(drawn["title"])


def test_what_cpu_threads_cost_the_gpu_is_a_table(tmp_path):
    copying = {"side": "gpu", "pattern": "copy"}
    view = views(tmp_path, synthetic.device_record(), windows(0, 0, [100.0]), windows(80, 1, [150.0]),
                 windows(None, 0, [200.0], copying), windows(None, 0, [260.0], copying, threads=2),
                 windows(None, 1, [80.0], copying, "GB/s"), windows(None, 1, [50.0], copying, "GB/s", 2),
                 windows(None, 1, [12.0], {"side": "cpu", "pattern": "copy"}, "GB/s", 2))["cpu"]  # fmt: skip
    table = CONTENTION.tables(view)[-1]
    assert "cost the GPU" in table.caption
    assert [heading for heading, _ in table.rows] == [
        "copy, 0 threads",
        "copy, 2 threads",
    ]
    assert [[cell.text for cell in cells] for _, cells in table.rows] == [["200", "80.0"], ["260", "50.0"]]


def test_a_run_without_them_has_no_sections(tmp_path):
    view = views(tmp_path, synthetic.device_record(), *synthetic.sample_records("opencl", 1, every=9))["cpu"]
    assert not CONTENTION.applies(view) and not CPU_LATENCY.applies(view)
