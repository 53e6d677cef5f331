"""What curves read where all of them are on one level: differences that are known, whatever the level's slope."""

import math
import random

import pytest
from sonde_tools.compare.readings import readings
from test_changes import SHARED, between_visits

ON_IT = (1024, 65536)
SIZES = [round(1024 * 2 ** (step / 4)) for step in range(1, 24)]


def curve(above=0.0, noise=0.0, seed=1, sizes=SIZES, slope=0.0):
    rng = random.Random(seed)
    return [(size, above + slope * math.log(size) + rng.gauss(0, noise)) for size in sizes]


def difference(base, new, on_it=(ON_IT, ON_IT)):
    found = readings([base, new], on_it, [SHARED, SHARED])
    return found and math.log(found[1].value / found[0].value)


def test_a_slope_cancels_at_sizes_that_only_one_run_has():
    base, new = curve(slope=0.5), curve(0.03, slope=0.5, sizes=SIZES[::2])
    assert difference(base, new) == pytest.approx(0.03)
    found, _ = readings([base, new], [ON_IT, ON_IT], [SHARED, SHARED])
    assert between_visits(found.scatter, len(SIZES)) == pytest.approx(0, abs=1e-12)


def test_what_is_read_lies_on_the_curves():
    found = readings([curve(math.log(40)), curve(math.log(44))], [ON_IT, ON_IT], [0, 0])
    assert [one.value for one in found] == pytest.approx([40, 44])


def test_points_in_which_others_took_half_of_the_machine_say_nothing():
    bad = [(size, value - math.log(2) if place % 4 == 1 else value) for place, (size, value) in enumerate(curve(0.03))]
    assert difference(curve(), bad) == pytest.approx(0.03)


def test_points_that_are_not_on_the_level_in_both_runs_do_not_count():
    longer = [*curve(0.03), *((size, 2.0) for size in (70000, 80000, 90000))]
    beyond = [*curve(), *((size, 1.0) for size in (70000, 80000, 90000))]
    assert difference(beyond, longer, [ON_IT, (1024, 100_000)]) == pytest.approx(0.03)


@pytest.mark.parametrize("other", [[], curve(sizes=[1100]), curve(sizes=[70000, 80000])])
def test_curves_without_sizes_in_common_are_not_read(other):
    assert readings([curve(), other], [ON_IT, ON_IT], [0, 0]) is None


@pytest.mark.parametrize("runs", [2, 5])
def test_the_scatter_is_that_of_the_points(runs):
    found = []
    for seed in range(200):
        curves = [curve(noise=0.01, seed=runs * seed + run) for run in range(runs)]
        read = readings(curves, [ON_IT] * runs, [SHARED] * runs)
        found += [between_visits(one.scatter, len(SIZES)) for one in read]
    assert math.sqrt(sum(found) / len(found)) == pytest.approx(0.01, rel=0.1)


def test_one_bad_run_of_five_moves_no_other():
    curves = [curve(noise=0.001, seed=seed) for seed in range(4)] + [curve(above=1.0)]
    found = readings(curves, [ON_IT] * 4 + [(1024, 2000)], [0] * 5)
    assert [math.log(one.value / found[0].value) for one in found] == pytest.approx([0, 0, 0, 0, 1], abs=0.002)
    assert all(one.scatter.variance < 0.005**2 for one in found[:4])


def test_two_runs_share_the_degrees_of_freedom_of_their_differences():
    two, five = (readings([curve(noise=0.01, seed=seed) for seed in range(runs)], [ON_IT] * runs, [0] * runs)[0]
                 for runs in (2, 5))  # fmt: skip
    assert two.scatter.degrees == pytest.approx(five.scatter.degrees * 0.5 / 0.8)
