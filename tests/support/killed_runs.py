"""Runs that are ended from outside at some moment, and what has to be true of each of them."""

import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# A terminal sends these to every process in front of it, the others reach the program alone.
TO_ALL = {signal.SIGINT, signal.SIGHUP}
LONGEST_ENDING = 60  # seconds on a busy machine; the tests of interruption know what an idle one takes


@dataclass(frozen=True)
class Ended:
    """What a run left behind."""

    number: int
    by: signal.Signals
    status: int
    left_running: list
    lines: list | None  # None where there is no file
    unfinished: bytes  # what follows the last line's end


def ended(process, number, seconds, file):
    """The run, given the number-th signal after so many seconds. The process has a session of its own."""
    by = SIGNALS[number % len(SIGNALS)]
    time.sleep(seconds)
    try:
        (os.killpg if by in TO_ALL else os.kill)(process.pid, by)
    except ProcessLookupError:
        pass
    process.communicate(timeout=LONGEST_ENDING)
    left = still_running(process.pid)
    text = Path(file).read_bytes() if Path(file).exists() else None
    *lines, unfinished = text.split(b"\n") if text is not None else [b""]
    return Ended(number, by, process.returncode, left, None if text is None else lines, unfinished)


def still_running(session, seconds=5):
    """The processes of a session that are there for longer than the system takes to end them; they are ended."""
    limit = time.monotonic() + seconds
    while (found := running_in(session)) and time.monotonic() < limit:
        time.sleep(0.05)
    for process in found:
        os.kill(process, signal.SIGKILL)
    return found


def running_in(session):
    """Processes of a session that still run; those that ended but were not asked for their status do not count."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(its_session) == session and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


def problem_of(run):
    """What should not be so, or None."""
    if run.left_running:
        return f"left running: {run.left_running}"
    if run.lines is None:  # before there was anything to keep
        return None if run.status in (-run.by, 130) else f"status {run.status} and no file"
    if not run.lines:
        return "a file without a line"
    try:
        records = [json.loads(line) for line in run.lines]
    except ValueError:
        return "a line that is no JSON"
    if records[0]["record"] != "run":
        return "no run record in front"
    if run.by == signal.SIGKILL and run.status == -run.by:
        return None
    if run.unfinished:
        return "a line that is unfinished"
    end = records[-1]
    if end["record"] != "end":
        return f"status {run.status} and no end record"
    if (run.status, end["status"]) not in {(130, "interrupted"), (0, "complete")}:
        return f"status {run.status}, and the record says {end['status']}"
    counted = sum(record["record"] == "sample" for record in records)
    return None if counted == end["samples"] else f"{counted} samples, and the record says {end['samples']}"


def has_levels_to_find(run):
    """Whether there is a sample that levels are found from."""
    records = [json.loads(line) for line in run.lines]
    return any(record["record"] == "sample" and record["probe"] == "latency" for record in records)
