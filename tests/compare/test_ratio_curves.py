"""Where over the working set the sides of a duel differ: found where they do, at these sizes, and nowhere else."""

import math
from dataclasses import replace

import numpy
import pytest
from sonde_tools.compare.pairs import Pairs
from sonde_tools.compare.ratio_curves import ratio_curves
from sonde_tools.compare.stretches import at_sizes, stretches

SIZES = 1024.0 * 2 ** (numpy.arange(30) / 2)


class OfDevice:
    """As much of PairsOfDevice as ratio curves ask for: one curve of latencies."""

    def __init__(self, pairs):
        self.pairs = pairs

    def over_size(self, units):
        return [(("opencl", "latency", (), unit), self.pairs) for unit in units if unit == "ns"]


def pairs(seed, ratio=lambda size: 0.0, rounds=4, noise=0.014, outliers=0.0):
    """Two pairs of each size a round, a process a round; ratio: size in bytes to the logarithm of the ratio."""
    rng = numpy.random.default_rng(seed)
    places = numpy.tile(numpy.repeat(numpy.arange(len(SIZES)), 2), rounds)
    torn = (rng.random(len(places)) < outliers) * rng.choice([-0.3, 0.3], len(places))
    new = rng.normal(0, noise, len(places)) + torn + [ratio(size) for size in SIZES[places]]
    processes = numpy.repeat(numpy.arange(rounds), 2 * len(SIZES))
    return Pairs(numpy.zeros(len(places)), new, places, processes * len(SIZES) + places, processes, SIZES[places],
                 numpy.zeros(len(places), bool))  # fmt: skip


def found(*arguments, **further):
    (curve,) = ratio_curves({"a device": OfDevice(pairs(*arguments, **further))}, 0.5)
    return curve.differs


def bump(size):
    return math.log(1.03) if 32768 <= size <= 1 << 20 else 0.0


@pytest.mark.parametrize("outliers", [0, 0.1])
def test_a_change_in_the_middle_is_found_between_its_sizes(outliers):
    for seed in range(10):
        (one,) = found(seed, bump, outliers=outliers)
        assert one.first == pytest.approx(32768, rel=0.5) and one.last == pytest.approx(1 << 20, rel=0.5)
        assert one.change_percent["low"] < 3 < one.change_percent["high"] and not one.is_whole


def test_a_change_at_all_sizes_is_one_stretch():
    (one,) = found(1, lambda size: -0.01)
    assert one.is_whole and (one.first, one.last) == (SIZES[0], SIZES[-1])
    assert one.change_percent["value"] == pytest.approx(-1, abs=0.3)


def test_two_changes_next_to_each_other_are_two_stretches():
    above, below = found(2, lambda size: 0.03 if size < 20000 else -0.03 if size < 1 << 20 else 0.0)
    assert above.change.value == pytest.approx(0.03, abs=0.005) and below.change.value == pytest.approx(
        -0.03, abs=0.005
    )
    assert above.first == SIZES[0] and above.last < below.first


@pytest.mark.parametrize("outliers", [0, 0.1])
def test_where_nothing_differs_nothing_is_said(outliers):
    assert sum(bool(found(seed, outliers=outliers)) for seed in range(60)) <= 2


def test_a_change_below_the_threshold_is_none():
    assert not found(1, lambda size: 0.004, noise=0.001)


def test_a_size_alone_is_no_stretch():
    one = pairs(1, lambda size: 0.05 if size == SIZES[12] else 0.0)
    assert all(last > first for first, last in stretches(one))


def test_bands_hold_the_truth_at_each_size():
    missed = [not at.low <= math.log(1.03 if at.bytes > 200_000 else 1) <= at.high for seed in range(40)
              for one in [pairs(seed, lambda size: math.log(1.03) if size > 200_000 else 0.0)]
              for at in at_sizes(one, stretches(one))]  # fmt: skip
    assert 0.01 < sum(missed) / len(missed) < 0.09


def test_of_several_shapes_at_a_size_the_better_one_counts():
    one = pairs(1)
    slower = replace(one, base=one.base + 1, new=one.new + 1.5, places=one.places + len(SIZES))
    both = one.and_also([slower])
    assert found_in(both.of_fastest_shapes(is_time=True)) == pytest.approx(0, abs=0.005)
    assert found_in(both.of_fastest_shapes(is_time=False)) == pytest.approx(0.5, abs=0.005)


def found_in(of_fastest):
    return float(numpy.median(of_fastest.ratios))
