"""Pictures of many devices at once: one curve a device, or one a driver version, with names that tell them apart."""

import re

import pytest
import synthetic
from sonde_tools import records, together
from sonde_tools.devices import device_views
from sonde_tools.report import main


def driver(version, name="radv"):
    return {"platform": "p", "driver": name, "driver_version": version, "api_version": "1"}


def file(tmp_path, device, *lines, time="2025-03-04T09:15:27Z"):
    number = len(list(tmp_path.glob("*.jsonl"))) + 1
    found = [synthetic.run_record(time=time), device, *lines]
    return records.read(synthetic.write(tmp_path / f"run-{number}.jsonl", found))


def gpu(number=1, name=None, opencl="1", vulkan=None):
    return synthetic.device_record(
        device=f"gpu-{number}", name=name or f"GPU {number}", type="discrete",
        opencl=opencl and driver(opencl, "rusticl"), vulkan=vulkan and driver(vulkan),
    )  # fmt: skip


def walk(number=1, api="opencl", **changes):
    return [{**sample, **changes} for sample in synthetic.sample_records(api, number, f"gpu-{number}", every=9)]


def lines_of(recordings, name="latency"):
    """{name of a line: its points' medians} of a picture."""
    for figure, _ in together.figures(device_views(recordings)):
        if figure.name == name:
            return {line.series: [point.median for point in line.points] for line in figure.chart.lines}
    return {}


def test_each_device_has_one_curve_with_its_name(tmp_path):
    recordings = [file(tmp_path, gpu(number), *walk(number, values=[float(number)] * 3)) for number in (1, 2, 3)]
    assert lines_of(recordings) == {f"GPU {number}": [float(number)] * 9 for number in (1, 2, 3)}


def test_devices_are_compared_by_the_api_that_most_have(tmp_path):
    recordings = [
        file(tmp_path, gpu(1, vulkan="2"), *walk(1), *walk(1, "vulkan")),
        file(tmp_path, gpu(2, opencl=None, vulkan="2"), *walk(2, "vulkan")),
        file(tmp_path, gpu(3, vulkan="2"), *walk(3, "vulkan")),
    ]
    assert list(lines_of(recordings)) == ["GPU 1", "GPU 2", "GPU 3"]
    only_opencl = file(tmp_path, gpu(4), *walk(4))
    assert list(lines_of([*recordings, only_opencl]))[-2:] == ["GPU 3, Vulkan", "GPU 4, OpenCL"]


def test_driver_versions_of_one_device_have_a_curve_each(tmp_path):
    recordings = [
        file(tmp_path, gpu(opencl="24.1", vulkan="24.1"), *walk(), *walk(api="vulkan")),
        file(tmp_path, gpu(opencl="25.0"), *walk()),
    ]
    names = ["rusticl 24.1, OpenCL", "rusticl 25.0, OpenCL", "radv 24.1, Vulkan"]
    assert sorted(lines_of(recordings)) == sorted(names)


def test_driver_versions_beside_another_device_are_named_with_theirs(tmp_path):
    recordings = [file(tmp_path, gpu(opencl=version), *walk()) for version in ("24.1", "25.0")]
    recordings.append(file(tmp_path, gpu(2), *walk(2)))
    assert list(lines_of(recordings)) == ["GPU 1, rusticl 24.1", "GPU 1, rusticl 25.0", "GPU 2"]


def test_runs_of_one_driver_version_are_one_curve_of_all_their_values(tmp_path):
    recordings = [file(tmp_path, gpu(), *walk(values=values)) for values in ([1.0, 1.0], [2.0], [9.0, 9.0, 9.0])]
    recordings.append(file(tmp_path, gpu(2), *walk(2)))
    found = lines_of(recordings)
    assert list(found) == ["GPU 1", "GPU 2"] and found["GPU 1"] == [5.5] * 9


def test_disturbed_runs_count_only_where_there_is_no_other(tmp_path):
    quiet, loud = {"disturbed": False}, {"disturbed": True}
    recordings = [
        file(tmp_path, gpu(), *walk(values=[1.0], state=quiet)),
        file(tmp_path, gpu(), *walk(values=[9.0], state=loud)),
        file(tmp_path, gpu(2), *walk(2)),
    ]
    assert lines_of(recordings)["GPU 1"] == [1.0] * 9


