"""What is compared is what a file declares of its findings; files of older versions are compared as they were."""

import synthetic
from sonde_tools.compare import causes, kinds
from sonde_tools.declarations import Declarations, read
from synthetic_runs import run
from test_verdicts import accused

# Said of how something was measured, or of two features that are compared themselves.
NOT_COMPARED_IN_OLD_FILES = [("latency", "translation"), ("bandwidth", "saturated-by"), ("hit-rate", "none-seen")]


def declared(better="lower", probe="added-later", **changes):
    named = {"finding": "added", "named_by": ["path"], "feature": "walks", "compared": "ratio", "per_clock": 0}
    return synthetic.finding_kind_record(better=better, probe=probe, **(named | changes))


def with_finding(seed, value, *kinds_):
    place = {"device": "model:compared", "api": "opencl", "probe": "added-later", "series": {"path": "scalar"}}
    found = {
        "record": "finding",
        **place,
        "finding": "added",
        "value": value + seed / 1e5,
        "unit": "ns",
        "evidence": "A test.",
    }
    lines = run(seed)
    return [*lines[:2], *kinds_, *lines[2:-1], found, lines[-1]]


def test_a_kind_that_a_later_version_declares_is_compared(verdicts):
    sides = [
        [with_finding(seed, value, declared()) for seed in range(first, first + 5)]
        for first, value in ((1, 10), (11, 12))
    ]
    found, status = verdicts(*sides)
    assert found["walks scalar"]["verdict"] == "slower" and accused(found) == {"walks scalar"} and status == 1


def test_which_way_is_better_is_what_the_file_says(verdicts):
    sides = [[with_finding(seed, value, declared(better="higher")) for seed in range(first, first + 5)]
             for first, value in ((1, 10), (11, 12))]  # fmt: skip
    found, status = verdicts(*sides)
    assert found["walks scalar"]["verdict"] == "faster" and status == 0


def test_what_nobody_declares_is_not_compared(verdicts):
    found, _ = verdicts([with_finding(1, 10)], [with_finding(2, 20)])
    assert not any("scalar" in name for name in found)


def test_findings_of_older_files_are_compared_as_they_were():
    old = Declarations()
    assert not any(kinds.of_finding(old.finding_kind(*place)) for place in NOT_COMPARED_IN_OLD_FILES)
    rate = kinds.of_finding(old.finding_kind("compute", "peak"))
    assert (rate.name, rate.better, rate.named_by, rate.per_clock) == (
        "arithmetic rate",
        "higher",
        ("type", "operation"),
        -1,
    )
    assert kinds.of_finding(old.finding_kind("contention", "cpu-loss")).compared_by == kinds.SHARE
    for probe, first in kinds.OF_EACH_LEVEL.items():
        assert kinds.of_finding(old.finding_kind(probe, "idle-latency")).name == first


def test_a_declaration_stands_before_what_older_files_mean():
    file = read([], [declared(feature="copying", probe="copy", finding="latency")])
    assert kinds.of_finding(file.finding_kind("copy", "latency")).name == "copying"


def test_causes_are_features_that_there_are():
    old = Declarations()
    words = ("latency", "bandwidth", "engines", "idle-latency", "full-load-latency", "one-core-load-latency", "cpu-loss",
             "effective-capacity", "zero-copy", "across-the-bus")  # fmt: skip
    probes = ("copy", "contention", "loaded-latency", "hit-rate", "zero-copy", "host-memory")
    found = {old.finding_kind(probe, word).feature for probe in probes for word in words}
    of_levels = {
        kind.name for kind in (kinds.LEVEL_SIZE, kinds.LEVEL_LATENCY, kinds.LEVEL_BANDWIDTH, kinds.PATH_LATENCY)
    }
    named = set(causes._CAUSES) | {cause for each in causes._CAUSES.values() for cause in each} | set(causes._AT_LEVEL)
    assert named <= found | of_levels
