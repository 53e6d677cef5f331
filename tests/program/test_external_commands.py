"""`sonde NAME` starts sonde-NAME, so that a user sees one program."""

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from program_runs import ONE_POINT


@pytest.fixture
def moved(sonde, tmp_path):
    """A copy of the program in a folder of its own, to put commands beside."""
    folder = tmp_path / "programs"
    folder.mkdir()
    return replace(sonde, program=Path(shutil.copy2(sonde.program, folder)))


def write_command(folder, name, body):
    folder.mkdir(exist_ok=True)
    file = folder / f"sonde-{name}"
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


SHOWS_ITS_ARGUMENTS = "for word; do printf '<%s>' \"$word\"; done; pwd; echo complaint >&2; exit 7"


@pytest.mark.parametrize("place", ["beside the program", "on the path"])
def test_is_started_with_its_arguments_and_answers_with_its_status(moved, tmp_path, place):
    beside = place == "beside the program"
    folder = moved.program.parent if beside else tmp_path / "path"
    write_command(folder, "hello", SHOWS_ITS_ARGUMENTS)
    path = os.environ["PATH"] if beside else f"{folder}:{os.environ['PATH']}"
    done = moved("hello", "two words", "", "--help", "-o", "x", env={"PATH": path})
    assert (done.status, done.err) == (7, "complaint\n")
    assert done.out == f"<two words><><--help><-o><x>{moved.folder}\n"


def test_the_one_beside_the_program_comes_first(moved, tmp_path):
    write_command(moved.program.parent, "hello", "echo beside")
    write_command(tmp_path / "path", "hello", "echo path")
    assert moved("hello", env={"PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}"}).out == "beside\n"


def test_is_found_where_an_installed_program_has_it(moved, tmp_path):
    installed = tmp_path / "usr/bin" / moved.program.name
    installed.parent.mkdir(parents=True)
    moved.program.rename(installed)
    write_command(tmp_path / "path", "hello", "echo path")
    (tmp_path / "usr/lib").mkdir()
    write_command(tmp_path / "usr/lib/sonde", "hello", "echo installed")
    done = replace(moved, program=installed)("hello", env={"PATH": f"{tmp_path / 'path'}:{os.environ['PATH']}"})
    assert done.out == "installed\n"


def test_is_found_through_a_link_to_the_program(moved, tmp_path):
    write_command(moved.program.parent, "hello", "echo beside")
    link = tmp_path / "elsewhere"
    link.symlink_to(moved.program)
    assert replace(moved, program=link)("hello").out == "beside\n"


def test_never_replaces_a_command_of_the_program(moved):
    write_command(moved.program.parent, "list", "echo stolen")
    assert "stolen" not in moved("list", "--help").out


def test_a_name_with_a_slash_is_not_a_command(moved):
    write_command(moved.folder / "sonde-.", "hidden", "echo escaped")
    (moved.folder / "sonde-." / "hello").write_text("#!/bin/sh\necho escaped\n")
    (moved.folder / "sonde-." / "hello").chmod(0o755)
    done = moved("./hello")
    assert (done.status, done.out) == (2, "")


@pytest.mark.parametrize("name", ["report", "compare"])
def test_what_is_missing_beside_the_program_is_named(moved, tmp_path, name):
    path = {"PATH": str(tmp_path)}
    done = moved(name, "x.jsonl", env=path)
    assert done.status == 2 and f"{moved.program.parent}/sonde-{name} is missing" in done.err
    (moved.program.parent / f"sonde-{name}").write_text("#!/bin/sh\n")
    done = moved(name, "x.jsonl", env=path)
    assert done.status == 2 and f"{moved.program.parent}/sonde-{name} cannot be started" in done.err


@pytest.fixture
def report(sonde, drawn_by_python):
    """Draws run.jsonl with more options, and returns the page's text."""
    environment = drawn_by_python("report", "jinja2", "msgspec", "vl_convert")

    def draw(*words):
        done = sonde("report", "run.jsonl", "-o", "report.html", *words, env=environment)
        assert done.status == 0, done.err
        return (sonde.folder / "report.html").read_text(encoding="utf-8")

    return draw


def test_report_draws_a_record_of_this_program(sonde, model_file, report):
    assert sonde("run", "--device", model_file(), *ONE_POINT, "-o", "run.jsonl").status == 0
    page = report("--csv", "tables")
    assert "simulated" in page and "little" in page
    assert (sonde.folder / "tables" / "samples.csv").read_text().count("\n") > 7


def test_report_has_rows_for_the_sizes_that_the_program_prints(sonde, model_file, report):
    words = ("--probe", "latency", "--sizes", "4K:5M", "--time", "1", "-v", "-o", "run.jsonl")
    done = sonde("run", "--device", model_file(noise=None), *words)
    assert done.status == 0, done.err
    printed = done.out[done.out.index("latency of one dependent load") :].split("\n\n")[0]
    sizes = re.findall(r"^ +([\d.]+ [KM]iB) +[\d.]+ ±", printed, re.MULTILINE)
    assert sizes[:2] == ["4 KiB", "16 KiB"] and len(sizes) == 7
    page = report()
    table = page[page.index("latency at telling sizes") :].split("</table>")[0]
    rows = re.findall(r'<th scope="row">([^<]*)</th>', table)
    assert rows[:-1] == sizes[:-1] and rows[-1].endswith("(largest)")
