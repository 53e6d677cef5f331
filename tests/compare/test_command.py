"""The command line: which files it takes, how it ends, what it prints and where to, and what it makes of bad files."""

import json
import shutil
from pathlib import Path

import hostile_files
import pytest
import synthetic
from sonde_tools.compare import command
from synthetic_runs import run, runs


@pytest.fixture
def sonde_compare(capsys):
    """Runs the command: exit status, standard output, standard error."""

    def call(*words):
        try:
            status = command.main([str(word) for word in words])
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture
def two(group):
    """BASE's folder and NEW's, in which the second level is slower."""
    return group("base", runs(2)), group("new", runs(2, first=101, level_2_latency=1.2))


def test_changes_come_first_and_the_rest_is_counted(sonde_compare, two):
    status, out, err = sonde_compare(*two)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "a device, simulated"
    assert lines[1].startswith("BASE  2 runs, ") and "PoCL 3.1" in lines[1]
    at = lines.index("Slower (1)")
    assert lines[at + 1].split()[:5] == ["level", "2", "latency", "110", "ns"] and "+" in lines[at + 1]
    assert lines[-1].startswith("14 features: 1 slower; no change in 13 features; changes above ")
    assert lines[-1].endswith(" %) would have been seen (-v names them).") and "median; " in lines[-1]
    assert "memory latency" not in out
    assert "memory latency" in sonde_compare(*two, "-v")[1]


def test_nothing_slower_ends_with_0(sonde_compare, group):
    assert sonde_compare(group("base", runs(1)), group("new", runs(1, first=2)))[0] == 0
    assert sonde_compare(group("old", runs(1)), group("fast", runs(1, first=2, level_2_latency=0.8)))[0] == 0


def test_json_is_what_the_contract_says(sonde_compare, two):
    status, out, _ = sonde_compare(*two, "--format", "json")
    found = json.loads(out)
    assert status == 1
    assert {"base", "new", "differs", "features"} <= found.keys()
    assert found["base"]["runs"] == 2 and len(found["base"]["files"]) == 2
    assert found["base"]["set-up"]["kernel"] == "6.1.0-28-amd64"
    (one,) = [each for each in found["features"] if each["verdict"] == "slower"]
    assert (one["device"], one["api"], one["probe"], one["series"]) == ("model:compared", "opencl", "latency", {})
    assert (one["feature"], one["unit"]) == ("level 2 latency", "ns")
    for side in ("base", "new", "change_percent"):
        assert one[side]["low"] <= one[side]["value"] <= one[side]["high"]
    assert 2 <= one["would_see_percent"] < one["change_percent"]["value"]
    assert all(each["would_see_percent"] is not None for each in found["features"])


def test_markdown_has_tables_and_takes_nothing_for_markup(sonde_compare, group):
    base, new = (group(name, [run(seed, device="a|b_*<x>", level_2_latency=factor)])
                 for name, seed, factor in (("base", 1, 1), ("new", 2, 1.5)))  # fmt: skip
    _, out, _ = sonde_compare(base, new, "--format", "markdown")
    assert "| level 2 latency | 110 ns |" in out and "### Slower" in out
    assert "<x>" not in out


def test_what_differs_in_the_set_up_is_at_the_head(sonde_compare, group):
    changed = runs(1, first=2)
    changed[0][0]["host"] = {**changed[0][0]["host"], "kernel": "6.12.0", "virtualised": False}
    changed[0][0]["effort"] = "thorough"
    changed[0][1]["opencl"] = {"driver": "PoCL", "driver_version": "6.0"}
    status, out, _ = sonde_compare(group("base", runs(1)), group("new", changed))
    head = out[: out.index("features:")]
    for words in ("6.1.0-28-amd64", "6.12.0", "normal", "thorough", "PoCL 3.1", "PoCL 6.0", "virtualised"):
        assert words in head
    assert "system" not in head


def test_files_folders_and_patterns_name_runs_each_once(sonde_compare, group, tmp_path):
    group("base", runs(3))
    (tmp_path / "base" / "notes.txt").write_text("not a record\n")
    new = group("new", runs(1, first=9))
    words = ["--base", f"{tmp_path}/base/[12].jsonl", f"{tmp_path}/base/1.jsonl", f"{tmp_path}/base"]
    out = sonde_compare(*words, "--new", new, "--format", "json")[1]
    assert json.loads(out)["base"]["runs"] == 3


@pytest.mark.parametrize(
    "words", [[], ["only.jsonl"], ["a", "b", "c"], ["--base", "a"], ["a", "--base", "b", "--new", "c"],
              ["a", "b", "--threshold", "0"], ["a", "b", "--threshold", "x"], ["a", "b", "--threshold", "nan"],
              ["a", "b", "--format", "pdf"]]
)  # fmt: skip
def test_a_wrong_request_is_said_and_ends_with_2(sonde_compare, words):
    status, out, err = sonde_compare(*words)
    assert (status, out) == (2, "") and err.splitlines()[-1].startswith("sonde compare: error: ")


