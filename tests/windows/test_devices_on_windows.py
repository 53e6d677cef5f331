"""The CPU through both APIs, and by the system's own means. Wine hands both on to the drivers of the system below it."""

import json

import pytest
from program_runs import of_kind

SHORT = ("--sizes", "4K:64K", "--time", "8", "--no-progress", "--silence-limit", "300")


def measured(sonde, *words):
    """The records of a run that ended well."""
    done = sonde("run", "--device", "cpu", *words, "-o", "run.jsonl")
    assert done.status == 0, done.err
    return sonde.records()


def test_the_cpu_is_listed_through_both_apis(sonde):
    done = sonde("list", "--json")
    assert done.status == 0, done.err
    (cpu,) = [device for device in json.loads(done.out) if device["type"] == "cpu"]
    assert cpu["opencl"]["driver"] == "PoCL"
    assert cpu["vulkan"]["driver"] == "llvmpipe"


@pytest.mark.parametrize("api", ["opencl", "vulkan"])
@pytest.mark.parametrize("probe", ["latency", "bandwidth", "zero-copy", "copy"])
def test_a_probe_measures_the_cpu_to_its_end(sonde, valid, api, probe):
    records = measured(sonde, "--api", api, "--probe", probe, *SHORT)
    valid(records)
    assert records[-1]["status"] == "complete"
    assert {sample["api"] for sample in of_kind(records, "sample")} == {api}
    assert not of_kind(records, "error")
    if probe == "latency":  # where it was disturbed all the time, levels are a skip
        assert of_kind(records, "level") or any("levels" in skip["reason"] for skip in of_kind(records, "skip"))


@pytest.mark.parametrize("probe", ["cpu-latency", "core-to-core"])
def test_the_cpu_itself_is_measured_without_what_windows_does_not_tell(sonde, valid, probe):
    records = measured(sonde, "--probe", probe, *SHORT)
    valid(records)
    assert records[-1]["status"] == "complete"
    samples = of_kind(records, "sample")
    assert samples and {sample["api"] for sample in samples} == {"cpu"}
    assert all(sample["state"].get("cpu_clock_mhz") is None for sample in samples)
    assert all(skip["reason"] for skip in of_kind(records, "skip"))


def test_counters_that_linux_alone_has_are_not_read_although_wine_shows_its_files(sonde):
    done = sonde("watch", "--seconds", "1")
    assert done.status == 2
    assert "Linux" in done.err
