"""Levels that come and go, and which level of one run is which of another."""

import copy

import pytest
from sonde_tools.compare import kinds
from sonde_tools.compare.matching import aligned
from sonde_tools.compare.observations import Observation, RunLevel
from synthetic_runs import run, runs
from test_verdicts import accused

KIB, MIB = 1 << 10, 1 << 20


def run_levels(*levels):
    return [
        RunLevel(number, "level" if size else "memory", size, speed)
        for number, (size, speed) in enumerate(levels, start=1)
    ]


def numbers(levels, runs_):
    """The number that each run gives to each level."""
    return [
        tuple(level.of_run[run].number if run in level.of_run else None for run in range(runs_)) for level in levels
    ]


THREE = run_levels((32 * KIB, 40), (2 * MIB, 95), (None, 300))


def test_the_same_levels_are_matched_in_order():
    assert numbers(aligned([THREE, THREE]), 2) == [(1, 1), (2, 2), (3, 3)]


def test_a_level_that_is_gone_shifts_no_other():
    without = run_levels((32 * KIB, 40), (None, 300))
    assert numbers(aligned([THREE, without]), 2) == [(1, 1), (2, None), (3, 2)]


def test_a_level_that_came_shifts_no_other():
    more = run_levels((32 * KIB, 40), (256 * KIB, 60), (2 * MIB, 95), (None, 300))
    assert numbers(aligned([THREE, THREE, more]), 3) == [(1, 1, 1), (None, None, 2), (2, 2, 3), (3, 3, 4)]


def test_a_level_may_double_and_stay_the_same():
    doubled = run_levels((64 * KIB, 40), (2 * MIB, 95), (None, 300))
    assert numbers(aligned([THREE, doubled]), 2) == [(1, 1), (2, 2), (3, 3)]


def test_a_level_is_the_one_whose_size_it_may_have_and_not_the_one_that_is_nearer():
    def told(*levels):
        return [RunLevel(number, "level", size, speed, {"level size": Observation(kinds.LEVEL_SIZE, "bytes", size, *band)})
                for number, (size, band, speed) in enumerate(levels, start=1)]  # fmt: skip

    one = told((720 * KIB, (600 * KIB, 1400 * KIB), 3.4))
    two = told((480 * KIB, (450 * KIB, 510 * KIB), 3.4), (1300 * KIB, (700 * KIB, 1500 * KIB), 3.5))
    assert numbers(aligned([one, two]), 2) == [(None, 1), (1, 2)]


def test_no_run_has_to_have_any_level():
    assert numbers(aligned([[], THREE, []]), 3) == [(None, 1, None), (None, 2, None), (None, 3, None)]
    assert aligned([[], []]) == []


def test_a_level_that_is_gone_has_changed_once(verdicts):
    found, _ = verdicts(runs(5), runs(5, first=101, without=["level 2"]))
    assert accused(found) == {"level 2"}
    assert (found["level 2"]["base"], found["level 2"]["new"]) == ("there", "not there")
    assert "level 2 latency" not in found and found["memory latency"]["verdict"] == "same"


def test_a_level_that_came_is_named_by_its_size(verdicts):
    found, _ = verdicts(runs(5, without=["level 1"]), runs(5, first=101))
    assert accused(found) == {"level of 16 KiB"}
    assert found["level 1 size"]["base"]["value"] > 100_000  # BASE's numbers are kept


def test_one_run_of_five_that_misses_a_level_is_no_change(verdicts):
    found, _ = verdicts(runs(5), [*runs(4, first=101), run(105, without=["level 2"])])
    assert not accused(found) and found["level 2 latency"]["verdict"] == "same"


def untold(lines, name="level 2"):
    """A run whose curves have a level that it does not tell."""
    return [one for one in lines if one.get("name") != name]


@pytest.mark.parametrize("type_", ["cpu", "model"])
def test_a_level_that_one_side_only_does_not_tell_has_not_gone(verdicts, type_):
    found, _ = verdicts([run(1, type_=type_)], [untold(run(2, type_=type_))])
    assert not accused(found) and found["level 2"]["verdict"] == "same"
    assert (found["level 2"]["base"], found["level 2"]["new"]) == ("there", "not there")


def test_a_level_that_is_told_as_two_is_one(verdicts):
    def told_as_two(lines):
        for one in [one for one in lines if one.get("name") == "level 2"]:
            half = copy.deepcopy(one)
            half["bytes"] = {key: value / 2 for key, value in half["bytes"].items()}
            lines.insert(lines.index(one), half)
        for probe in ("latency", "bandwidth"):
            levels = [one for one in lines if one["record"] == "level" and one["probe"] == probe]
            for number, one in enumerate(levels, start=1):
                one["level"] = one["matches"] = number
        return lines

    found, status = verdicts([run(1)], [told_as_two(run(2))])
    assert not accused(found) and status == 0
    assert found["level 2 size"]["new"]["value"] == pytest.approx(163840, rel=0.03)


def test_one_run_tells_that_a_level_has_gone(verdicts):
    found, _ = verdicts([run(1)], [run(2, without=["level 2"])])
    assert accused(found) == {"level 2"} and "the curve reads" in found["level 2"]["why"]


def test_a_level_of_one_point_that_one_run_lacks_is_judged(verdicts):
    def with_one_point(lines):
        own = [one for one in lines if one["record"] == "sample" and 30_000 < one["x"].get("bytes", 0) < 160_000]
        return [one for one in lines if one not in own[1:]]

    found, _ = verdicts([with_one_point(run(1))], [with_one_point(run(2, without=["level 2"]))])
    assert "single visit" not in found["level 2"].get("why", "")


def test_half_the_runs_with_a_level_cannot_tell(verdicts):
    half = [*runs(2, first=101), *runs(3, first=104, without=["level 2"])]
    found, _ = verdicts(runs(5), half)
    assert not accused(found) and found["level 2"]["verdict"] == "cannot-tell"


def test_a_level_beyond_what_the_other_side_swept_has_not_gone(verdicts):
    def swept_less(seed):
        lines = run(seed)
        level, memory = (
            next(one for one in lines if one.get("name") == name and one["probe"] == "latency")
            for name in ("level 2", "memory")
        )
        lines.remove(memory)
        level |= {"name": "beyond", "bytes": None}
        return [one for one in lines if one["record"] != "sample" or one["x"]["bytes"] < 150_000]

    found, status = verdicts([run(1)], [swept_less(2)])
    assert not accused(found) and status == 0
    assert (
        found["level 2"]["verdict"] in ("same", "cannot-tell") and found["memory latency"]["verdict"] == "only-in-base"
    )
    assert found["beyond latency"]["verdict"] == "only-in-new"
    assert found["level 1 latency"]["verdict"] in ("same", "cannot-tell")


def test_last_levels_of_one_latency_are_one_whatever_they_are_called(verdicts):
    new = run(2)
    next(one for one in new if one.get("name") == "memory" and one["probe"] == "latency")["name"] = "beyond"
    found, _ = verdicts([run(1)], [new])
    assert found["memory latency"]["verdict"] == "same" and "beyond latency" not in found


def test_one_run_tells_that_a_level_has_come(verdicts):
    found, _ = verdicts([run(1, without=["level 2"])], [run(2)])
    assert "level of 160 KiB" in accused(found)


def test_a_level_is_told_from_one_run_of_a_cpu(verdicts):
    found, _ = verdicts([run(1, type_="cpu")], [run(101, type_="cpu", level_2_latency=3)])
    assert found["level 2 latency"]["verdict"] == "slower"
