"""The mathematics against SciPy's own, and against probabilities that are known."""

import math
import random

import pytest
import scipy.stats
from sonde_tools.compare import changes, scatter
from sonde_tools.compare.scatter import Scatter

NOTHING_KNOWN = Scatter(0.0, 0)
SHARED = 0.5


def between_visits(found, visits):
    """The variance between so many visits beside others that a Scatter between runs was found from."""
    allowed = scatter._table()
    return (found.variance - allowed["moment"][1] ** 2) / (1 / visits + allowed["together"][1])


def sides(seed, count, shift=0.0, between=0.01, known=NOTHING_KNOWN):
    rng = random.Random(seed)
    return [[(rng.gauss(centre, between), known) for _ in range(count)] for centre in (0, shift)]


@pytest.mark.parametrize("count", [5, 7])
def test_the_interval_is_that_of_a_trimmed_welch_test(count):
    base, new = sides(1, count, 0.02)
    found = changes.change(base, new)
    plain = [[value for value, _ in side] for side in (new, base)]
    expected = scipy.stats.ttest_ind(*plain, equal_var=False, trim=0.2)
    interval = expected.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=0.01)
    assert found.probability == pytest.approx(expected.pvalue, rel=0.01)
    assert found.within > abs(found.value)


def test_what_never_varies_has_an_interval_all_the_same():
    same = [(2.5, NOTHING_KNOWN)] * 5
    found = changes.change(same, same)
    assert found.value == 0 and found.probability == 1 and found.low < 0 < found.high


def test_what_visits_say_makes_few_runs_surer():
    alone = changes.change(*sides(4, 5, 0.03, 0.003))
    helped = changes.change(*sides(4, 5, 0.03, 0.003, Scatter(0.003**2, 8)))
    assert helped.probability < alone.probability and helped.high - helped.low < alone.high - alone.low


def test_runs_that_scatter_more_than_their_visits_count_alone():
    alone, helped = (changes.change(*sides(4, 5, 0.03, 0.02, known)) for known in (NOTHING_KNOWN, Scatter(1e-6, 8)))
    assert (helped.low, helped.high) == pytest.approx((alone.low, alone.high))


def test_one_run_a_side_has_the_scatter_of_its_visits():
    found = changes.change([(0.0, Scatter(0.01**2, 1e9))], [(0.1, Scatter(0.02**2, 1e9))])
    half = 1.96 * math.hypot(0.01, 0.02)
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half), rel=1e-3)


def test_the_change_that_would_be_seen_is_the_one_of_that_probability():
    known = Scatter(0.01**2, 4)
    difference = changes.change([(0.0, known)], [(0.0, known)]).seen_at(0.003)
    assert changes.change([(0.0, known)], [(difference, known)]).probability == pytest.approx(0.003)


@pytest.mark.parametrize(("edge", "most"), [([], 1.1), ([2.0, 3.0], 1.4)])
def test_neighbours_tell_how_visits_scatter_and_neither_slope_nor_edge_does(edge, most):
    rng, found = random.Random(6), []
    for _ in range(300):
        points = [rng.gauss(0.002 * place, 0.01) for place in range(20)] + edge
        found.append(between_visits(scatter.of_neighbours(points, SHARED), len(points)))
    assert 0.9 < math.sqrt(sum(found) / len(found)) / 0.01 < most
    assert scatter.of_neighbours([0.1], SHARED) is None


def test_visits_tell_how_they_scatter_and_two_that_agree_are_not_sure():
    points = [[0.0, 0.1], [0.3, 0.4], [7.0]]
    assert between_visits(scatter.of_visits(points, SHARED), 2) == pytest.approx(0.005)
    assert scatter.of_visits([[0.2, 0.2]], 0).variance > 1e-5
    assert scatter.of_visits([[0.2]], 0) is None


def test_an_interval_that_holds_another_run_is_that_of_two_runs_and_one_of_the_true_value_of_none():
    # Half of what holds another run's value, where either run's is off by 1 % as a standard deviation.
    other = scatter.of_other_runs(1.96 * math.sqrt(2) * 0.01, 1, 0)
    assert other.variance == pytest.approx(0.01**2) and other.degrees == scatter.of_one_visit(0).degrees
    assert scatter.of_other_runs(0.1, 1, 0).variance == scatter.of_other_runs(0.1, 1, SHARED).variance
    # Of what is unknown of the true value runs have a part in common, unless others take their share of a cache.
    alone, shared = (scatter.of_true_value(1.96 * 0.01, 1, share).variance for share in (0, SHARED))
    assert alone < 0.01**2 < shared


def test_only_beside_others_do_visits_of_a_run_differ_less_than_runs():
    points = [0.01 * (place % 3) for place in range(40)]
    alone, shared = (scatter.of_neighbours(points, share).variance for share in (0, SHARED))
    assert shared > 3 * alone


def test_a_single_visit_is_worth_less_beside_others():
    alone, between, shared = (scatter.of_one_visit(share).degrees for share in (0, 0.005, SHARED))
    assert alone > between > shared and shared < 2
    assert scatter.of_one_visit(SHARED).variance > 100 * scatter.of_one_visit(0).variance


def test_scatter_is_drawn_to_what_runs_have_in_common():
    alike = [Scatter(variance, 1, True) for variance in (1.0, 4.0, 4.0, 5.0)]
    found = [one.drawn_to(alike) for one in alike]
    # Their mean, which counts as ten degrees of freedom, is 3.5.
    assert [one.variance for one in found] == pytest.approx([36 / 11, 39 / 11, 39 / 11, 40 / 11])
    assert found[0].degrees == 11
    assert alike[0].drawn_to(alike[:2]) == alike[0]
    assert (known := Scatter(1.0, 1)).drawn_to(alike) == known


def test_probabilities_are_adjusted_as_scipy_does():
    rng = random.Random(5)
    for count in (0, 1, 2, 40):
        probabilities = [rng.random() ** 4 for _ in range(count)]
        expected = scipy.stats.false_discovery_control(probabilities) if count else []
        assert changes.adjusted(probabilities) == pytest.approx(list(expected))
