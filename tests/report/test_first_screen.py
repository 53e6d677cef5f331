"""The first screen: the page and the captions say what the terminal says, and none of it is concluded here."""

import csv
import html
import io
import json
import math
import re
import subprocess

import pytest
import synthetic
from sonde_tools import first_screen, records
from sonde_tools.devices import device_views
from sonde_tools.report import main

DEVICES = ["cpu", "h100", "h200", "rtx-4090", "rx-7900-xtx", "strix-halo"]


def words(text):
    """A text without line ends, blanks in a row and marks of its format."""
    return " ".join(re.sub(r"[|*]", " ", text).split())


def page_words(path):
    text = path.read_text(encoding="utf-8")
    return words(html.unescape(re.sub(r"<[^>]+>", " ", text[text.index("<main>") : text.index("<nav")])))


def view_of(path):
    (view,) = device_views([records.read(path)])
    first_screen.add_to([view])
    return view


def rounds_to(value, text):
    """Whether a number of a table is one that a screen shows with three digits."""
    shown = float(text.replace(",", ""))
    last_digit = 10.0 ** (math.floor(math.log10(shown)) - 2)
    return abs(float(value or "nan") - shown) <= 0.501 * last_digit


@pytest.mark.parametrize("name", DEVICES)
def test_tables_have_the_numbers_of_the_screen(program, root, tmp_path, name):
    file = root / f"tests/data/first_screen/{name}.jsonl"
    assert main([str(file), "-o", str(tmp_path / "page.html"), "--csv", str(tmp_path)]) == 0
    rows = list(csv.DictReader((tmp_path / "levels.csv").open(encoding="utf-8")))
    (screen,) = view_of(file).screens
    assert len(screen["levels"]) > 2
    for level in screen["levels"]:
        for cell in level["cells"]:
            for key, columns in (("latency_ns", "latency_ns"), ("read_gbps", "bandwidth")):
                # "3.28 ± 0.13" is a value, "3.33–12.9" the ends of an interval.
                ends = cell.get(key, "").strip("≈").partition(" ±")[0].split("–")
                wanted = [columns] if len(ends) == 1 else [f"{columns}_low", f"{columns}_high"]
                assert not cell.get(key) or any(
                    row["api"] == cell["api"]
                    and all(rounds_to(row[column], end) for column, end in zip(wanted, ends, strict=True))
                    for row in rows
                ), (level["name"], cell)


@pytest.mark.parametrize("name", DEVICES)
def test_page_captions_and_terminal_say_the_same(program, root, tmp_path, name):
    file = root / f"tests/data/first_screen/{name}.jsonl"
    done = subprocess.run([program, "show", file], capture_output=True, text=True, check=True)
    assert main([str(file), "-o", str(tmp_path / "page.html"), "--publish", str(tmp_path)]) == 0
    terminal = words(done.stdout)
    captions = words((tmp_path / "captions.md").read_text(encoding="utf-8"))
    shown = page_words(tmp_path / "page.html")
    (screen,) = view_of(file).screens
    numbers = [
        text for level in screen["levels"] for cell in level["cells"] for key, text in cell.items() if key != "api"
    ]
    said = [level.get(key, "") for level in screen["levels"] for key in ("name", "size", "interval", "sure")]
    assert len(numbers) > 4 and len(screen["topics"]) > 3
    for text in [screen["heading"], *numbers, *said]:
        assert words(text) in terminal and words(text) in shown and words(text) in captions, text
    for topic in screen["topics"]:
        # The terminal leaves out the last parts of a long topic.
        assert f"{topic['name']} {words(topic['parts'][0])[:40]}" in terminal
        joined = words(" · ".join(topic["parts"]))
        assert f"{topic['name']} {joined}" in shown and f"{topic['name']}: {joined}" in captions


