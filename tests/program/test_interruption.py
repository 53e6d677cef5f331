"""Ctrl-C, SIGTERM and SIGKILL: what was measured is in the file, and nobody is left running."""

import os
import re
import signal
import time

import pytest
from killed_runs import running_in
from program_runs import (
    LONG_SWEEP,
    nothing_left_of,
    of_kind,
    read_records,
    sizes,
    wait_for_samples,
    wait_until,
)

LONGEST_ENDING = 2  # seconds


@pytest.fixture
def in_the_middle(sonde):
    """A run that has measured two points of many."""
    started = []

    def start(*words, env=None):
        process = sonde.start("run", *words, *LONG_SWEEP, "-o", "run.jsonl", env=env)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ends_after(process, send):
    """What the program said once it was sent the signal, and how long its ending took."""
    before = time.monotonic()
    send(process)
    out, err = process.communicate(timeout=20)
    return out, err, time.monotonic() - before


def press_ctrl_c(process):
    """A terminal sends it to every process in front of it."""
    os.killpg(process.pid, signal.SIGINT)


def interrupt_the_program_alone(process):
    process.send_signal(signal.SIGINT)


def terminate(process):
    process.terminate()


def hang_up(process):
    os.killpg(process.pid, signal.SIGHUP)


def rows_of_the_table(out):
    """The working sets of its rows in bytes, as exact as they are printed."""
    factors = {"KiB": 1 << 10, "MiB": 1 << 20}
    rows = re.findall(r"^ +([\d.]+) ([KM]iB) .*±", out, re.MULTILINE)
    return [float(number) * factors[unit] for number, unit in rows]


@pytest.mark.parametrize(
    ("api", "send"),
    [
        ("opencl", press_ctrl_c),
        ("vulkan", press_ctrl_c),
        ("opencl", interrupt_the_program_alone),
        ("opencl", terminate),
        ("opencl", hang_up),
    ],
)
def test_keeps_what_was_measured(request, sonde, valid, in_the_middle, api, send):
    request.getfixturevalue(f"{api}_cpu")
    process = in_the_middle("--device", "cpu", "--api", api)
    wait_for_samples(sonde.folder / "run.jsonl", 2)
    out, err, seconds = ends_after(process, send)
    assert process.returncode == 130
    assert seconds < LONGEST_ENDING
    assert nothing_left_of(process, seconds=0.5)
    records = sonde.records()
    valid(records)
    assert (records[-1]["record"], records[-1]["status"]) == ("end", "interrupted")
    assert records[-1]["samples"] == len(of_kind(records, "sample")) >= 2
    assert records[-1]["errors"] == 0
    table = sonde("show", "run.jsonl", "--probe", "latency").out
    assert max(rows_of_the_table(table)) == pytest.approx(
        max(sizes(of_kind(records, "sample"))), rel=0.1
    )  # as a row is
    assert "run.jsonl" in out
    assert "nterrupted" in err and "run.jsonl" in err


def test_leaves_the_levels_that_were_found_so_far(sonde, valid, in_the_middle, model_file):
    levels = [{"bytes": 16384, "latency_ns": 20}, {"bytes": 524288, "latency_ns": 90}, {"latency_ns": 400}]
    process = in_the_middle("--device", model_file(memory_bytes=1 << 26, levels=levels), "--probe", "latency")
    wait_for_samples(sonde.folder / "run.jsonl", 120)
    out, _, seconds = ends_after(process, press_ctrl_c)
    assert (process.returncode, seconds < LONGEST_ENDING) == (130, True)
    records = sonde.records()
    valid(records)
    assert records[-1]["status"] == "interrupted"
    found = [one for one in of_kind(records, "level") if one["series"]["path"] == "vector"]
    assert [one["name"] for one in found] == ["level 1", "level 2", "memory"]
    assert [one["latency_ns"]["value"] for one in found] == pytest.approx([20, 90, 400], rel=0.05)
    assert all(word in out for word in ("level 1", "level 2", "memory", "interrupted"))


def test_a_worker_that_is_killed_costs_the_visit_it_made(sonde, valid):
    words = ("--device", "model:strix-halo", "--probe", "latency", "--sizes", "4K:4M", "--time", "4")
    process = sonde.start("run", *words, "-o", "run.jsonl")
    try:
        wait_for_samples(sonde.folder / "run.jsonl", 3)
        (worker,) = set(running_in(process.pid)) - {process.pid}
        os.kill(worker, signal.SIGKILL)
        process.communicate(timeout=300)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 1
    records = sonde.records()
    valid(records)
    (error,) = of_kind(records, "error")
    assert error["probe"] == "latency" and error["x"]["bytes"] > 0
    assert "signal 9" in error["reason"]
    by_process = [of_kind(records, "sample", process=[number]) for number in (0, 1)]
    assert len(by_process[0]) >= 3 and len(by_process[1]) >= 10
    assert (records[-1]["status"], records[-1]["skips"]) == ("failed", 0)
    assert of_kind(records, "level")


def test_goes_on_with_no_further_device(sonde, in_the_middle, both_cpu):
    process = in_the_middle("--device", "cpu", "--device", "model:strix-halo")
    wait_for_samples(sonde.folder / "run.jsonl", 1)
    ends_after(process, press_ctrl_c)
    assert {sample["api"] for sample in of_kind(sonde.records(), "sample")} == {"opencl"}


def test_a_second_ctrl_c_loses_nothing(sonde, valid, in_the_middle):
    process = in_the_middle("--device", "model:strix-halo")
    wait_for_samples(sonde.folder / "run.jsonl", 1)
    press_ctrl_c(process)
    ends_after(process, press_ctrl_c)
    assert process.returncode == 130
    valid(sonde.records())
    assert sonde.records()[-1]["status"] == "interrupted"


def test_while_a_driver_hangs_in_listing_its_devices(sonde, in_the_middle, fake_loader):
    env = {"LD_LIBRARY_PATH": str(fake_loader), "FAULT": "hang while listing"}
    process = in_the_middle("--device", "cpu", env=env)
    wait_until(lambda: len(running_in(process.pid)) == 2)
    _, _, seconds = ends_after(process, press_ctrl_c)
    assert (process.returncode, seconds < LONGEST_ENDING) == (130, True)
    assert nothing_left_of(process)
    assert list(sonde.folder.iterdir()) == []


@pytest.mark.parametrize("api", ["opencl", "vulkan"])
def test_a_killed_run_keeps_every_complete_line(request, sonde, valid, in_the_middle, api):
    request.getfixturevalue(f"{api}_cpu")
    process = in_the_middle("--device", "cpu", "--api", api)
    file = sonde.folder / "run.jsonl"
    wait_for_samples(file, 2)
    process.kill()
    process.wait()
    assert nothing_left_of(process)
    records = read_records(file)
    valid(records)
    assert len(of_kind(records, "sample")) >= 2
    assert of_kind(records, "end") == []
