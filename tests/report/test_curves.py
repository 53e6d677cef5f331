"""Samples to curves: quartiles with known answers, and what counts as one curve."""

import pytest
import synthetic
from sonde_tools.curves import contradicted, curves, quartiles


def sample(bytes_=1024, values=(1.0,), **changes):
    return {"device": "cpu", "api": "opencl", "probe": "latency", "series": {}, "x": {"bytes": bytes_}, "unit": "ns",
            "values": list(values), "state": {}, **changes}  # fmt: skip


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3], (3, 3, 3)),
        ([1, 2], (1.25, 1.5, 1.75)),
        ([5, 1, 4, 2, 3], (2, 3, 4)),
        ([1, 2, 3, 4], (1.75, 2.5, 3.25)),
        ([7, 7, 7, 7, 100], (7, 7, 7)),
    ],
)
def test_quartiles(values, expected):
    assert quartiles(values) == pytest.approx(expected)


def test_point_has_every_statistic():
    (curve,) = curves([sample(values=[5, 1, 4, 2, 3], state={"foreign_cpu": 0.25})])
    (point,) = curve.points
    assert (point.minimum, point.low_quartile, point.median, point.high_quartile, point.maximum) == (1, 2, 3, 4, 5)
    assert point.values == [5, 1, 4, 2, 3] and point.foreign_cpu == 0.25 and not point.disturbed


def test_points_are_in_the_order_of_size_however_they_were_measured():
    (curve,) = curves([sample(4096), sample(1024), sample(2048)])
    assert [point.x["bytes"] for point in curve.points] == [1024, 2048, 4096]


def test_what_names_a_curve():
    different = [sample(), sample(api="vulkan"), sample(series={"path": "scalar"}), sample(unit="cycles"),
                 sample(probe="bandwidth"), sample(device="gpu-1")]  # fmt: skip
    assert len(curves(different)) == 6


def test_order_of_series_keys_does_not_matter():
    two = [
        sample(1024, series={"path": "scalar", "order": "page"}),
        sample(2048, series={"order": "page", "path": "scalar"}),
    ]
    assert [len(curve.points) for curve in curves(two)] == [2]


def test_a_word_that_is_the_default_may_be_left_out():
    written = {"order": "cycle", "path": "vector", "memory": "device", "fabric": "idle"}
    (curve,) = curves([sample(1024), sample(2048, series=written)])
    assert curve.series == {} and len(curve.points) == 2
    assert len(curves([sample(), sample(series={"order": "independent"}), sample(series={"order": "page"})])) == 3


def test_a_quiet_repeat_replaces_a_disturbed_point():
    disturbed = sample(values=[9, 9], state={"disturbed": True})
    (curve,) = curves([disturbed, sample(values=[1, 3])])
    assert curve.points[0].median == 2 and not curve.points[0].disturbed
    (curve,) = curves([disturbed])
    assert curve.points[0].median == 9 and curve.points[0].disturbed


def test_synthetic_run_has_two_full_curves():
    found = curves([record for record in synthetic.records() if record["record"] == "sample"])
    assert [(curve.api, len(curve.points)) for curve in found] == [("opencl", 73), ("vulkan", 73)]
    assert all(7 <= len(point.values) <= 12 for curve in found for point in curve.points)


def points(sizes_and_values):
    return curves([sample(size, values) for size, values in sizes_and_values])[0].points


@pytest.mark.parametrize(
    ("count", "low", "high"), [(1, 0, 0), (5, 0, 4), (6, 0, 5), (8, 0, 7), (9, 1, 7), (12, 2, 9), (20, 5, 14)]
)
def test_the_interval_of_a_median_is_between_values_whose_ranks_hold_it(count, low, high):
    # The tables of the sign test have these ranks.
    (point,) = points([(1024, [float(value) for value in reversed(range(count))])])
    assert (point.low, point.high) == (low, high)


def test_what_was_concluded_of_a_point_goes_before_the_interval_of_its_values():
    (point,) = curves([{**sample(1, [1.0] * 9), "interval": {"low": 0.5, "value": 1, "high": 3}}])[0].points
    assert (point.low, point.high) == (0.5, 3)


def test_a_spike_that_both_neighbours_contradict_is_told_from_a_step():
    def spikes(*values, step=1.5):
        return contradicted(points([(round(1024 * step**index), [value]) for index, value in enumerate(values)]))

    assert spikes(5.0, 6.6, 5.0) == [False, True, False]
    assert spikes(5.0, 5.6, 5.0) == [False] * 3
    assert spikes(5.0, 6.6, 7.5) == [False] * 3
    assert spikes(5.0, 6.6) == [False] * 2
    # Far apart it can be anything.
    assert spikes(5.0, 6.6, 5.0, step=4) == [False] * 3
