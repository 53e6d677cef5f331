"""Each verdict on runs whose answer is known: five a side and one a side, alike and with one thing changed."""

import pytest
from synthetic_runs import run, runs

WORDS_OF_A_CHANGE = ("slower", "faster", "changed")


def accused(found):
    """Features said to have changed, but for those that follow from others."""
    return {name for name, one in found.items() if one["verdict"] in WORDS_OF_A_CHANGE and one["follows"] is None}


@pytest.mark.parametrize("count", [1, 5])
def test_alike_runs_show_no_change(verdicts, count):
    found, status = verdicts(runs(count, noise=0.001), runs(count, first=101, noise=0.001))
    assert not accused(found) and status == 0
    assert {one["verdict"] for one in found.values()} <= {"same", "cannot-tell"}
    # The curves tell levels sharply, from a single run on; an interval of 3 % to either side does so from five runs on.
    sharp = [one for name, one in found.items() if count == 5 or name.endswith((" latency", " bandwidth"))]
    assert {one["verdict"] for one in sharp} == {"same"} and all(one["would_see_percent"] < 3.5 for one in sharp)
    assert all(one["would_see_percent"] < 12 for name, one in found.items() if name != "CPU loss")


def test_every_level_and_finding_is_a_feature(verdicts):
    found, _ = verdicts(runs(1), runs(1, first=2))
    assert found.keys() == {
        "level 1 size", "level 1 latency", "level 2 size", "level 2 latency", "memory latency",
        "level 1 bandwidth", "level 2 bandwidth", "memory bandwidth",
        "copy bandwidth driver pinned to-device", "copy bandwidth driver pinned to-host",
        "zero-copy svm-fine to-host", "zero-copy svm-coarse to-host", "CPU loss", "arithmetic rate fp32 fma",
    }  # fmt: skip
    assert found["level 2 size"]["unit"] == "bytes" and found["memory bandwidth"]["unit"] == "GB/s"


CHANGES = [
    ("level 2 latency", {"level_2_latency": 1.03}, "slower"),
    ("level 2 latency", {"level_2_latency": 0.97}, "faster"),
    ("level 2 size", {"level_2_size": 0.95}, "slower"),
    ("level 2 size", {"level_2_size": 1.05}, "faster"),
    ("memory bandwidth", {"memory_bandwidth": 0.97}, "slower"),
    ("copy bandwidth driver pinned to-host", {"copy_bandwidth_to_host": 1.03}, "faster"),
    ("CPU loss", {"cpu_loss": 0.05}, "slower"),
    ("arithmetic rate fp32 fma", {"arithmetic_rate": 0.95}, "slower"),
]


@pytest.mark.parametrize(("feature", "factor", "verdict"), CHANGES)
def test_five_runs_find_what_changed_by_three_to_five_percent_and_accuse_nothing_else(
    verdicts, feature, factor, verdict
):
    found, status = verdicts(runs(5), runs(5, first=101, **factor))
    assert accused(found) == {feature}
    assert found[feature]["verdict"] == verdict
    assert status == (1 if verdict == "slower" else 0)
    change = found[feature]["change_percent"]
    assert change["low"] < change["value"] < change["high"] and change["low"] * change["high"] > 0


@pytest.mark.parametrize("percent", [3, 10])
def test_one_run_finds_what_its_visits_can_tell(verdicts, percent):
    found, status = verdicts([run(1)], [run(2, level_2_latency=1 + percent / 100)])
    assert accused(found) == {"level 2 latency"} and status == 1
    assert found["level 2 latency"]["change_percent"]["value"] == pytest.approx(percent, abs=1.5)


def test_what_a_run_says_that_another_may_read_is_no_change(verdicts):
    found, status = verdicts([run(1, noise=0)], [run(2, noise=0, copy_bandwidth_to_host=0.97)])
    one = found["copy bandwidth driver pinned to-host"]
    assert one["verdict"] == "cannot-tell" and status == 0
    assert one["would_see_percent"] > 3 and "five runs a side" in one["why"]


def test_a_level_without_points_has_the_scatter_of_its_interval(verdicts):
    def by_interval(lines):
        return [one for one in lines if one["record"] != "sample" or one["probe"] != "latency"]

    sure, unsure = run(1, noise=0), run(2, noise=0, level_2_latency=1.1)
    assert "level 2 latency" in accused(verdicts([sure], [unsure])[0])
    level = next(one for one in unsure if one["record"] == "level" and one["level"] == 2)
    level["latency_ns"] |= {"low": 100.0, "high": 146.0}
    found, _ = verdicts([by_interval(sure)], [by_interval(unsure)], name="by interval")
    assert found["level 2 latency"]["verdict"] == "cannot-tell"
    assert found["level 1 latency"]["would_see_percent"] < found["level 2 latency"]["would_see_percent"]


