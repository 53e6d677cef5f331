#!/usr/bin/env python3
"""Draws the gallery's pictures anew: those of docs/results, from the record files beside them.

Usage: tools/gallery.py [--check | --pages DIR]

Each picture's drawing (what it shows, as the renderer is given it) and file are hashed into docs/results/drawn.json.
--check draws nothing and ends with 1 where a record, the drawing code or the program would draw another picture today, or
a file was changed by hand; tools/test does so. --pages writes a page of each device too.

It needs the packages of .venv, and the program in build/test, build/release, or where SONDE_PROGRAM says.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sonde_tools import first_screen, parts, pictures, records, report, style, together
from sonde_tools.devices import content_of, views_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs/results"
HASHES = "drawn.json"


@dataclass(frozen=True)
class Drawing:
    """A picture of the gallery: its record files, the section it is of, and which of the section's further figures.

    together: it has all devices or drivers, and `section` is the quantity. levels_anew: levels are found by today's
    program, as the records are of one that was not as sure.
    """

    files: tuple
    section: str
    figure: str = ""
    together: bool = False
    levels_anew: bool = False


H100 = ("h100/opencl.jsonl", "h100/vulkan.jsonl")
EPYC = ("epyc-2-cores/debian-12-2.jsonl", "epyc-2-cores/debian-13-2.jsonl")
STRIX_HALO = ("strix-halo-simulated/hit-rate.jsonl", "strix-halo-simulated/frames.jsonl")
DRAWINGS = {
    "h100/latency.png": Drawing(H100, "latency", levels_anew=True),
    "epyc-2-cores/latency.png": Drawing(EPYC, "latency", together=True),
    "epyc-2-cores/copies.png": Drawing(EPYC, "copy-to-device", together=True),
    "strix-halo-simulated/hit-rate.png": Drawing(STRIX_HALO[:1], "hit-rate"),
    "strix-halo-simulated/frames-hit-rate.png": Drawing(STRIX_HALO[1:], "frames", "frames-hit-rate"),
}
PAGES = {"h100": H100, "epyc-2-cores": EPYC, "strix-halo-simulated": STRIX_HALO}


def picture_of(drawing, folder):
    """The Picture of a Drawing; files that are made for it go into the folder."""
    paths = [RESULTS / file for file in drawing.files]
    if drawing.levels_anew:
        paths = [with_levels_anew(path, folder) for path in paths]
    views = views_of([content_of(recording) for recording in map(records.read, paths)])
    first_screen.add_to(views)
    if drawing.together:
        return next(figure.chart for figure, _ in together.figures(views) if figure.name == drawing.section)
    (view,) = views
    section = next(section for section in report.SECTIONS if section.name == drawing.section)
    if not drawing.figure:
        return first_screen.picture_of(view, section)
    figure = next(figure for figure in section.further(view) if figure.name == drawing.figure)
    # On the page a further picture stands below its device's name.
    what = figure.heading[0].lower() + figure.heading[1:]
    head = {"text": f"{view.record['name']}: {what}", "subtitle": style.subtitle([parts.about(view), figure.legend])}
    return pictures.Picture({**figure.chart.specification, "title": head}, figure.chart.lines)


def with_levels_anew(path, folder):
    """A copy of a record file, with the level records that the program finds in its samples today."""
    found = subprocess.run(
        [first_screen.program(), "levels", "--json", path], capture_output=True, text=True, check=True
    )
    *kept, end = [line for line in path.read_text(encoding="utf-8").splitlines() if '"record":"level"' not in line]
    copy = Path(folder) / path.name
    copy.write_text("\n".join([*kept, *found.stdout.splitlines(), end]) + "\n", encoding="utf-8")
    return copy


def drawing_hash(picture):
    """What tells a picture from another: its specification and rows, numbers to six digits."""
    text = json.dumps(_rounded(picture.to_dict()), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def file_hash(path):
    """What tells a file from another; empty where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def _rounded(value):
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def outdated():
    """Names of pictures that would be drawn otherwise today, or whose file is not the one that was drawn."""
    known = json.loads((RESULTS / HASHES).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        today = {name: drawing_hash(picture_of(drawing, folder)) for name, drawing in DRAWINGS.items()}
    return [name for name in DRAWINGS if known.get(name) != {"drawing": today[name], "file": file_hash(RESULTS / name)}]


def draw():
    """Draws every picture and keeps its hashes."""
    hashes = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, drawing in DRAWINGS.items():
            picture = picture_of(drawing, folder)
            (RESULTS / name).write_bytes(pictures.png(picture))
            hashes[name] = {"drawing": drawing_hash(picture), "file": file_hash(RESULTS / name)}
            print(f"docs/results/{name}")
    (RESULTS / HASHES).write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")


def main(arguments=None):
    """Draws or checks, and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="end with 1 where a picture is not today's")
    parser.add_argument("--pages", type=Path, metavar="DIR", help="write a page of each device there too")
    request = parser.parse_args(arguments)
    built = [ROOT / f"build/{kind}/sonde" for kind in ("test", "release")]
    os.environ.setdefault("SONDE_PROGRAM", str(next((file for file in built if file.exists()), "")))
    if not first_screen.program():
        print("tools/gallery.py: there is no sonde in build/test or build/release; build it first", file=sys.stderr)
        return 2
    if request.check:
        found = outdated()
        for name in found:
            print(
                f"docs/results/{name} is not what today's program draws; tools/gallery.py draws it anew",
                file=sys.stderr,
            )
        return 1 if found else 0
    draw()
    for name, files in PAGES.items() if request.pages else []:
        report.main([*(str(RESULTS / file) for file in files), "-o", str(request.pages / f"{name}.html")])
    return 0


if __name__ == "__main__":
    sys.exit(main())