def test_help_shows_examples(sonde_compare):
    status, out, _ = sonde_compare("--help")
    assert status == 0 and "sonde compare last-week.jsonl today.jsonl" in out


def test_a_bad_file_is_named_and_the_others_are_compared(sonde_compare, two, tmp_path):
    (tmp_path / "new" / "bad.jsonl").write_text('{"record": "run"}\n[]\n')
    (tmp_path / "new" / "empty.jsonl").write_text("")
    status, out, err = sonde_compare(*two)
    assert status == 1 and "level 2 latency" in out
    assert len(err.splitlines()) == 2 and "bad.jsonl" in err and "empty.jsonl" in err


@pytest.mark.parametrize("content", [None, "", "{}\n", "\x00\x01", '{"record": "run", "schema": 1}\n'])
def test_no_file_that_can_be_used_ends_with_2_and_a_sentence_each(sonde_compare, group, tmp_path, content):
    file = tmp_path / "bad.jsonl"
    if content is not None:
        file.write_text(content)
    status, out, err = sonde_compare(group("base", runs(1)), file)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].startswith("sonde compare: NEW has no file that can be used")
    assert "bad.jsonl" in err.splitlines()[0] and len(err.splitlines()) <= 3


def test_a_folder_without_record_files_ends_with_2(sonde_compare, group, tmp_path):
    (tmp_path / "empty").mkdir()
    status, _, err = sonde_compare(group("base", runs(1)), tmp_path / "empty")
    assert status == 2 and err == f"sonde compare: NEW has no record file: {tmp_path / 'empty'}.\n"


def test_other_devices_are_compared_when_asked(sonde_compare, group):
    base, new = group("base", [run(1)]), group("new", [run(2, device="gpu-2")])
    status, _, err = sonde_compare(base, new)
    assert status == 2 and "no device is on both sides" in err and "--match name" in err
    status, out, err = sonde_compare(base, new, "--match", "name")
    assert status == 0 and err == "" and "driver" not in out.split("features:")[0].split("Set-up")[-1]


def test_the_output_is_a_file_that_is_no_input(sonde_compare, two, tmp_path):
    status, out, _ = sonde_compare(*two, "-o", tmp_path / "new folder" / "found.txt")
    assert (status, out) == (1, "") and "Slower" in (tmp_path / "new folder" / "found.txt").read_text()
    before = (tmp_path / "base" / "1.jsonl").read_bytes()
    status, _, err = sonde_compare(*two, "-o", tmp_path / "base" / "1.jsonl")
    assert status == 2 and "is a record file to be read" in err
    assert (tmp_path / "base" / "1.jsonl").read_bytes() == before


def test_a_run_that_was_killed_counts_and_is_said(sonde_compare, group):
    status, out, _ = sonde_compare(group("base", [run(1)[:-1]]), group("new", runs(1, first=2)))
    assert status == 0 and "1 of 1 of BASE did not end as complete" in out


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_what_a_driver_says_can_do_nothing_to_a_terminal(sonde_compare, group, format_):
    nasty = "\x1b[31m\x07\u202e\n</script>"
    changed = run(2, device="model:compared", level_2_latency=1.5)
    changed[1]["opencl"] = {"driver": nasty, "driver_version": nasty}
    changed[1]["name"] = nasty
    _, out, err = sonde_compare(group("base", [run(1)]), group("new", [changed]), "--format", format_)
    assert "level 2 latency" in out
    assert not set("\x1b\x07\u202e") & set(out + err)


def test_hostile_files_end_in_0_1_or_2_with_a_sentence(sonde_compare, group, tmp_path):
    base, good, file = group("base", [run(1)]), run(2), tmp_path / "hostile.jsonl"
    statuses = set()
    for seed in range(120):
        file.write_bytes(hostile_files.mutated_lines(good, seed))
        status, out, err = sonde_compare(base, file)
        statuses.add(status)
        assert status in (0, 1, 2), seed
        assert "Traceback" not in err and len(err.splitlines()) <= 3, seed
        assert (out == "") == (status == 2), seed
    assert {0, 2} <= statuses


def test_the_readers_own_example_of_a_whole_run_is_compared(sonde_compare, group):
    status, out, err = sonde_compare(
        group("base", [synthetic.full_records(1)]), group("new", [synthetic.full_records(2)])
    )
    assert (status, err) == (0, "") and "level 3 latency" not in out


def test_copies_of_a_run_count_once_and_a_run_on_both_sides_is_told(sonde_compare, group, tmp_path):
    base, new = (group(name, [synthetic.full_records(seed)]) for seed, name in enumerate(("base", "new"), 1))
    alone = sonde_compare(base, new)
    shutil.copy(Path(new) / "1.jsonl", Path(new) / "2.jsonl")
    status, out, err = sonde_compare(base, new)
    assert (status, out) == alone[:2]
    assert err == f"sonde compare: {new}/2.jsonl is of the same run as {new}/1.jsonl and is left out.\n"
    status, _, err = sonde_compare(new, new)
    assert status == 0 and err.endswith(
        f"{new}/1.jsonl is of a run that stands on both sides, so nothing of it differs.\n"
    )
