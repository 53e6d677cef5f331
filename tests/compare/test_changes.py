"""The mathematics against SciPy's own, and against probabilities that are known."""

import math
import random

import pytest
import scipy.stats
from sonde_tools.compare import changes
from sonde_tools.compare.changes import Allowance, allowance

NOTHING_KNOWN = Allowance(0.0, 0, True)


def sides(seed, count, shift=0.0, scatter=0.01):
    rng = random.Random(seed)
    return [[(rng.gauss(centre, scatter), None) for _ in range(count)] for centre in (0, shift)]


@pytest.mark.parametrize("count", [5, 7])
def test_the_interval_is_that_of_a_trimmed_welch_test(count):
    base, new = sides(1, count, 0.02)
    found = changes.change(base, new, NOTHING_KNOWN)
    plain = [[value for value, _ in side] for side in (new, base)]
    expected = scipy.stats.ttest_ind(*plain, equal_var=False, trim=0.2)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=0.01)
    assert found.probability == pytest.approx(expected.pvalue, rel=0.01)
    assert found.within > abs(found.value)


def test_with_many_runs_ranks_have_a_say():
    base, new = sides(2, 9, 0.01)
    ranks = scipy.stats.brunnermunzel(*([value for value, _ in side] for side in (base, new))).pvalue
    assert changes.change(base, new, NOTHING_KNOWN).probability >= ranks


def test_two_sides_apart_are_told_apart_by_ranks_too():
    base, new = sides(3, 9, 1.0)
    assert changes.change(base, new, NOTHING_KNOWN).probability < 1e-6


def test_what_never_varies_has_an_interval_all_the_same():
    same = [(2.5, None)] * 5
    found = changes.change(same, same, NOTHING_KNOWN)
    assert found.value == 0 and found.probability == 1 and found.low < 0 < found.high


def test_what_is_known_beforehand_makes_few_runs_surer():
    base, new = sides(4, 5, 0.03, 0.003)
    alone = changes.change(base, new, NOTHING_KNOWN)
    helped = changes.change(base, new, Allowance(0.003, 8, True))
    assert helped.probability < alone.probability and helped.high - helped.low < alone.high - alone.low


def test_runs_that_scatter_more_than_is_known_count_alone():
    base, new = sides(4, 5, 0.03, 0.02)
    alone, helped = (changes.change(base, new, known) for known in (NOTHING_KNOWN, Allowance(0.001, 8, True)))
    assert (helped.low, helped.high) == pytest.approx((alone.low, alone.high))


def test_one_run_a_side_has_the_scatter_that_is_allowed_for():
    found = changes.change([(0.0, None)], [(0.1, None)], Allowance(0.01, 0, True))
    half = 1.96 * math.hypot(0.01, 0.01)
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half), rel=1e-3)


def test_a_run_that_is_less_sure_of_itself_widens_the_interval_but_not_without_end():
    def width(half):
        found = changes.change([(0.0, half)], [(0.1, 0.03)], Allowance(0.01, 0, True))
        return found.high - found.low

    assert width(0.03) == width(None) < width(0.06) < width(5.0) == width(50.0)


def test_two_to_four_runs_that_differ_more_than_allowed_count_as_they_are():
    allowed = Allowance(0.001, 0, True)
    close = changes.change([(0.0, None)] * 2, [(0.0, None)] * 2, allowed)
    apart = changes.change([(0.0, None), (0.1, None)], [(0.0, None)] * 2, allowed)
    assert apart.high - apart.low > 10 * (close.high - close.low)


def test_the_quiet_ones_of_five_speak_for_themselves():
    base, new = sides(5, 3, 0.2, 0.01)
    wide = Allowance(0.3, 0, True)
    assert changes.change(base, new, wide).probability > 0.3
    assert changes.change(base, new, wide, taken=5).probability < 0.01
    assert changes.change(base[:2], new, wide, taken=5).probability > 0.3


def test_probabilities_are_adjusted_as_scipy_does():
    rng = random.Random(5)
    for count in (0, 1, 2, 40):
        probabilities = [rng.random() ** 4 for _ in range(count)]
        expected = scipy.stats.false_discovery_control(probabilities) if count else []
        assert changes.adjusted(probabilities) == pytest.approx(list(expected))


def test_every_kind_of_device_has_an_allowance():
    for type_ in ("model", "cpu", "discrete", "integrated", "", "of a later version"):
        assert 0 < allowance(type_, "level latency").scatter < 0.5
    assert allowance("cpu", "level latency", "level 1 latency").scatter < allowance("cpu", "level latency").scatter
    assert allowance("model", "level latency", "level 1 latency") == allowance("model", "level latency")
