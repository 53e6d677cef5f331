"""The command `sonde report`: pictures and tables from record files."""

import argparse
import sys
from pathlib import Path

from sonde_tools import charts, formats, page, records, tables
from sonde_tools.bandwidth import BANDWIDTH
from sonde_tools.contention import CONTENTION
from sonde_tools.copy import COPY
from sonde_tools.cpu_latency import CPU_LATENCY
from sonde_tools.devices import device_views
from sonde_tools.kinds import KINDS
from sonde_tools.latency import LATENCY
from sonde_tools.loaded_latency import LOADED_LATENCY

# A later probe adds its Section here.
SECTIONS = [LATENCY, CPU_LATENCY, BANDWIDTH, LOADED_LATENCY, KINDS, COPY, CONTENTION]

EXAMPLES = """examples:
  sonde report results/run.jsonl -o report.html
      one page with everything inside; open it in a browser, send it, read it offline
  sonde report results/run.jsonl -o report.html --png pictures --csv tables
      beside the page, the charts as PNG and the samples as CSV
  sonde report old-driver.jsonl new-driver.jsonl -o both.html
      two drivers of one device in one chart
"""


class _Refused(Exception):
    """A request that cannot be met; the text is one sentence for the user."""


def parser():
    """The command line of `sonde report`."""
    found = argparse.ArgumentParser(
        prog="sonde report",
        description="Makes an HTML page that works offline, pictures and tables from record files of `sonde run`.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("files", nargs="+", type=Path, metavar="FILE", help="record file (JSON Lines)")
    found.add_argument("-o", "--out", required=True, type=Path, metavar="OUT.html", help="the page to write")
    found.add_argument("--png", type=Path, metavar="DIR", help="also write each chart as a PNG picture into DIR")
    found.add_argument("--svg", type=Path, metavar="DIR", help="also write each chart as an SVG picture into DIR")
    found.add_argument(
        "--csv", type=Path, metavar="DIR", help="also write samples, points, levels and findings as CSV tables into DIR"
    )
    return found


def main(arguments=None):
    """Runs `sonde report` and returns its exit status: 0, or 2 where the request or a file was wrong."""
    request = parser().parse_args(arguments)
    try:
        files = list({path.resolve(): path for path in request.files}.values())
        if request.out.resolve() in {path.resolve() for path in files}:
            raise _Refused(f"{request.out} is a record file to be read: name another page with -o.")
        recordings = [records.read(path) for path in files]
        for written in _write(request, recordings):
            print(written)
    except (records.RecordFileError, _Refused) as error:
        print(f"sonde report: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"sonde report: {error.filename} cannot be written: {error.strerror}.", file=sys.stderr)
        return 2
    return 0


def _write(request, recordings):
    """Writes all that was asked for; yields each path when it is there."""
    views = device_views(recordings)
    slugs = _slugs(views)
    for folder in (request.out.parent, request.png, request.svg, request.csv):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    request.out.write_text(page.html(recordings, views, SECTIONS, slugs), encoding="utf-8")
    yield request.out
    for view in views:
        for section in SECTIONS:
            if section.applies(view) and (request.png or request.svg):
                yield from _pictures(request, section.chart(view), f"{section.name}-{slugs[view.device]}")
    if request.csv:
        yield from tables.write(request.csv, recordings, views)


def _pictures(request, chart, name):
    if request.png:
        path = request.png / f"{name}.png"
        path.write_bytes(charts.png(chart))
        yield path
    if request.svg:
        path = request.svg / f"{name}.svg"
        path.write_text(charts.svg(chart), encoding="utf-8")
        yield path


def _slugs(views):
    """A file name part for each device id; ids that would share one are numbered."""
    found = {}
    for view in views:
        slug, number = formats.slug(view.device), 1
        while slug in found.values():
            number += 1
            slug = f"{formats.slug(view.device)}-{number}"
        found[view.device] = slug
    return found


if __name__ == "__main__":
    sys.exit(main())
