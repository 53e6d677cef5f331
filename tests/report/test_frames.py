"""The section on frames: milliseconds over the resolution, with bytes and bandwidth beside them."""

import synthetic
from sonde_tools import pictures, records
from sonde_tools.devices import device_views
from sonde_tools.frames import FRAMES, frame_times


def samples(width, milliseconds, megabytes, api="opencl"):
    """What a run records of one resolution: the same repetitions in three units."""
    (one,) = synthetic.sample_records(api, 1, every=1000)
    x = {"width": width, "height": width * 9 // 16}
    said = {"ms": milliseconds, "GB/s": megabytes / milliseconds, "bytes": megabytes * 1e6}
    return [{**one, "probe": "frames", "x": x, "unit": unit, "values": [value] * 7} for unit, value in said.items()]


SAMPLES = [*samples(7680, 40, 6000), *samples(1280, 0.5, 140), *samples(1920, 2, 315, api="vulkan")]


def view(tmp_path, *lines):
    written = synthetic.write(tmp_path / "run.jsonl", [synthetic.run_record(), synthetic.device_record(), *lines])
    return device_views([records.read(written)])[0]


def test_each_api_is_a_curve_of_frame_times_over_the_width(tmp_path):
    curves = frame_times(view(tmp_path, *SAMPLES))
    assert [entry.label for entry in curves] == ["OpenCL", "Vulkan"]
    assert [(each.x["width"], each.median) for each in curves[0].curve.points] == [(1280, 0.5), (7680, 40)]


def test_the_summary_has_the_smallest_and_the_largest_frame(tmp_path):
    found = FRAMES.summary(view(tmp_path, *SAMPLES))
    assert [text for _, text in found] == [
        "OpenCL: 0.5 ms at 1280×720, 40 ms at 7680×4320",
        "Vulkan: 2 ms at 1920×1080",
    ]


def test_the_table_has_a_row_a_resolution_with_bytes_and_bandwidth(tmp_path):
    opencl, vulkan = FRAMES.tables(view(tmp_path, *SAMPLES))
    rows = {name: [cell.text for cell in cells] for name, cells in opencl.rows}
    assert rows == {"1280×720": ["0.500", "134 MiB", "280"], "7680×4320": ["40.0", "5.59 GiB", "150"]}
    assert vulkan.caption.startswith("Frames, Vulkan") and [cell.text for cell in vulkan.rows[0][1]] == [
        "2.00",
        "300 MiB",
        "158",
    ]


def test_the_pictures_are_drawn_with_the_resolutions_across(tmp_path):
    found = FRAMES.chart(view(tmp_path, *SAMPLES))
    drawn = pictures.svg(found)
    assert drawn.startswith("<svg") and "7680×4320" in drawn and "1280×720" in drawn
    (further,) = FRAMES.further(view(tmp_path, *SAMPLES))
    assert "GB/s" in pictures.svg(further.chart)


def counter(width, hit_rate, **more):
    """What counters saw beside one resolution."""
    return {
        "record": "counter", "source": "amd", "t": 1.0, "dt": 0.01, "device": "cpu", "api": "opencl", "probe": "frames",
        "series": {}, "x": {"width": width, "height": width * 9 // 16}, "hit_rate": hit_rate, "fabric_per_byte": 0.8,
        "memory_per_byte": 0.8 * (1 - (hit_rate or 0)), **more,
    }  # fmt: skip


def test_hit_rates_by_counters_are_drawn_over_the_resolution(tmp_path):
    beside = [counter(7680, 0.25), counter(1280, 0.75), counter(1920, None), counter(1280, 0.5, api="vulkan", x={})]
    seen = view(tmp_path, *SAMPLES, *beside)
    figure = FRAMES.further(seen)[0]
    assert figure.name == "frames-hit-rate"
    rows = figure.chart.to_dict()["data"]["values"]
    assert [(row["series"], row["width"], row["share"]) for row in rows] == [
        ("OpenCL", 1280, 0.75),
        ("OpenCL", 7680, 0.25),
    ]
    assert "7680×4320" in pictures.svg(figure.chart)
    table = FRAMES.tables(seen)[-1]
    assert table.rows[0][0] == "OpenCL, 1280×720"
    assert [cell.text for cell in table.rows[0][1]] == ["75.0 %", "0.80", "0.20"]


def test_a_run_without_frames_has_no_section(tmp_path):
    assert not FRAMES.applies(view(tmp_path, *synthetic.sample_records("opencl", 1)))
