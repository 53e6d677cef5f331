"""`sonde run --counters`: what moves at the fabric and at memory beside each point, and what is said where nothing counts."""

import json
import statistics
from pathlib import Path

import pytest
from program_runs import of_kind

MIB = 1 << 20
SMALL = ("--sizes", "4K:4K")
# A cache of the GPU, one before memory, and memory.
LEVELS = [
    {"bytes": 131072, "line": 64, "ways": 16, "latency_ns": 40, "read_gbps": 900, "write_gbps": 800},
    {
        "bytes": 2 * MIB,
        "line": 64,
        "ways": 16,
        "memory_side": True,
        "latency_ns": 120,
        "read_gbps": 400,
        "write_gbps": 400,
    },
    {"latency_ns": 300, "read_gbps": 100, "write_gbps": 100},
]


def counted(sonde, *words, seconds=2):
    done = sonde("run", *words, "--time", str(seconds), "-v", "-o", "run.jsonl", "--no-progress")
    return done, of_kind(sonde.records(), "counter")


def point_of(record):
    return record["probe"], json.dumps(record["series"], sort_keys=True), json.dumps(record["x"], sort_keys=True)


def streams(counters):
    """Pairs of a size and a counter record of the buffers' streams."""
    return [(one["x"]["bytes"], one) for one in counters if one["series"]["path"] == "buffer" and "bytes" in one["x"]]


def test_bytes_for_each_byte_tell_which_level_served(sonde, valid, model_file):
    device = model_file(levels=LEVELS, copy={"to_device_gbps": 20, "to_host_gbps": 10})
    sizes = ("--sizes", "64K:16M")
    done, counters = counted(sonde, "--counters", "--device", device, "--probe", "bandwidth,copy", *sizes)
    assert done.status == 0, done.err
    valid(sonde.records())
    assert {one["source"] for one in counters} == {"model"}
    assert not any(one["baseline"] for one in counters)
    points = {point_of(one) for one in of_kind(sonde.records(), "sample")}
    assert {point_of(one) for one in counters} <= points

    of_streams = streams([one for one in counters if one["probe"] == "bandwidth"])
    far = [one for size, one in of_streams if size >= 4 * MIB]
    near = [one for size, one in of_streams if size < MIB and one["memory_per_byte"] is not None]
    assert far and near
    for one in far:
        assert one["memory_per_byte"] == pytest.approx(1, abs=0.02)
        assert one["hit_rate"] == pytest.approx(0, abs=0.02)
    for one in near:
        assert one["memory_per_byte"] == pytest.approx(0, abs=0.02)
    copies = [one for one in counters if one["probe"] == "copy" and one["x"]["bytes"] >= MIB]
    assert copies
    assert statistics.median(one["fabric_per_byte"] for one in copies) == pytest.approx(2, abs=0.02)
    assert "Simulated traffic, bytes" in done.out and "at memory" in done.out


def test_hit_rates_by_counters_need_no_option_and_agree_with_timing(sonde, valid, model_file):
    done, counters = counted(sonde, "--device", model_file(levels=LEVELS), "--probe", "hit-rate", "--sizes", "8K:16M",
                             seconds=10)  # fmt: skip
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    assert counters and {one["probe"] for one in counters} == {"hit-rate"}
    (difference,) = [one for one in of_kind(records, "finding") if one["finding"] == "methods-differ"]
    assert abs(difference["value"]) < 0.05
    by_counters = [
        one
        for one in of_kind(records, "sample")
        if one["series"].get("method") == "counters" and one["unit"] == "ratio"
    ]
    assert {one["series"].get("pattern", "walk") for one in by_counters} == {"walk", "read", "write", "copy"}
    assert "by counters" in done.out


def test_without_the_option_nothing_is_counted_beside_other_probes(sonde, model_file):
    done, counters = counted(sonde, "--device", model_file(levels=LEVELS), "--probe", "latency", *SMALL)
    assert done.status == 0, done.err
    assert counters == []


def test_where_nothing_counts_it_says_why_and_measures_all_the_same(sonde, valid, tmp_path):
    Path(tmp_path / "sys").mkdir()
    words = ("--counters", "--device", "cpu", "--api", "opencl", "--probe", "latency", "--sysfs-root", tmp_path / "sys")
    done, counters = counted(sonde, *words, *SMALL)
    assert done.status == 1
    records = sonde.records()
    valid(records)
    assert counters == [] and of_kind(records, "sample")
    (skip,) = [one for one in of_kind(records, "skip") if (one["series"] or {}).get("method") == "counters"]
    assert skip["reason"].startswith("nothing is counted beside these probes: ")
