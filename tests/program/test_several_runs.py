"""`sonde run --runs N`: a numbered file each."""

import json

from refusals import assert_refused

RUN = ("run", "--probe", "latency", "--sizes", "4K:16K", "--time", "1", "--no-progress")


def records_of(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_each_run_has_a_file_and_the_next_seed(sonde, model_file, valid):
    done = sonde(*RUN, "--device", model_file(), "--runs", "10", "--seed", "7", "-o", "mine.jsonl")
    assert done.status == 0, done.err
    files = sorted(file.name for file in sonde.folder.glob("mine*"))
    assert files == [f"mine-{number:02}.jsonl" for number in range(1, 11)]
    runs = [records_of(sonde.folder / file) for file in files]
    for number, records in enumerate(runs):
        valid(records)
        assert (records[0]["seed"], records[-1]["status"]) == (7 + number, "complete")
    assert len({records[0]["run"] for records in runs}) == 10


def test_without_a_name_each_has_one_of_its_own(sonde, model_file):
    assert sonde(*RUN, "--device", model_file(), "--runs", "2").status == 0
    assert len(list(sonde.folder.glob("results/*.jsonl"))) == 2


def test_a_name_that_is_taken_is_said_before_anything_is_measured(sonde, model_file):
    (sonde.folder / "mine-3.jsonl").write_text("precious")
    words = (*RUN, "--device", model_file(), "--runs", "3", "-o", "mine.jsonl")
    assert_refused(sonde, *words, says="mine-3.jsonl exists already")
    assert (sonde.folder / "mine-3.jsonl").read_text() == "precious"
    assert not (sonde.folder / "mine-1.jsonl").exists()
    assert_refused(sonde, *RUN, "--runs", "0", says="--runs")


def test_a_time_limit_is_for_all_runs(sonde, model_file):
    done = sonde(*RUN, "--device", model_file(), "--runs", "500", "--time-limit", "1", "-o", "mine.jsonl")
    assert done.status == 1 and "of 500 runs" in done.err
    files = list(sonde.folder.glob("mine-*.jsonl"))
    assert 0 < len(files) < 500
    assert all(records_of(file)[-1]["record"] == "end" for file in files)
