"""Whatever happens to a run or to its file: what was measured can be read, and nothing else is overwritten."""

import random
import shutil
import time

import killed_runs
import pytest
from program_runs import of_kind, wait_for_samples

QUICK = ("--probe", "latency", "--sizes", "4K:1M", "--time", "1", "--no-progress")


@pytest.mark.parametrize("number", range(12))
def test_an_end_at_any_moment_leaves_a_file_that_can_be_read(sonde, model_file, valid, number):
    seconds = random.Random(number).uniform(0, 1.5)
    process = sonde.start("run", "--device", model_file(), *QUICK, "-o", "run.jsonl")
    run = killed_runs.ended(process, number, seconds, sonde.folder / "run.jsonl")
    assert killed_runs.problem_of(run) is None
    if run.lines is not None:
        valid(sonde.records())
        done = sonde("levels", "run.jsonl")
        assert done.status == (0 if killed_runs.has_levels_to_find(run) else 2), done.err


@pytest.fixture
def in_the_middle(sonde):
    """A run that has measured a point, with more to come, and what ended it said."""

    def change(what, file, device="model:strix-halo", expected=0):
        words = ("--probe", "latency", "--sizes", "4K:4M", "--effort", "normal", "--time-limit", "20", "--no-progress")
        out = ("-o", file) if file != "default" else ()
        process = sonde.start("run", "--device", device, *words, *out)
        try:
            if file == "default":
                while not (found := list(sonde.folder.glob("results/*.jsonl"))):
                    time.sleep(0.02)
                file = found[0].relative_to(sonde.folder)
            wait_for_samples(sonde.folder / file, 1)
            before = len(of_kind(sonde.records(file), "sample"))
            what(sonde.folder / file)
            process.terminate()
            _, err = process.communicate(timeout=300)
        finally:
            process.kill()
            process.communicate()
        return before, process.returncode, err

    return change


def test_a_folder_that_is_removed_is_made_again(sonde, valid, in_the_middle):
    before, status, err = in_the_middle(lambda file: shutil.rmtree(file.parent), "default")
    (file,) = (sonde.folder / "results").iterdir()
    records = sonde.records(file)
    valid(records)
    assert records[0]["record"] == "run" and len(of_kind(records, "sample")) >= before
    assert (records[-1]["record"], records[-1]["status"]) == ("end", "interrupted")
    assert status == 130
    assert "was removed while it was written" in err and file.name in err


def test_a_file_that_is_removed_takes_no_other_files_place(sonde, in_the_middle):
    def replace(file):
        file.unlink()
        file.write_text("precious")

    before, _, err = in_the_middle(replace, "run.jsonl")
    assert (sonde.folder / "run.jsonl").read_text() == "precious"
    assert len(of_kind(sonde.records("run-2.jsonl"), "sample")) >= before
    assert "run-2.jsonl has everything again" in err


def test_a_folder_of_work_that_is_removed_is_made_again(sonde, in_the_middle):
    before, _, err = in_the_middle(lambda file: shutil.rmtree(sonde.folder), "run.jsonl")
    assert len(of_kind(sonde.records(), "sample")) >= before
    assert str(sonde.folder / "run.jsonl") in err


def test_a_file_that_is_moved_is_written_where_it_went(sonde, in_the_middle):
    before, _, err = in_the_middle(lambda file: file.rename(file.with_name("moved.jsonl")), "run.jsonl")
    records = sonde.records("moved.jsonl")
    assert len(of_kind(records, "sample")) >= before and records[-1]["record"] == "end"
    assert not (sonde.folder / "run.jsonl").exists()
    assert "no longer at run.jsonl" in err


def both(sonde, *words):
    """Two runs at once: their statuses and what they said."""
    started = [sonde.start("run", *words, *QUICK) for _ in range(2)]
    said = [process.communicate(timeout=120)[1] for process in started]
    return [process.returncode for process in started], said


def test_of_two_runs_into_one_file_one_is_refused(sonde, model_file, valid):
    statuses, said = both(sonde, "--device", model_file(), "-o", "run.jsonl")
    assert sorted(statuses) == [0, 2]
    assert "run.jsonl exists already" in said[statuses.index(2)]
    records = sonde.records()
    valid(records)
    assert len(of_kind(records, "run")) == 1 and records[-1]["status"] == "complete"


def test_two_runs_into_one_folder_have_files_of_their_own(sonde, model_file, valid):
    device = model_file()
    for _ in range(3):  # of runs in the same second both ask for one name
        statuses, _ = both(sonde, "--device", device)
        assert statuses == [0, 0]
    files = list((sonde.folder / "results").iterdir())
    assert len(files) == 6
    for file in files:
        records = sonde.records(file)
        valid(records)
        assert len(of_kind(records, "run")) == 1 and records[-1]["status"] == "complete"
