"""A driver that crashes, hangs or talks takes nothing down but its own worker, and the record says what happened."""

import json

import pytest
from program_runs import ONE_POINT, SHORT_SWEEP, of_kind, sizes


@pytest.fixture
def broken(sonde, fake_loader):
    """Runs the program on a driver with a fault."""

    def run(fault, *words, **options):
        return sonde(*words, env={"LD_LIBRARY_PATH": str(fake_loader), "FAULT": fault}, **options)

    return run


def cpu_of(done):
    return next(device for device in json.loads(done.out) if device["device"] == "cpu")


def test_listing_survives_a_driver_that_crashes(broken):
    done = broken("crash while listing", "list", "--json")
    assert done.status == 0
    assert "OpenCL" in done.err and "crashed" in done.err
    cpu = cpu_of(done)
    assert cpu["opencl"] is None and cpu["vulkan"] is not None
    assert "crashed" in cpu["probes"]["latency"]["opencl"]
    assert cpu["probes"]["latency"]["vulkan"] == "yes"


@pytest.mark.parametrize("fault", ["crash while listing", "hang while listing"])
def test_a_run_survives_a_driver_that_fails_while_it_lists_its_devices(sonde, broken, valid, fault):
    done = broken(fault, "run", "--device", "cpu", "--silence-limit", "2", *ONE_POINT, "-o", "run.jsonl")
    assert done.status in (0, 1)
    assert done.seconds < 40  # a hanging driver costs the silence limit, not a minute
    records = sonde.records()
    valid(records)
    assert {sample["api"] for sample in of_kind(records, "sample")} - {"cpu"} == {"vulkan"}
    # One for each probe, all for the same reason.
    (reason,) = {record["reason"] for record in records if "reason" in record and record["api"] == "opencl"}
    assert ("crashed" if "crash" in fault else "reported nothing for 2 s") in reason
    assert reason in sonde("show", "run.jsonl", "-v").text and reason in done.err


@pytest.mark.parametrize("fault", ["crash in a kernel", "hang in a kernel"])
def test_a_worker_that_dies_is_recorded_with_its_point(sonde, broken, valid, fault):
    words = ("run", "--device", "cpu", "--probe", "latency", "--silence-limit", "2", *SHORT_SWEEP, "-o", "run.jsonl")
    done = broken(fault, *words)
    assert done.status == 1
    assert done.seconds < 30
    records = sonde.records()
    valid(records)
    # Sizes come in random order; whatever came before the fault is kept, and it is not that point.
    assert not [size for size in sizes(of_kind(records, "sample", api="opencl")) if 5000 < size < 6900]
    (error,) = of_kind(records, "error")
    assert (error["device"], error["api"], error["probe"]) == ("cpu", "opencl", "latency")
    assert 5000 < error["x"]["bytes"] < 6900
    assert error["series"].get("path", "vector") == "vector"
    if fault == "crash in a kernel":
        assert "crashed" in error["reason"] and "the driver's last words" in error["reason"]
    else:
        assert "reported nothing for 2 s" in error["reason"] and "--silence-limit" in error["reason"]
    assert "1 failed" in done.text and error["reason"] in sonde("show", "run.jsonl", "-v").text
    after = [
        sample for sample in of_kind(records, "sample", api="opencl") if records.index(sample) > records.index(error)
    ]
    assert after and all(sample["process"] != [0] for sample in after)
    assert len(of_kind(records, "sample", api="vulkan")) >= 5
    assert (records[-1]["status"], records[-1]["errors"]) == ("failed", 1)


def test_a_curve_that_costs_three_processes_is_asked_no_more(sonde, broken, valid):
    words = ("run", "--device", "cpu", "--api", "opencl", "--probe", "latency", "--sizes", "5056:6848", "--time", "2")
    done = broken("crash in a kernel", *words, "-o", "run.jsonl")
    assert done.status == 1
    records = sonde.records()
    valid(records)
    errors = of_kind(records, "error")
    curves = [error["series"] for error in errors]
    assert errors and all("crashed" in error["reason"] and 5000 < error["x"]["bytes"] < 6900 for error in errors)
    assert curves[:3] == 3 * curves[:1] and max(map(curves.count, curves)) == 3
    skips = [skip for skip in of_kind(records, "skip") if "not measured any further" in skip["reason"]]
    assert [skip["series"] for skip in skips] == [
        curve for at, curve in enumerate(curves) if curves[:at].count(curve) == 2
    ]
    assert not of_kind(records, "sample")


@pytest.mark.parametrize("verbose", [[], ["-v"]], ids=["quiet", "verbose"])
def test_what_a_driver_prints_is_shown_only_on_request(sonde, broken, verbose):
    words = ("run", "--device", "cpu", "--api", "opencl", *ONE_POINT, "-o", "run.jsonl", *verbose)
    done = broken("talk", *words)
    assert done.status == 0
    assert "the driver talks" not in done.out and "the driver complains" not in done.out
    assert ("the driver talks" in done.err) == ("the driver complains" in done.err) == bool(verbose)


def test_list_shows_no_word_of_a_driver(broken):
    done = broken("talk", "list", "--json")
    assert cpu_of(done)["opencl"] is not None
    assert "the driver" not in done.out + done.err


def test_a_process_that_a_driver_leaves_behind_keeps_nobody_waiting(sonde, broken):
    done = broken(
        "leave a process behind", "run", "--device", "cpu", "--probe", "latency", *ONE_POINT, "-o", "run.jsonl"
    )
    assert done.seconds < 15
    assert done.status == 0, done.err
    assert {sample["api"] for sample in of_kind(sonde.records(), "sample")} == {"opencl", "vulkan"}


def test_a_kernel_that_is_never_seen_to_run_is_a_reason_and_no_wait_for_ever(sonde, broken, valid):
    words = ("run", "--device", "cpu", "--api", "opencl", "--probe", "copy", "--sizes", "1M:1M", "--time", "8")
    done = broken("never say that a command runs", *words, "-o", "run.jsonl")
    assert done.status == 0, done.err
    records = sonde.records()
    valid(records)
    skipped = [skip for skip in of_kind(records, "skip") if skip["series"].get("beside") == "kernel"]
    assert {skip["series"]["direction"] for skip in skipped} == {"to-device", "to-host"}
    for skip in skipped:
        assert "no kernel began within 2 seconds" in skip["reason"]
    assert of_kind(records, "sample")