def test_devices_of_one_name_are_numbered(tmp_path):
    recordings = [file(tmp_path, gpu(number, name="Arc"), *walk(number)) for number in (1, 2)]
    assert list(lines_of(recordings)) == ["Arc (1)", "Arc (2)"]


def test_a_simulated_device_says_so_and_so_does_the_picture(tmp_path):
    model = synthetic.device_record(device="model:x", name="x", type="model", opencl=None, vulkan=None)
    recordings = [
        file(tmp_path, gpu(), *walk()),
        file(tmp_path, model, *synthetic.sample_records("model", 1, "model:x", every=9)),
    ]
    ((figure, _),) = together.figures(device_views(recordings))
    assert [line.series for line in figure.chart.lines] == ["GPU 1", "x (simulated)"]
    assert "'partly simulated'" in str(figure.chart.to_dict())


def test_processors_of_two_machines_are_two_devices(tmp_path):
    recordings = [
        file(tmp_path, synthetic.device_record(name=name), *synthetic.sample_records("opencl", 1, every=9))
        for name in ("EPYC", "Xeon", "EPYC")
    ]
    views = device_views(recordings)
    assert [(view.title, len(view.recordings)) for view in views] == [("EPYC", 2), ("Xeon", 1)]
    assert list(lines_of(recordings)) == ["EPYC", "Xeon"]


@pytest.mark.parametrize(
    ("probe", "unit", "series", "x", "picture"),
    [
        ("bandwidth", "GB/s", {"pattern": "read", "sharing": "shared", "path": "buffer"}, {}, "bandwidth"),
        ("bandwidth", "GB/s", {"pattern": "write", "sharing": "shared", "path": "buffer"}, {}, "bandwidth-writing"),
        ("loaded-latency", "ns", {}, {"gpu_gbps": 7, "delay": 3}, "loaded-latency"),
        ("copy", "GB/s", {"engine": "driver", "host": "pinned", "direction": "to-device"}, {}, "copy-to-device"),
        ("copy", "GB/s", {"engine": "driver", "host": "pinned", "direction": "to-host"}, {}, "copy-to-host"),
        ("contention", "ns", {"side": "cpu", "beside": "gpu-load", "pattern": "add"}, {"gpu_gbps": 7, "load": 1}, "contention"),
    ],
)  # fmt: skip
def test_every_probe_with_curves_has_a_picture(tmp_path, probe, unit, series, x, picture):
    def lines(number):
        found = walk(number, probe=probe, unit=unit, series=series)
        return [{**sample, "x": {**sample["x"], **x}} for sample in found]

    recordings = [file(tmp_path, gpu(number), *lines(number)) for number in (1, 2)]
    assert list(lines_of(recordings, picture)) == ["GPU 1", "GPU 2"]
    assert lines_of(recordings[:1], picture) == {}


def test_page_and_pictures_begin_with_them(tmp_path):
    files = [str(file(tmp_path, gpu(number), *walk(number)).path) for number in (1, 2)]
    out = tmp_path / "page.html"
    assert main([*files, "-o", str(out), "--together", "--svg", str(tmp_path / "svg")]) == 0
    page = out.read_text(encoding="utf-8")
    assert page.index('id="latency-together"') < page.index('id="latency-gpu-1"')
    rows = re.findall(r'<th scope="row">(GPU \d)</th>', page[page.index("telling sizes, ns: medians") :])
    assert rows == ["GPU 1", "GPU 2"]
    assert sorted(path.name for path in (tmp_path / "svg").iterdir()) == [
        "latency-gpu-1.svg", "latency-gpu-2.svg", "latency-together.svg"]  # fmt: skip
    assert main([*files, "-o", str(out)]) == 0 and "All together" not in out.read_text(encoding="utf-8")


def test_of_one_device_with_one_driver_there_is_nothing_to_put_together(tmp_path):
    path = file(tmp_path, gpu(), *walk()).path
    assert main([str(path), "-o", str(tmp_path / "page.html"), "--together"]) == 0
    assert "nothing to put together" in (tmp_path / "page.html").read_text(encoding="utf-8")
