"""A simulated GPU answers the same on Windows and Linux."""

import pytest
from record_checks import assert_same_numbers

MODELS = ["h200", "rtx-4090", "rx-7900-xtx", "strix-halo"]
WORDS = ("--sizes", "16K:256K", "--time", "8", "--seed", "11", "--silence-limit", "300", "--no-progress")
PROBES = ("--probe", "latency,bandwidth,copy")


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_numbers_on_both(sonde, native_sonde, valid, model):
    for one, name in ((sonde, "windows.jsonl"), (native_sonde, "linux.jsonl")):
        done = one("run", "--device", f"model:{model}", *WORDS, *PROBES, "-o", name)
        assert done.status == 0, done.err
    windows, linux = sonde.records("windows.jsonl"), sonde.records("linux.jsonl")
    valid(windows)
    assert_same_numbers(windows, linux, more_samples_than=100)
