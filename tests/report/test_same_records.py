"""A run's records are the same in whatever order they stand, however often, and in how many files."""

import io
import random

import synthetic
from sonde_tools import records


def read(tmp_path, *files):
    paths = [synthetic.write(tmp_path / f"{number}.jsonl", found) for number, found in enumerate(files)]
    notes = io.StringIO()
    return list(records.runs(paths, notes, "report", None)), notes.getvalue()


def of_one_run():
    """Its records, of which no two were seen at one time."""
    found = synthetic.full_records()
    for number, record in enumerate(found, start=1):
        if record["record"] == "sample":
            record["t"] = number
    found[0]["run"] = "a run"
    return found


def content(recording):
    return {name: value for name, value in vars(recording).items() if name not in ("path", "further_paths")}


def test_order_and_copies_change_nothing(tmp_path):
    run, *others, end = of_one_run()
    mixed = others + others[::3] + [end]
    random.Random(1).shuffle(mixed)
    (whole,), _ = read(tmp_path, [run, *others, end])
    (other,), _ = read(tmp_path, [run, *mixed])
    assert content(whole) == content(other)


def test_two_files_of_a_run_are_one_run(tmp_path):
    run, *others, end = of_one_run()
    (whole,), _ = read(tmp_path, [run, *others, end])
    found, said = read(tmp_path, [run, *others[::2], *others[1::8]], [run, *others[1::2], end])
    assert [content(one) for one in found] == [content(whole)]
    assert said.endswith(": what both say counts once.\n") and said.count("\n") == 1


def test_a_visit_in_two_samples_is_one(tmp_path):
    sample = synthetic.sample_records("opencl", 1)[0] | {"t": 2.5, "values": [4.0, 1.0, 2.0, 3.0]}
    parts = [sample | {"values": sample["values"][:1]}, sample | {"values": sample["values"][1:]}]
    (found,), _ = read(tmp_path, [synthetic.run_record(), *parts])
    (joined,) = found.samples
    assert sorted(joined["values"]) == [1, 2, 3, 4]
    later = [parts[0], parts[1] | {"t": 3}]
    (found,), _ = read(tmp_path, [synthetic.run_record(), *later])
    assert len(found.samples) == 2


def test_runs_come_in_the_order_of_their_times(tmp_path):
    runs = [synthetic.run_record(run=name, time=f"2025-03-0{day}T09:15:27Z") for name, day in (("b", 4), ("a", 5))]
    device = synthetic.device_record()
    assert [one.run["run"] for one in read(tmp_path, [runs[1], device], [runs[0], device])[0]] == ["b", "a"]
