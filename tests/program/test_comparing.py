"""`sonde compare` on runs of this program: simulated devices, alike and with one thing changed."""

import json

import pytest

LEVELS = [
    {"name": "L1", "bytes": 16384, "ways": 8, "latency_ns": 40},
    {"name": "L2", "bytes": 65536, "latency_ns": 110},
    {"name": "DRAM", "latency_ns": 290},
]
NOISE = {"relative": 0.01, "outlier_share": 0.01, "outlier_factor": 3}


@pytest.fixture
def compare(sonde, drawn_by_python):
    """`sonde compare` with words: how it ended, and what its JSON says of the features."""
    environment = drawn_by_python("compare", "jinja2", "msgspec", "polars", "scipy", "vl_convert")

    def run(*words):
        done = sonde("compare", *words, "--format", "json", env=environment)
        features = json.loads(done.out)["features"] if done.out else []
        return done, {one["feature"]: one for one in features}

    return run


@pytest.fixture
def measured(sonde, model_file):
    """Measures the latencies of a model, changed as asked, and returns the record file's name."""

    def run(name, seed, **changed):
        device = model_file("device.json", **({"levels": LEVELS, "noise": NOISE} | changed))
        words = ("--probe", "latency", "--sizes", "2K:512K", "--time", "5", "--seed", str(seed), "-o", name)
        done = sonde("run", "--device", device, *words)
        assert done.status == 0, done.err
        return name

    return run


def test_two_runs_alike_show_no_change(compare, measured):
    done, found = compare(measured("a.jsonl", 1), measured("b.jsonl", 2))
    assert done.status == 0, done.err
    assert {one["verdict"] for one in found.values()} <= {"same", "cannot-tell"}
    assert {"level 1 size", "level 2 latency", "memory latency", "first-cache latency scalar"} <= found.keys()


def test_a_level_that_is_a_tenth_slower_is_found_and_is_the_exit_status(compare, measured):
    slower = [LEVELS[0], {**LEVELS[1], "latency_ns": 121}, LEVELS[2]]
    done, found = compare(measured("a.jsonl", 1), measured("b.jsonl", 2, levels=slower))
    assert done.status == 1, done.err
    assert [name for name, one in found.items() if one["verdict"] == "slower"] == ["level 2 latency"]
    assert found["level 2 latency"]["change_percent"]["value"] == pytest.approx(10, abs=2)


def test_a_level_that_is_gone_has_changed(compare, measured):
    done, found = compare(measured("a.jsonl", 1), measured("b.jsonl", 2, levels=[LEVELS[0], LEVELS[2]]))
    assert done.status == 0, done.err
    assert [name for name, one in found.items() if one["verdict"] == "changed"] == ["level 2"]


def test_a_file_that_is_not_there_is_said(compare, measured):
    done, _ = compare(measured("a.jsonl", 1), "nowhere.jsonl")
    assert (done.status, done.out) == (2, "")
    assert "nowhere.jsonl" in done.err