def test_one_bad_run_in_five_has_no_say(verdicts):
    bad = run(105, level_1_latency=3, level_2_latency=0.5, memory_bandwidth=0.3, words={"svm-fine": "copies"})
    found, status = verdicts(runs(5), [*runs(4, first=101), bad])
    assert not accused(found) and status == 0
    assert found["zero-copy svm-fine to-host"]["verdict"] == "same"


def test_one_bad_run_hides_no_change(verdicts, compare):
    bad = run(105, level_2_latency=0.6)
    found, _ = verdicts(runs(5), [*runs(4, first=101, level_2_latency=1.05), bad])
    assert accused(found) == {"level 2 latency"}


def test_the_threshold_is_what_counts_as_a_change(verdicts, compare, tmp_path):
    found, _ = verdicts(runs(5), runs(5, first=101, level_2_latency=1.05))
    assert found["level 2 latency"]["verdict"] == "slower"
    _, again, _ = compare(str(tmp_path / "base"), str(tmp_path / "new"), "--threshold", "8")
    assert next(one for one in again["features"] if one["feature"] == "level 2 latency")["verdict"] == "same"


def test_a_kind_of_memory_that_now_copies_has_changed(verdicts):
    found, status = verdicts(runs(5), runs(5, first=101, words={"svm-coarse": "copies"}))
    assert accused(found) == {"zero-copy svm-coarse to-host"} and status == 0
    one = found["zero-copy svm-coarse to-host"]
    assert (one["base"], one["new"], one["change_percent"]) == ("zero-copy", "copies", None)


@pytest.mark.parametrize("count", [1, 5])
def test_not_knowing_is_no_change(verdicts, count):
    found, _ = verdicts(runs(count), runs(count, first=101, words={"svm-coarse": "unclear"}))
    assert found["zero-copy svm-coarse to-host"]["verdict"] == "cannot-tell"


def test_runs_that_do_not_agree_on_a_word_are_no_change(verdicts):
    mixed = [*runs(3, first=101, words={"svm-coarse": "copies"}), *runs(2, first=104)]
    found, _ = verdicts(runs(5), mixed)
    one = found["zero-copy svm-coarse to-host"]
    assert one["verdict"] == "cannot-tell" and one["new"] == "3 copies, 2 zero-copy"


def test_what_only_one_side_measured_is_said(verdicts):
    found, status = verdicts(runs(2, words={"use-host-ptr": "zero-copy"}), runs(2, first=101))
    one = found["zero-copy use-host-ptr to-host"]
    assert (one["verdict"], one["new"], status) == ("only-in-base", None, 0)


def test_scattered_runs_cannot_be_told_apart(verdicts):
    found, _ = verdicts(runs(5, noise=0.1), runs(5, first=101, noise=0.1))
    assert not accused(found)
    assert "cannot-tell" in {one["verdict"] for one in found.values()}


def test_disturbed_runs_are_left_out_and_said_to_be(verdicts):
    worse = [run(seed, disturbed=("latency",), level_1_latency=1.4) for seed in (104, 105)]
    found, _ = verdicts(runs(5), [*runs(3, first=101), *worse])
    assert found["level 1 latency"]["verdict"] == "same"
    assert "2 of 5 runs of NEW disturbed by other programs, left out" in found["level 1 latency"]["why"]
    assert "disturbed" not in found["memory bandwidth"]["why"]


def test_a_disturbed_run_alone_tells_nothing(verdicts):
    found, status = verdicts([run(1)], [run(2, disturbed=("latency",), level_1_latency=1.4)])
    one = found["level 1 latency"]
    assert (one["verdict"], one["would_see_percent"], status) == ("cannot-tell", None, 0)
    assert "another run a side" in one["why"]


def test_a_single_visit_beside_others_calls_nothing_and_two_runs_do(verdicts):
    changed = {"words": {"svm-coarse": "copies"}, "disturbed": ("bandwidth",), "copy_bandwidth_to_host": 0.5}
    found, status = verdicts([run(1)], [run(2, **changed)])
    assert not accused(found) and status == 0
    found, _ = verdicts(runs(3), runs(3, first=101, **changed), name="of three")
    assert accused(found) == {"copy bandwidth driver pinned to-host", "zero-copy svm-coarse to-host"}
