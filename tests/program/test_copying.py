"""Copies from end to end: what a model's file says comes back, and what a device cannot do is a skip with its reason."""

import re

import pytest
from program_runs import of_kind

MODEL = {"to_device_gbps": 30, "to_host_gbps": 20, "latency_us": 5, "engines": 2}


def copies(sonde, device, *words):
    words = ("--device", device, "--probe", "copy", *words, "-o", "copy.jsonl")
    done = sonde.with_time_enough(*words, seconds=4)
    return done, sonde.records("copy.jsonl")


def found(records, name, **series):
    (value,) = [
        one["value"] for one in of_kind(records, "finding", finding=name) if series.items() <= one["series"].items()
    ]
    return value


def test_a_model_gives_back_its_copies(sonde, valid, model_file):
    done, records = copies(sonde, model_file(copy=MODEL, noise=None), "--sizes", "4K:4M")
    assert done.status == 0, done.err
    valid(records)
    for host in ("pageable", "pinned"):
        there = {"engine": "driver", "host": host, "direction": "to-device"}
        back = {**there, "direction": "to-host"}
        assert found(records, "bandwidth", **there) == pytest.approx(30, rel=0.01)
        assert found(records, "bandwidth", **back) == pytest.approx(20, rel=0.01)
        assert found(records, "latency", **there) == pytest.approx(5, rel=0.02)
        assert found(records, "latency", **back) == pytest.approx(5, rel=0.02)
    assert found(records, "engines") == 2
    tables = sonde("show", "copy.jsonl", "-v").out
    assert "Simulated copy" in tables
    assert re.search(r"driver, pageable, to-device +\S+ ± \S+ +(29\.[789]|30\.[0123]) ", tables)


def test_the_same_seed_gives_the_same_copies(sonde, model_file):
    device = model_file(copy=MODEL)
    values = []
    for _ in range(2):
        done = sonde("run", "--device", device, "--probe", "copy", "--sizes", "4K:64K", "--time", "1", "-o", "x.jsonl")
        assert done.status == 0, done.err
        values.append([sample["values"] for sample in of_kind(sonde.records("x.jsonl"), "sample")])
        (sonde.folder / "x.jsonl").unlink()
    assert values[0] == values[1]


def test_a_model_without_copies_skips_them(sonde, model_file):
    done, records = copies(sonde, model_file(copy=None), "--sizes", "4K:64K")
    assert done.status in (0, 1), done.err
    reasons = {skip["reason"] for skip in of_kind(records, "skip")}
    assert any("copy.to_device_gbps" in reason for reason in reasons)
    assert not of_kind(records, "error")


@pytest.mark.parametrize("api", ["opencl", "vulkan"])
def test_the_cpu_copies_what_it_can_and_says_why_not_the_rest(request, sonde, valid, api):
    request.getfixturevalue(f"{api}_cpu")
    done, records = copies(sonde, "cpu", "--api", api, "--sizes", "4K:64K")
    assert done.status == 0, done.err
    valid(records)
    samples = of_kind(records, "sample")
    ways = {(sample["series"]["engine"], sample["series"]["direction"]) for sample in samples}
    assert ways >= {("driver", "to-device"), ("driver", "to-host"), ("driver", "within"), ("compute-shader", "to-host")}
    assert {sample["unit"] for sample in samples} <= {"GB/s", "ratio"}
    assert {sample["series"].get("host") for sample in samples} >= {"pinned", "map-memcpy"}
    skipped = {skip["series"].get("engine"): skip["reason"] for skip in of_kind(records, "skip")}
    assert len(skipped["transfer"]) > 20
    assert not of_kind(records, "error")
    tables = sonde("show", "copy.jsonl", "-v").out
    assert "Copies" in done.out and "Copy through" in tables and "Bandwidth of a copy," in tables
