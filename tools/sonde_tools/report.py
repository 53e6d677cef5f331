"""The command `sonde report`: pictures and tables from record files."""

import argparse
import sys
from pathlib import Path

from sonde_tools import first_screen, formats, other_curves, outputs, page, pictures, publish, records, tables, together
from sonde_tools.bandwidth import BANDWIDTH
from sonde_tools.compute import COMPUTE
from sonde_tools.contention import CONTENTION
from sonde_tools.copies import COPY
from sonde_tools.core_to_core import CORE_TO_CORE, matrix_texts
from sonde_tools.cpu_bandwidth import CPU_BANDWIDTH
from sonde_tools.cpu_latency import CPU_LATENCY
from sonde_tools.devices import content_of, views_of
from sonde_tools.frames import FRAMES
from sonde_tools.hit_rate import HIT_RATE
from sonde_tools.latency import LATENCY
from sonde_tools.loaded_latency import LOADED_LATENCY, LOADED_LATENCY_OF_CPU
from sonde_tools.memory_kinds import KINDS
from sonde_tools.moved import MOVED
from sonde_tools.roofline import ROOFLINE

# In the order in which a reviewer writes. A probe without a Section here is drawn as its curves declare it.
SECTIONS = [
    LATENCY, BANDWIDTH, HIT_RATE, COPY, LOADED_LATENCY, CONTENTION, ROOFLINE, COMPUTE, CPU_LATENCY, CPU_BANDWIDTH,
    LOADED_LATENCY_OF_CPU, CORE_TO_CORE, KINDS, FRAMES, MOVED,
]  # fmt: skip
SHOWN_PROBES = {probe for section in SECTIONS for probe in section.shown_probes}

EXAMPLES = """examples:
  sonde report results/run.jsonl -o report.html
      one page with everything inside; open it in a browser, send it, read it offline
  sonde report results/run.jsonl -o report.html --png pictures --csv tables
      beside the page, the charts as PNG and the samples as CSV
  sonde report results/run.jsonl --publish review
      the six pictures of each device that a review needs, and what to write below them
  sonde report old-driver.jsonl new-driver.jsonl -o both.html
      two drivers of one device in one chart
  sonde report results/*.jsonl -o all.html --together --png pictures
      all devices in one chart, one curve each
  sonde report 1080p.jsonl 2160p.jsonl -o games.html
      what `sonde watch` saw of two runs: hit rates over one another
"""


def shown(view):
    """A device with its Sections that have anything of it, and the Tables of what none of them shows."""
    own = [section for section in SECTIONS if section.applies(view)]
    return view, [*own, *other_curves.sections(view, SHOWN_PROBES)], other_curves.tables(view, SHOWN_PROBES)


def parser():
    """The command line of `sonde report`."""
    found = argparse.ArgumentParser(
        prog="sonde report",
        description="Makes an HTML page that works offline, pictures and tables from record files of `sonde run` and `sonde watch`.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("files", nargs="+", type=Path, metavar="FILE", help="record file (JSON Lines)")
    found.add_argument("-o", "--out", type=Path, metavar="OUT.html", help="the page to write")
    text = "write the six pictures that a review needs as PNG and SVG into DIR, with captions.md"
    found.add_argument("--publish", type=Path, metavar="DIR", help=text)
    text = "begin with pictures of all devices, one curve a device, or one a driver version"
    found.add_argument("--together", action="store_true", help=text)
    found.add_argument("--png", type=Path, metavar="DIR", help="also write each chart as a PNG picture into DIR")
    found.add_argument("--svg", type=Path, metavar="DIR", help="also write each chart as an SVG picture into DIR")
    text = "also write samples, points, levels, findings and counters as CSV tables into DIR"
    found.add_argument("--csv", type=Path, metavar="DIR", help=text)
    return found


def main(arguments=None):
    """Runs `sonde report` and returns its exit status: 0, 2 where the request or a file was wrong, 130 on Ctrl-C."""
    command_line = parser()
    request = command_line.parse_args(arguments)
    if not request.out and not request.publish:
        command_line.error("say where to write: -o OUT.html for a page, --publish DIR for pictures with captions")
    try:
        files = list({path.resolve(): path for path in request.files}.values())
        # Only the curves of each file are kept, unless its samples are asked for too.
        recordings = records.runs(files, sys.stderr, "report", _refuse)
        found = [content_of(recording, keep_samples=request.csv is not None) for recording in recordings]
        for written in _write(request, found):
            outputs.say(f"{formats.visible(str(written))}\n")
    except (records.RecordFileError, outputs.OutputError) as error:
        print(f"sonde report: {formats.visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("sonde report: interrupted; every file named above is complete.", file=sys.stderr)
        return 130
    return 0


def _refuse(error):
    raise error


def _write(request, files):
    """Writes all that was asked for of several FileContents; yields each path when it is there."""
    recordings = [file.recording for file in files]
    target = outputs.Outputs([recording.path for recording in recordings])
    if request.out:
        target.check(request.out)
    views = views_of(files)
    if request.out or request.publish or request.png or request.svg:
        first_screen.add_to(views)
    slugs = formats.slugs(view.device for view in views)
    devices = list(map(shown, views))
    compared = together.figures(views) if request.together else None
    traffic = _traffic(files)
    if request.out:
        yield target.write(request.out, page.html(recordings, devices, slugs, compared, traffic))
    if request.publish:
        for name, content in publish.files(devices, slugs, compared):
            yield target.write(request.publish / name, content)
    if request.png or request.svg:
        for figure, _ in compared or []:
            yield from _pictures(request, target, figure.chart, f"{figure.name}-together")
        for (view, sections, _), slug in zip(devices, slugs, strict=True):
            for section in sections:
                yield from _pictures(request, target, first_screen.picture_of(view, section), f"{section.name}-{slug}")
        for part in traffic.parts if traffic else []:
            yield from _pictures(request, target, part.chart, part.name)
    if request.csv:
        for name, text in tables.texts(recordings):
            yield target.write(request.csv / name, text)
        for view, slug in zip(views, slugs, strict=True):
            for name, text in matrix_texts(view) if CORE_TO_CORE.applies(view) else []:
                yield target.write(request.csv / f"{name}-{slug}.csv", text)


def _traffic(files):
    """What the page says of the files' counters, or None where none has any."""
    runs = [run for file in files for run in file.traffic]
    if not runs:
        return None
    from sonde_tools.traffic import parts
    from sonde_tools.traffic.runs import labelled

    return parts.of(labelled(runs))


def _pictures(request, target, chart, name):
    if chart is None:
        return
    if request.png:
        yield target.write(request.png / f"{name}.png", pictures.png(chart))
    if request.svg:
        yield target.write(request.svg / f"{name}.svg", pictures.svg(chart))
