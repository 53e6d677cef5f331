"""What the program says of itself."""

import re

import pytest


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["run", "--help"], ["list", "--help"], ["watch", "--help"]])
def test_help_shows_examples(sonde, words):
    done = sonde(*words)
    assert (done.status, done.err) == (0, "")
    command = " ".join(["sonde", *(word for word in words if word[0] != "-")])
    _, _, examples = done.out.partition("Examples:\n")
    assert re.search(rf"^ +{command} ", examples + " ", re.MULTILINE)


def test_help_names_every_command(sonde):
    said = sonde("--help").out
    for command in ("list", "run", "report", "compare", "watch"):
        assert re.search(rf"\b{command}\b", said)


def test_help_of_run_names_every_option(sonde):
    said = sonde("run", "--help").out
    options = (
        "device",
        "api",
        "probe",
        "sizes",
        "effort",
        "seed",
        "out",
        "time-limit",
        "silence-limit",
        "no-progress",
        "sysfs-root",
    )
    assert [option for option in options if f"--{option}" not in said] == []
    assert re.search(r"^ +-v\b", said, re.MULTILINE)
    assert "{false}" not in said


def test_version_names_version_and_commit(sonde):
    done = sonde("--version")
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(r"sonde \d+\.\d+\.\d+ \(\S+\)\n", done.out)


def test_help_of_watch_shows_where_its_command_stands(sonde):
    usage = next(line for line in sonde("watch", "--help").out.splitlines() if line.startswith("Usage:"))
    assert usage == "Usage: sonde watch [OPTIONS] [-- COMMAND...]"
