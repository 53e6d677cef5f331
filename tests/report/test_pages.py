"""Walks with one line every so many bytes have a figure of their own, over the number of lines."""

import pytest
import synthetic
from sonde_tools import devices, latency, records

STRIDES = {"1K": 1 << 10, "64K": 64 << 10, "2M": 2 << 20}


def walk(stride, lines):
    """A sample of so many lines."""
    series = {"path": "vector", "memory": "device", "order": "page", "stride": stride}
    (sample,) = synthetic.sample_records("opencl", 1, series=series)[:1]
    return sample | {"x": {"bytes": lines * STRIDES[stride]}}


@pytest.fixture
def view(tmp_path):
    """The device of a file with a cycle, many numbers of lines close together and far apart, and one between."""
    numbers = [8 * 2**step for step in range(9)]
    walks = [walk(stride, lines) for stride in ("1K", "2M") for lines in numbers] + [walk("64K", 128)]
    path = tmp_path / "run.jsonl"
    synthetic.write(path, [*synthetic.records()[:2], *synthetic.sample_records("opencl", 1), *walks])
    (found,) = devices.device_views([records.read(path)])
    return found


def test_the_figure_has_the_strides_walked_with_many_numbers_of_lines(view):
    curves = latency.stride_curves(view)
    assert [entry.curve.series["stride"] for entry in curves] == ["1K", "2M"]
    assert [point.x for point in curves[1].curve.points] == [{"lines": 8 * 2**step} for step in range(9)]
    (figure,) = latency.LATENCY.further(view)
    assert "close together and far apart" in figure.heading


def test_without_such_walks_there_is_no_figure(view):
    view.curves = [entry for entry in view.curves if "stride" not in entry.curve.series]
    assert latency.LATENCY.further(view) == []
