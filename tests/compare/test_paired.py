"""How sure pairs make: how rarely the intervals are wrong whatever the machine does, and what they find."""

import math
from dataclasses import replace

import numpy
import pytest
from sonde_tools.compare.changes import adjusted
from sonde_tools.compare.paired import changes
from sonde_tools.compare.pairs import Pairs

FEATURES, DUELS = 8, 40


def steps(rng, count):
    """A machine that goes on at another speed every now and then."""
    states = numpy.cumsum(rng.random(count) < 1 / 14)
    return rng.choice([0, 0, 0.05, 0.25], size=states[-1] + 1)[states]


NOISES = {
    "normal": lambda rng, count: rng.normal(0, 0.01, count),
    "heavy tails": lambda rng, count: 0.006 * rng.standard_t(2, count),
    "outliers": lambda rng, count: rng.normal(0, 0.01, count) + (rng.random(count) < 0.1) * rng.exponential(0.3, count),
    "steps": lambda rng, count: rng.normal(0, 0.01, count) + steps(rng, count),
    "drift": lambda rng, count: rng.normal(0, 0.01, count) + 0.1 * numpy.sin(numpy.arange(count) / 40),
    "two speeds": lambda rng, count: rng.normal(0, 0.01, count) + 0.04 * (rng.random(count) < 0.3),
}


def pairs(rng, noise, sizes=5, rounds=6, rounds_a_process=2, apart=0.0, change=0.0):
    """Pairs of one feature: each point is visited base, new, new, base or the other way round, after one another."""
    points = sizes * rounds
    slow = NOISES[noise](rng, 4 * points).reshape(points, 2, 2)
    new_first = rng.random(points) < 0.5
    # The second pair of a round has the other order.
    first, second = slow[:, 0], slow[:, 1, ::-1]
    base, new = (numpy.stack([one[:, side] for one in (first, second)], axis=1) for side in (0, 1))
    base, new = numpy.where(new_first[:, None], new, base), numpy.where(new_first[:, None], base, new)
    number = numpy.arange(points) // sizes // rounds_a_process
    new = new + change + rng.normal(0, apart, number[-1] + 1)[number][:, None]
    twice = [numpy.repeat(each, 2) for each in (numpy.arange(points) % sizes, numpy.arange(points), number)]
    return Pairs(base.ravel(), new.ravel(), *twice, twice[0] * 1024.0, numpy.zeros(2 * points, bool))


def told(seed, *features):
    rng = numpy.random.default_rng(seed)
    return changes([pairs(rng, **{"noise": "normal", **feature}) for feature in features])


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("apart", [0, 0.003])
def test_intervals_hold_the_truth_whatever_the_machine_does(noise, apart):
    missed = called = 0
    for seed in range(DUELS):
        found = told(seed, *[{"noise": noise, "apart": apart}] * FEATURES)
        missed += sum(not one.low <= 0 <= one.high for one in found)
        called += any(probability < 0.05 for probability in adjusted([one.probability for one in found]))
    assert missed / (DUELS * FEATURES) < 0.09
    assert called <= 5


@pytest.mark.parametrize(("sizes", "rounds"), [(1, 2), (1, 5), (2, 3)])
def test_few_pairs_call_little_by_chance(sizes, rounds):
    few = {"sizes": sizes, "rounds": rounds, "rounds_a_process": 1}
    found = [one for seed in range(DUELS) for one in told(seed, *[few] * FEATURES)]
    assert sum(one.probability < 0.05 for one in found) / len(found) < 0.09


def test_processes_that_differ_are_not_taken_for_a_change():
    found = [one for seed in range(DUELS) for one in told(seed, *[{"apart": 0.02, "rounds_a_process": 1}] * FEATURES)]
    assert sum(one.probability < 0.05 for one in found) / len(found) < 0.09
    # Nor is that all that a process tells: rounds within one repeat far better.
    alike = told(1, *[{"rounds_a_process": 1}] * FEATURES)
    assert max(one.error for one in alike) < min(one.error for one in found)


@pytest.mark.parametrize(("noise", "least"), [("normal", 38), ("heavy tails", 38), ("steps", 36), ("drift", 38)])
def test_one_percent_is_found_beside_what_did_not_change(noise, least):
    hits = 0
    for seed in range(DUELS):
        found = told(seed, {"noise": noise, "change": 0.01}, *[{"noise": noise}] * (FEATURES - 1))
        hits += adjusted([one.probability for one in found])[0] < 0.05 and found[0].value > 0
    assert hits >= least


def test_one_process_a_side_tells_little_unless_all_are_alike():
    alone = pairs(numpy.random.default_rng(3), "normal", rounds=8, rounds_a_process=8, change=0.01)
    (one,), (simulated,) = changes([alone]), changes([replace(alone, processes_are_alike=True)])
    assert one.probability > 20 * simulated.probability and simulated.probability < 0.001


def test_what_a_step_parts_has_no_say():
    rng = numpy.random.default_rng(1)
    quiet = pairs(rng, "normal", change=0.02)
    parted = numpy.arange(len(quiet)) % 7 == 3
    torn = Pairs(quiet.base - 0.4 * parted, *(getattr(quiet, name) for name in
                 ("new", "places", "rounds", "processes", "bytes", "disturbed")))  # fmt: skip
    (before,), (after,) = changes([quiet]), changes([torn])
    assert after.value == pytest.approx(before.value, abs=0.002) and after.error < 1.4 * before.error


def test_values_that_do_not_scatter_are_known_to_their_last_digit():
    still = Pairs(numpy.zeros(8), numpy.full(8, 0.01), *[numpy.arange(8)] * 2, numpy.arange(8) // 2,
                  numpy.full(8, 1024.0), numpy.zeros(8, bool))  # fmt: skip
    (one,) = changes([still])
    assert one.value == pytest.approx(0.01) and 0 < one.error < 2e-4 and math.isfinite(one.probability)


def test_disturbed_visits_are_left_out_where_enough_others_are_there():
    rng = numpy.random.default_rng(2)
    quiet = pairs(rng, "normal")
    disturbed = numpy.arange(len(quiet)) % 3 == 0
    wrong = Pairs(quiet.base, quiet.new + 0.03 * disturbed, *(getattr(quiet, name) for name in
                  ("places", "rounds", "processes", "bytes")), disturbed)  # fmt: skip
    assert changes([wrong])[0].high < 0.01 and len(wrong.undisturbed()) == 40
