"""A simulated GPU answers the same on Windows and Linux."""

import pytest
from program_runs import of_kind

MODELS = ["h200", "rtx-4090", "rx-7900-xtx", "strix-halo"]
WORDS = ("--sizes", "16K:256K", "--effort", "quick", "--seed", "11", "--silence-limit", "300", "--no-progress")
PROBES = ("--probe", "latency,bandwidth,copy")
SAMPLE = ("device", "api", "probe", "series", "x", "unit", "values")
LEVEL = ("probe", "series", "level", "name", "bytes", "transition", "latency_ns", "bandwidth")
# Records have six digits. Both find the same by the same arithmetic, but for the last places of the C library.
ROUNDING = 2e-5


def fields(records, kind, names):
    return [tuple(one.get(name) for name in names) for one in of_kind(records, kind)]


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_numbers_on_both(sonde, native_sonde, valid, model):
    for one, name in ((sonde, "windows.jsonl"), (native_sonde, "linux.jsonl")):
        done = one("run", "--device", f"model:{model}", *WORDS, *PROBES, "-o", name)
        assert done.status == 0, done.err
    windows, linux = sonde.records("windows.jsonl"), sonde.records("linux.jsonl")
    valid(windows)
    samples = fields(windows, "sample", SAMPLE)
    assert len(samples) > 100
    assert samples == fields(linux, "sample", SAMPLE)
    found, wanted = fields(windows, "level", LEVEL), fields(linux, "level", LEVEL)
    assert len(found) == len(wanted) > 3
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine[:4] == theirs[:4]
        for one, other in zip(mine[4:], theirs[4:], strict=True):
            assert one == (pytest.approx(other, rel=ROUNDING) if other else other)
    counts = ("status", "samples", "skips", "errors")
    assert fields(windows, "end", counts) == fields(linux, "end", counts)
