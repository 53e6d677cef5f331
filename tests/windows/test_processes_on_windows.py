"""Files, arguments, workers and Ctrl-C."""

import os
import re
import signal
from pathlib import Path

import pytest
from program_runs import of_kind, wait_for_samples, wait_until

LONG = ("--device", "model:strix-halo", "--sizes", "4K:1G", "--effort", "thorough", "--no-progress")


def workers_in(folder):
    """Processes of Wine's that work for a run in this folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[1:2] == [b"worker"] and (process / "cwd").resolve() == folder.resolve():
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.fixture
def in_the_middle(sonde):
    """A run that has measured some of many points, and its worker."""
    process = sonde.start("run", *LONG, "-o", "run.jsonl")
    wait_for_samples(sonde.folder / "run.jsonl", 2, seconds=60)
    (worker,) = workers_in(sonde.folder)
    yield process, worker
    if process.poll() is None:
        process.kill()
    process.communicate()


def test_a_file_that_exists_is_left_as_it_is(sonde):
    file = sonde.folder / "run.jsonl"
    file.write_text("precious")
    done = sonde("run", *LONG, "-o", "run.jsonl")
    assert done.status == 2
    assert done.err.count("\n") == 1 and "run.jsonl exists already and is not overwritten" in done.err
    assert file.read_text() == "precious"


def test_a_folder_that_is_not_there_is_said_in_a_sentence(sonde):
    done = sonde("run", *LONG, "-o", "missing/run.jsonl")
    assert done.status == 2
    assert re.fullmatch(r"sonde: cannot write missing.run\.jsonl: No such file or directory\r?\n", done.err), done.err


def test_names_may_have_any_letters(sonde):
    name = "Größe 測定.jsonl"
    done = sonde("run", "--device", "model:h200", "--probe", "latency", "--sizes", "4K:4K", "--time", "1", "-o", name)
    assert done.status == 0, done.err
    assert name in done.out
    assert sonde.records(name)[0]["command"][-1] == name
    assert sonde("levels", name).status == 0


def test_a_command_of_its_own_is_found_in_the_path(sonde):
    (sonde.folder / "sonde-greet.bat").write_text("@echo hello %1 %2\r\n@exit /b 7\r\n")
    done = sonde("greet", "two words", "three", env={"WINEPATH": str(sonde.folder)})
    assert done.status == 7, done.err
    assert done.out.split() == ["hello", '"two', 'words"', '"three"']
    assert sonde("no-such-command").status == 2


def test_ctrl_c_ends_a_run_and_keeps_what_was_measured(sonde, in_the_middle):
    process, worker = in_the_middle
    os.kill(process.pid, signal.SIGINT)  # which Wine makes a console's Ctrl-C of
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    records = sonde.records("run.jsonl")
    assert records[-1]["record"] == "end" and records[-1]["status"] == "interrupted"
    assert "everything measured so far is in run.jsonl" in err
    wait_until(lambda: not Path(f"/proc/{worker}").exists(), seconds=10)


def test_a_killed_worker_costs_its_visit_and_is_told(sonde, in_the_middle):
    process, worker = in_the_middle
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: of_kind(sonde.records(), "error"), seconds=60)
    (error,) = of_kind(sonde.records(), "error")
    assert "process" in error["reason"]
    # What follows is measured, by another worker.
    wait_until(lambda: sonde.records()[-1]["record"] == "sample", seconds=60)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert sonde.records()[-1]["errors"] == 1


def test_a_worker_ends_with_a_run_that_is_killed(in_the_middle):
    process, worker = in_the_middle
    process.kill()
    wait_until(lambda: not Path(f"/proc/{worker}").exists(), seconds=10)
