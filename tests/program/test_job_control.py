"""A run that is stopped and goes on, is hung up by design, or whose program is replaced meanwhile."""

import os
import shutil
import signal
import time

import pytest
from killed_runs import running_in
from program_runs import Sonde, of_kind, wait_for_samples


@pytest.fixture
def started(sonde):
    processes = []

    def start(*words, of=sonde):
        processes.append(of.start("run", *words, "-o", "run.jsonl"))
        wait_for_samples(sonde.folder / "run.jsonl", 3)
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("device", ["cpu", "model:strix-halo"])
def test_a_run_that_is_stopped_for_longer_than_a_limit_goes_on(sonde, valid, started, device, both_cpu):
    # Beside other work a worker may be silent for seconds.
    words = ("--device", device, "--probe", "latency", "--sizes", "4K:64K", "--time", "8", "--silence-limit", "8")
    process = started(*words, "--api", "all" if device.startswith("model") else "opencl")
    os.killpg(process.pid, signal.SIGSTOP)
    time.sleep(12)
    os.killpg(process.pid, signal.SIGCONT)
    process.communicate(timeout=300)
    records = sonde.records()
    valid(records)
    assert (process.returncode, records[-1]["status"], records[-1]["errors"]) == (0, "complete", 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_was_ignored_at_the_start_stays_ignored(sonde, started, number):
    before = signal.signal(number, signal.SIG_IGN)
    try:
        process = started("--device", "model:strix-halo", "--probe", "latency", "--sizes", "4K:4M", "--time", "2")
    finally:
        signal.signal(number, before)
    process.send_signal(number)
    process.communicate(timeout=300)
    assert (process.returncode, sonde.records()[-1]["status"]) == (0, "complete")


def test_workers_are_of_the_program_that_was_started(sonde, program, started):
    own = sonde.folder / "sonde"
    shutil.copy2(program, own)
    words = ("--device", "model:strix-halo", "--probe", "latency", "--sizes", "4K:4M", "--time", "4")
    process = started(*words, of=Sonde(own, sonde.folder))
    other = sonde.folder / "other"
    other.write_text("#!/bin/sh\nexit 3\n")
    other.chmod(0o755)
    other.replace(own)
    (worker,) = set(running_in(process.pid)) - {process.pid}
    os.kill(worker, signal.SIGKILL)
    process.communicate(timeout=300)
    records = sonde.records()
    assert (process.returncode, records[-1]["status"]) == (1, "failed")
    (error,) = of_kind(records, "error")
    assert "Killed (signal 9)" in error["reason"]
    assert of_kind(records, "level")
