"""Two files of a duel: compared by their pairs, whatever the sides are called and whatever one of them lacks."""

import pytest
import synthetic
import synthetic_duels
import synthetic_runs

WORDS_OF_A_CHANGE = ("slower", "faster", "changed")


@pytest.fixture
def duelled(compare, tmp_path):
    """Compares a duel's records: each feature's JSON object by name, the whole object, and the exit status."""

    def run(sides, *words):
        names = []
        for name, records in zip(synthetic_duels.SIDES, sides, strict=True):
            names.append(str(tmp_path / f"duel-{name}.jsonl"))
            synthetic.write(tmp_path / f"duel-{name}.jsonl", records)
        status, found, _ = compare(*names, *words)
        return {one["feature"]: one for one in found["features"]}, found, status

    return run


def accused(found):
    return {name: one["verdict"] for name, one in found.items() if one["verdict"] in WORDS_OF_A_CHANGE}


def renamed(records, **names):
    """Records with other words in the fields that are named, where they have any."""
    return [{**one, **{field: word for field, word in names.items() if field in one}} for one in records]


def test_a_level_that_is_two_percent_slower_is_found_and_nothing_else(duelled):
    found, _, status = duelled(synthetic_duels.duel(1, level_2_latency=1.02))
    assert accused(found) == {"level 2 latency": "slower"} and status == 1
    one = found["level 2 latency"]
    assert one["change_percent"]["low"] < 2 < one["change_percent"]["high"]
    assert one["new"]["value"] / one["base"]["value"] == pytest.approx(1 + one["change_percent"]["value"] / 100)
    assert "pairs in 4 processes a side" in one["why"]


def test_the_sides_may_stand_the_other_way_round(duelled):
    found, _, status = duelled(synthetic_duels.duel(1, level_2_latency=1.05)[::-1])
    assert accused(found) == {"level 2 latency": "faster"} and status == 0


def test_what_the_machine_does_meanwhile_is_no_change(duelled):
    def machine(t, rng):
        return 0.3 * (t // 50 % 2) + 0.0002 * t

    found, _, status = duelled(synthetic_duels.duel(2, machine=machine))
    assert not accused(found) and status == 0
    told = [one for name, one in found.items() if not name.endswith("size")]
    assert all(one["would_see_percent"] < 1.5 for one in told)


def test_devices_and_apis_that_are_one_a_side_are_compared(duelled):
    base, new = synthetic_duels.duel(3, level_2_latency=1.05)
    found, whole, _ = duelled((base, renamed(new, device="gpu-2", api="vulkan")))
    assert accused(found) == {"level 2 latency": "slower"}
    assert {"what": "API", "base": "OpenCL", "new": "Vulkan"} in whole["differs"]
    assert {"what": "device", "base": synthetic_runs.DEVICE, "new": "gpu-2"} in whole["differs"]


def test_points_at_which_one_side_fails_are_a_verdict_with_the_reason(duelled):
    why = "The worker ended by signal 11."
    found, _, status = duelled(synthetic_duels.duel(4, lacks=[("new", "bandwidth", 1 << 20, why)]))
    one = found["bandwidth at 1 MiB to 1.41 MiB"]
    assert (one["verdict"], one["why"], one["base"], one["new"]) == ("only-in-base", f"NEW: {why}", "2 points", None)
    assert not accused(found) and found["memory bandwidth"]["verdict"] in ("same", "cannot-tell") and status == 0


def test_a_side_that_fails_altogether_is_compared_too(duelled):
    why = "The driver ended by signal 6 while it was opened."
    base, new = synthetic_duels.duel(5)
    error = {"record": "error", "device": synthetic_runs.DEVICE, "api": "opencl", "reason": why}
    found, _, status = duelled((base, [new[0], error, {**new[-1], "status": "failed"}]))
    assert {one["verdict"] for one in found.values()} == {"only-in-base"} and status == 0
    assert {one["why"] for one in found.values()} == {f"NEW: {why}"}
    assert {"latency", "bandwidth", "level 1 latency"} <= found.keys()


def test_points_without_a_partner_had_no_time(duelled):
    base, new = synthetic_duels.duel(6)
    found, _, _ = duelled((base, [one for one in new if one.get("x", {}).get("bytes", 0) < 1 << 20]))
    assert not accused(found) and not [one for one in found.values() if one["verdict"].startswith("only")]


def test_one_side_of_each_of_two_duels_is_two_runs(duelled):
    found, whole, _ = duelled((synthetic_duels.duel(7)[0], synthetic_duels.duel(8)[1]))
    assert whole["threshold_percent"] == 2
    assert not any("pairs" in one["why"] for one in found.values())
