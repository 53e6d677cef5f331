"""Standard streams that are closed or full: nothing that is said lands in a file, and what is lost is told."""

import json
import subprocess

import pytest


def in_a_shell(sonde, command):
    words = ["sh", "-c", command.replace("SONDE", str(sonde.program))]
    return subprocess.run(words, cwd=sonde.folder, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_record_file_takes_no_closed_streams_place(sonde, model_file, valid, closed):
    done = in_a_shell(
        sonde, f"SONDE run --device {model_file()} --sizes 4K:16K --probe latency --time 1 -o run.jsonl {closed}"
    )
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (sonde.folder / "run.jsonl").read_text().splitlines()]
    valid(records)
    assert records[-1]["status"] == "complete" and records[-1]["samples"] > 0


@pytest.mark.parametrize("command", ["list", "list --json", "levels run.jsonl --json", "levels run.jsonl", "--version"])
def test_a_full_disk_behind_standard_output_is_told(sonde, model_file, command):
    sonde(
        "run",
        "--device",
        model_file(),
        "--sizes",
        "4K:64K",
        "--probe",
        "latency",
        "--time",
        "1",
        "-o",
        "run.jsonl",
    )
    done = in_a_shell(sonde, f"SONDE {command} >/dev/full")
    assert done.returncode == 1 and "standard output cannot be written" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
