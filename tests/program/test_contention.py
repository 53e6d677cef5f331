"""The CPU's own latency and contention, on the CPU through PoCL: what stands in the record, never how long it took."""

import os

import pytest
from program_runs import Sonde, of_kind

SMALL_ENOUGH = ("--sizes", "64M:64M")


@pytest.fixture(scope="module")
def companion_run(program, tmp_path_factory, opencl_cpu):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core only, which the driver needs")
    sonde = Sonde(program, tmp_path_factory.mktemp("companion"))
    words = ("--device", "cpu", "--api", "opencl", "--probe", "contention,cpu-latency")
    done = sonde.with_time_enough(*words, *SMALL_ENOUGH, "-o", "run.jsonl", seconds=20)
    assert done.status == 0, done.err
    return sonde.folder / "run.jsonl", sonde.records()


def samples(records, **fields):
    return of_kind(records, "sample", **fields)


def test_every_record_is_valid(companion_run, valid):
    valid(companion_run[1])


def test_the_cpu_is_walked_by_itself_and_contention_is_asked_through_the_driver(companion_run):
    _, records = companion_run
    assert {(one["probe"], one["api"]) for one in samples(records)} == {
        ("contention", "opencl"),
        ("cpu-latency", "cpu"),
    }
    assert {"pages": "small", "state": "asleep"} in [one["series"] for one in samples(records, probe="cpu-latency")]
    assert all(one["state"]["shape"]["pinned"] in (0, 1) for one in samples(records, probe="cpu-latency"))


def test_loads_are_spread_and_each_has_windows_pairs_and_bandwidth(companion_run):
    _, records = companion_run
    main = {"side": "cpu", "beside": "gpu-load", "pattern": "add"}
    windows = [one for one in samples(records, probe="contention", unit="ns") if one["series"] == main]
    loads = {one["x"]["load"]: one for one in windows if one["x"]["cpu_threads"] == 0}
    assert len(loads) >= 6 and {0, 1} <= set(loads)
    assert loads[0]["x"]["gpu_gbps"] == 0
    for load, one in loads.items():
        assert one["state"]["shape"]["same_silicon"] == 1
        if load == 0:
            continue
        assert one["x"]["gpu_gbps"] > 0
        others = [
            other for other in samples(records, probe="contention") if other["x"] == one["x"] and other is not one
        ]
        assert {"ratio", "GB/s"} <= {other["unit"] for other in others}


def test_the_control_moves_nothing_that_counts(companion_run):
    _, records = companion_run
    control = [one for one in samples(records, probe="contention") if one["series"].get("beside") == "nothing"]
    assert control and all(one["x"]["gpu_gbps"] == 0 for one in control)


def test_the_reverse_has_the_gpus_figures_with_and_without_cpu_threads(companion_run):
    _, records = companion_run
    found = [one for one in samples(records, probe="contention") if set(one["series"]) == {"side", "pattern"}]
    of_gpu = {
        (one["unit"], one["x"]["load"], one["x"]["cpu_threads"])
        for one in found
        if one["series"]["side"] == "gpu" and one["unit"] != "cycles"
    }
    assert {("ns", 0, 0), ("ns", 0, 1), ("GB/s", 1, 0), ("GB/s", 1, 1)} <= of_gpu
    moved = [one for one in found if one["series"]["side"] == "cpu"]
    assert moved and all(one["x"]["cpu_threads"] == 1 and min(one["values"]) > 0 for one in moved)


def test_findings_name_the_silicon_and_stand_in_the_tables(companion_run, sonde):
    file, records = companion_run
    found = {one["finding"]: one for one in of_kind(records, "finding", probe="contention")}
    assert {
        "idle-latency",
        "full-load-latency",
        "load-for-10-percent",
        "load-for-50-percent",
        "cpu-loss",
        "gpu-loss",
    } <= set(found)
    assert "same CPU's other cores" in found["idle-latency"]["evidence"]
    tables = sonde("show", str(file), "-v")
    assert "Latency of the CPU while the GPU works through OpenCL" in tables.out and "multiple of that" in tables.out
    assert found["gpu-loss"]["evidence"] in tables.text


def test_threads_for_which_no_core_is_left_are_a_skip_with_its_reason(companion_run):
    _, records = companion_run
    reasons = [one["reason"] for one in of_kind(records, "skip", probe="contention")]
    assert any("none is left to read" in reason for reason in reasons)
