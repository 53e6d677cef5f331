"""Starts the program as a user would, and reads what it leaves behind."""

import json
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import killed_runs
import pytest

# What is not there after so long will not come.
LONGEST_TIME_SECONDS = 600
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CLEARED_LINE = "\r\x1b[K"
# Long enough to be stopped in the middle of.
LONG_SWEEP = ("--sizes", "4K:64M", "--effort", "normal")
SHORT_SWEEP = ("--sizes", "4K:8K", "--time", "1")
ONE_POINT = ("--sizes", "4K:4K", "--time", "1")
NO_OPENCL_DRIVER = {"OCL_ICD_VENDORS": "/nonexistent", "OCL_ICD_FILENAMES": ""}
NO_VULKAN_DRIVER = {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}


ROOT = Path(__file__).resolve().parents[2]


def program_of(variable, usual):
    """The program that an environment variable names, or what the build leaves at its usual place."""
    path = Path(os.environ.get(variable, ROOT / usual))
    if not path.is_file():
        pytest.fail(f"{path} is not there: {variable} names the program to test")
    return path.absolute()


@dataclass(frozen=True)
class Finished:
    """How a program ended, and what it said."""

    status: int
    out: str
    err: str
    seconds: float = 0
    words: tuple = ()  # that it was started with

    @property
    def text(self):
        """What it printed, as one line: sentences are wrapped to the terminal's width."""
        return " ".join(self.out.split())

    @property
    def said(self):
        return self.err.splitlines()


@dataclass(frozen=True)
class Sonde:
    """The program, started in one folder: by itself, or by another, as a program for another system is."""

    program: Path
    folder: Path
    starter: tuple = ()
    timeout_seconds: int = 300  # what takes so long on a busy machine hangs

    def environment(self, **changed):
        kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        return {**kept, "TERM": "xterm-256color", **changed}

    def __call__(self, *words, env=None, timeout=None, **options):
        started = time.monotonic()
        done = subprocess.run(
            [*self.starter, self.program, *words],
            cwd=options.pop("cwd", self.folder),
            env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout or self.timeout_seconds,
            check=False,
            **options,
        )
        return Finished(done.returncode, done.stdout, done.stderr, time.monotonic() - started, words)

    def with_time_enough(self, *words, seconds, has_all=None, **options):
        """A run whose time is enough, however busy the machine is: three times as much again while its records do not
        have all that is asked for, which is what its probes plan at first unless `has_all` of the records says more."""
        while True:
            done = self("run", *words, "--time", str(seconds), timeout=self.timeout_seconds + 2 * seconds, **options)
            file = self.folder / words[words.index("-o") + 1]
            in_time = "were not enough for all points" not in " ".join(done.err.split())
            if (has_all(read_records(file)) if has_all else in_time) or 3 * seconds > LONGEST_TIME_SECONDS:
                return done
            file.unlink()
            seconds *= 3

    def start(self, *words, env=None):
        """The program in a session of its own, as a terminal would have it in front."""
        return subprocess.Popen(
            [*self.starter, self.program, *words],
            cwd=self.folder,
            env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def records(self, name="run.jsonl"):
        return read_records(self.folder / name)


def complete_lines(file):
    """Without what follows the last newline: a killed run may leave an unfinished line."""
    return Path(file).read_text(encoding="utf-8").split("\n")[:-1]


def read_records(file):
    return [json.loads(line) for line in complete_lines(file)]


def of_kind(records, kind, **fields):
    return [
        record
        for record in records
        if record["record"] == kind and all(record.get(name) == value for name, value in fields.items())
    ]


def in_nanoseconds(samples):
    """Each measurement once, although it may be there in cycles too; what has no unit stays."""
    return [sample for sample in samples if sample.get("unit", "ns") == "ns"]


def main_levels(records):
    """The levels of the vector path of a model, whose memory was kept awake."""
    found = [level for level in of_kind(records, "level") if level["series"].get("fabric") == "loaded"]
    assert {level["series"]["path"] for level in found} == {"vector"}
    return found


def by_vector_path(samples):
    """Latencies without what was kept awake, the other paths to memory, atomics, and the same again in cycles."""
    return [
        sample
        for sample in in_nanoseconds(samples)
        if sample["probe"] == "latency"
        and sample["series"].get("path", "vector") == "vector"
        and not {"pattern", "fabric"} & sample["series"].keys()
    ]


def sizes(samples):
    return [sample["x"]["bytes"] for sample in samples if "bytes" in sample["x"]]  # an empty dispatch has none


def wait_until(condition, seconds=90):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, f"waited {seconds} s in vain"
        time.sleep(0.02)


def wait_for_samples(file, count, seconds=90):
    wait_until(lambda: file.exists() and len(of_kind(read_records(file), "sample")) >= count, seconds)


def nothing_left_of(process, seconds=2):
    """Nobody of the process's session runs any more, at once or soon; what does is ended."""
    return not killed_runs.still_running(process.pid, seconds)