def test_the_headlines_are_the_screens_own_numbers(program, root):
    view = view_of(root / "tests/data/first_screen/h100.jsonl")
    levels = view.screens[0]["levels"]
    sized = [level for level in levels if level.get("size") and not level["sure"].startswith("rough")]
    memory = {cell["api"]: cell for cell in levels[-1]["cells"]}
    head = first_screen.headline(view, "latency")
    assert head[0].isupper() and f"{sized[-1]['name'][1:]} ends at {sized[-1]['size']}" in head
    assert (
        f"memory takes {memory['opencl']['latency_ns']} ns (OpenCL), {memory['vulkan']['latency_ns']} ns (Vulkan)"
        in head
    )
    assert f"memory {memory['opencl']['read_gbps']} GB/s (OpenCL)" in first_screen.headline(view, "bandwidth")
    assert first_screen.headline(view, "no such section") == ""
    (copies,) = [topic for topic in view.screens[0]["topics"] if topic["name"] == "Host memory"]
    assert first_screen.headline(view, "memory-kinds").lower() == copies["parts"][0].lower()


def test_a_device_without_levels_has_no_headline_of_latency():
    view = type("View", (), {"screens": [{"levels": [], "topics": []}]})
    assert first_screen.headline(view, "latency") == first_screen.headline(view, "bandwidth") == ""


def test_two_files_that_say_different_things_have_no_headline_together():
    screens = [{"levels": [], "topics": [{"name": "Copies", "parts": [f"{rate} GB/s"]}]} for rate in (1, 1, 2)]
    two, three = (type("View", (), {"screens": screens[:number]}) for number in (2, 3))
    assert first_screen.headline(two, "copy") == "1 GB/s" and first_screen.headline(three, "copy") == ""


def test_without_the_program_the_page_says_so_and_has_the_rest(tmp_path, monkeypatch):
    monkeypatch.delenv("SONDE_PROGRAM")
    monkeypatch.setenv("PATH", str(tmp_path))
    file = synthetic.write(tmp_path / "run.jsonl", synthetic.full_records())
    assert main([str(file), "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert first_screen.NO_PROGRAM.split(",")[0] in text and "level 1 of 32 KiB at 1.50 ns" in text
    assert 'class="screen"' not in text


def test_a_file_that_the_program_refuses_costs_its_own_screen_only(program, tmp_path, capsys):
    files = [synthetic.write(tmp_path / f"{name}.jsonl", synthetic.full_records()) for name in ("good", "bad")]
    views = [device_views([records.read(file)])[0] for file in files]
    # It has changed since it was read.
    files[1].write_text("{}\n", encoding="utf-8")
    first_screen.add_to(views)
    assert [len(view.screens) for view in views] == [1, 0] and "no first screen of" in capsys.readouterr().err


def test_a_run_in_two_files_has_one_screen_of_both(program, root, tmp_path):
    whole = root / "tests/data/first_screen/h100.jsonl"
    run, *others = whole.read_text(encoding="utf-8").splitlines()
    run = json.dumps(json.loads(run) | {"run": "one run"})
    half = len(others) // 2
    parts = [others[:half], others[half:]]
    files = [tmp_path / f"{number}.jsonl" for number in range(2)]
    for file, part in zip(files, parts, strict=True):
        # The last line of a run that was killed, which may be no record.
        file.write_text("\n".join([run, *part, '{"record": "sam']), encoding="utf-8")
    (view,) = device_views(records.runs(files, io.StringIO(), "report", pytest.fail))
    first_screen.add_to([view])
    (screen,) = view.screens
    assert screen["file"] == "0.jsonl"
    known = view_of(whole).screens[0]
    assert (screen["levels"], screen["topics"]) == (known["levels"], known["topics"])


def test_a_program_that_cannot_be_started_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SONDE_PROGRAM", str(tmp_path / "nothing"))
    file = synthetic.write(tmp_path / "run.jsonl", synthetic.full_records())
    assert main([str(file), "-o", str(tmp_path / "page.html")]) == 0
    assert "no first screen" in capsys.readouterr().err
