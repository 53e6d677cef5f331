"""What is read of a run is the same in whatever order its records stand, however often, in how many files, by what name."""

import json
import random

import pytest
from program_runs import ROOT

FILES = [
    "docs/results/h100/opencl.jsonl",
    "docs/results/h100/vulkan.jsonl",
    "docs/results/epyc-2-cores/debian-12-2.jsonl",
    "docs/results/epyc-2-cores/debian-13-2.jsonl",
    "docs/results/strix-halo-simulated/hit-rate.jsonl",
    "tests/data/cpu-second-level-scatters.jsonl",
    "tests/data/cpu-third-level-taken.jsonl",
    "tests/data/gh200.jsonl",
    "tests/data/drift.jsonl",
    "tests/data/first_screen/rtx-4090.jsonl",
]
COMPARED = FILES[2:4]
# The order of curves that are seen at one time is that of the file, and these have none.
SHOWN = [FILES[0], *(f"docs/results/{name}.jsonl" for name in ("epyc-2-cores/rusticl-25", "h100/vulkan-compute"))]


def parts_of_a_sample(line, chance):
    """A sample as two with some of its values each; any other record as it is."""
    record = json.loads(line)
    if record["record"] != "sample" or len(record["values"]) < 2 or not record.get("t") or "visits" in record:
        return [line]
    at = chance.randrange(1, len(record["values"]))
    return [json.dumps(record | {"values": values}) for values in (record["values"][:at], record["values"][at:])]


def mixed(file, split=False):
    """The run record of a file, and its other records in another order, a third of them twice."""
    chance = random.Random(file)
    run, *others = (ROOT / file).read_text(encoding="utf-8").splitlines()
    if split:
        others = [
            part for line in others for part in (parts_of_a_sample(line, chance) if chance.random() < 0.3 else [line])
        ]
    others += chance.sample(others, len(others) // 3)
    chance.shuffle(others)
    return run, others


def write(path, run, others):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in (run, *others)), encoding="utf-8")
    return path


def of_two_files(file, folder, name):
    """The run in two files by other names, of which some records stand in both."""
    run, others = mixed(file, split=True)
    half = len(others) // 2
    write(folder / f"{name}-second.jsonl", run, others[half // 2 :])
    return write(folder / f"{name}.jsonl", run, others[:half])


@pytest.mark.parametrize("split", [False, True], ids=["mixed", "split"])
@pytest.mark.parametrize("file", FILES)
def test_levels(sonde, file, split):
    other = write(sonde.folder / "other.jsonl", *mixed(file, split))
    for words in [("--json",), ()]:
        told, again = (sonde("levels", path, *words) for path in (ROOT / file, other))
        assert (told.status, told.out) == (again.status, again.out)


@pytest.mark.parametrize("file", SHOWN)
def test_first_screen(sonde, file):
    run, *others = (ROOT / file).read_text(encoding="utf-8").splitlines()
    both = write(sonde.folder / "whole.jsonl", run, others), write(sonde.folder / "other.jsonl", *mixed(file))
    told, again = (sonde("show", path).out.replace(path.name, "FILE") for path in both)
    assert told == again


def test_comparison(sonde, drawn_by_python):
    env = drawn_by_python("compare")
    others = [
        of_two_files(file, sonde.folder / f"{7 - number}", f"z{9 - number}").parent
        for number, file in enumerate(COMPARED)
    ]
    said = [
        json.loads(sonde("compare", *sides, "--format", "json", env=env, timeout=300).out)
        for sides in ([ROOT / file for file in COMPARED], others)
    ]
    for one in said:
        for side in ("base", "new"):
            one[side].pop("files")
    assert said[0] == said[1]


def test_page(sonde, drawn_by_python):
    env = drawn_by_python("report")
    names = [f"z{9 - number}" for number, _ in enumerate(SHOWN)]
    first = [of_two_files(file, sonde.folder / "others", name) for file, name in zip(SHOWN, names, strict=True)]
    files = [ROOT / file for file in SHOWN]
    pages = []
    for given in (files, sorted((sonde.folder / "others").iterdir(), reverse=True)):
        out = sonde.folder / f"{len(pages)}.html"
        assert sonde("report", *given, "-o", out, env=env, timeout=300).status == 0
        pages.append(out.read_text(encoding="utf-8"))
    for mine, theirs in zip(first, files, strict=True):
        pages[1] = pages[1].replace(mine.name, theirs.name).replace(f"({mine.stem})", f"({theirs.stem})")
    assert pages[0] == pages[1]
