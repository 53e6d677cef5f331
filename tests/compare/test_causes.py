"""What follows from another feature counts once: a clock that changed, another view of the same level."""

import pytest
from synthetic_runs import run, runs
from test_verdicts import accused

SLOW = {"level_1_latency": 1 / 0.9, "level_2_latency": 1 / 0.9, "level_1_bandwidth": 0.9, "level_2_bandwidth": 0.9}


@pytest.mark.parametrize("count", [1, 5])
def test_a_slower_clock_is_what_got_slower(verdicts, count):
    found, status = verdicts(runs(count, clock_mhz=2000), runs(count, first=101, clock_mhz=1800, **SLOW))
    assert accused(found) == {"core clock"} and status == 1
    for name in ("level 1 latency", "level 2 latency", "level 1 bandwidth"):
        assert found[name]["verdict"] == "slower" and found[name]["follows"] == "core clock"
        assert found[name]["why"].startswith("a clock change: in cycles")
    assert found["memory latency"]["verdict"] == "same"


def test_what_is_slower_in_cycles_too_does_not_follow_from_the_clock(verdicts):
    slow = SLOW | {"level_2_latency": 1.3}
    found, _ = verdicts(runs(5, clock_mhz=2000), runs(5, first=101, clock_mhz=1800, **slow))
    assert accused(found) == {"core clock", "level 2 latency"}


def test_without_a_recorded_clock_nothing_is_said_of_one(verdicts):
    found, _ = verdicts(runs(5), runs(5, first=101, **SLOW))
    assert accused(found) == {"level 1 latency", "level 2 latency", "level 1 bandwidth", "level 2 bandwidth"}


def test_a_load_beside_nothing_follows_from_its_level(verdicts):
    def with_load(seed, factor):
        lines = run(seed, level_2_latency=factor)
        for word, ns in (("idle-latency", 110 * factor), ("full-load-latency", 220 * factor)):
            lines.insert(-1, {"record": "finding", "device": "model:compared", "api": "opencl", "probe": "loaded-latency",
                              "series": {}, "finding": word, "value": ns + seed / 1000, "unit": "ns", "evidence": "A test."})  # fmt: skip
        return lines

    found, _ = verdicts([with_load(seed, 1) for seed in range(5)], [with_load(seed, 1.05) for seed in range(10, 15)])
    assert accused(found) == {"level 2 latency"}
    assert found["level 2 latency without load"]["follows"] == "level 2 latency"
    assert found["level 2 latency under full load"]["follows"] == "level 2 latency"


def test_a_load_does_not_follow_from_another_level(verdicts):
    def with_load(seed, factor):
        lines = run(seed, level_1_latency=factor)
        lines.insert(-1, {"record": "finding", "device": "model:compared", "api": "opencl", "probe": "loaded-latency",
                          "series": {}, "finding": "idle-latency", "value": 110 * factor + seed / 1000, "unit": "ns", "evidence": "A test."})  # fmt: skip
        return lines

    found, _ = verdicts([with_load(seed, 1) for seed in range(5)], [with_load(seed, 1.05) for seed in range(10, 15)])
    assert accused(found) == {"level 1 latency", "level 2 latency without load"}
