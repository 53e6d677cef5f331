"""The command `sonde compare`: what changed between two groups of runs."""

import argparse
import sys
from pathlib import Path

from sonde_tools import formats, outputs
from sonde_tools.compare import as_json, as_text, runs
from sonde_tools.compare.comparison import compared
from sonde_tools.compare.verdicts import SLOWER

EXAMPLES = """examples:
  sonde compare last-week.jsonl today.jsonl
      one run against one: tells what its visits can, and how much that is
  sonde compare --base old/*.jsonl --new new/*.jsonl
      five runs a side or more tell changes of a few percent
  sonde compare old/ new/ --format html -o compared.html
      folders of record files; a page with each feature's runs and the curves of both sides
  sonde compare PREFIX-base.jsonl PREFIX-new.jsonl
      the two files of sonde duel: pairs of visits tell changes of a percent
  sonde compare this.jsonl that.jsonl --match name
      devices that are not the same one: of one name, or the only one of each file

exit status: 0 nothing got slower, 1 something did, 2 the request was wrong or no file could be used
"""


def parser():
    """The command line of `sonde compare`."""
    found = argparse.ArgumentParser(
        prog="sonde compare",
        description="Compares two groups of record files of `sonde run`, feature by feature: what got slower or "
        "faster, what changed, what is the same, and what cannot be told.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("base_and_new", nargs="*", metavar="BASE NEW", help="two files, folders or quoted patterns")
    found.add_argument("--base", nargs="+", action="extend", metavar="F", help="the files of BASE")
    found.add_argument("--new", nargs="+", action="extend", metavar="F", help="the files of NEW")
    found.add_argument(
        "--threshold", type=_percent, metavar="PCT", help="what counts as a change, in percent (2; of a duel 0.5)"
    )
    found.add_argument("--match", choices=("device", "name"), default="device", help="how devices are paired (device)")
    found.add_argument("--format", choices=("text", "json", "markdown", "html"), default="text", help="text")
    found.add_argument("-o", "--out", type=Path, metavar="FILE", help="write to FILE, not to standard output")
    found.add_argument("-v", "--verbose", action="store_true", help="name what is the same and what cannot be told")
    return found


def _percent(word):
    value = float(word)
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"'{word}' is not between 0 and 1000")
    return value


def main(arguments=None):
    """Runs `sonde compare` and returns its exit status: 0, 1 where something got slower, 2, or 130 on Ctrl-C."""
    asking = parser()
    request = asking.parse_args(arguments)
    words = _sides(asking, request)
    try:
        read = [runs.read(name, side, sys.stderr, request.format == "html")
                for name, side in zip(("BASE", "NEW"), words, strict=True)]  # fmt: skip
        runs.told_of_both(*read, sys.stderr)
        comparison = compared(*read, request.match, request.threshold)
        _write(request, [run.path for side in read for run in side], _content(request, comparison))
    except (runs.NothingToCompare, outputs.OutputError) as error:
        print(f"sonde compare: {formats.visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("sonde compare: interrupted.", file=sys.stderr)
        return 130
    return 1 if comparison.those(SLOWER) else 0


def _sides(asking, request):
    """The words of BASE and of NEW, by place or by --base and --new; ends the program where one is missing."""
    placed = request.base_and_new
    if request.base and request.new and not placed:
        return request.base, request.new
    if request.base or request.new:
        asking.error("--base and --new go together, without further files")
    if len(placed) != 2:
        named = f"two sides are compared, BASE and NEW, and {len(placed)} were named"
        asking.error(f"{named}; --base F... and --new F... take several files each")
    return [placed[0]], [placed[1]]


def _content(request, comparison):
    if request.format == "html":
        from sonde_tools.compare import as_page

        return as_page.html(comparison)
    if request.format == "json":
        return as_json.text(comparison)
    return (as_text.markdown if request.format == "markdown" else as_text.text)(comparison, request.verbose)


def _write(request, inputs, content):
    if request.out:
        outputs.Outputs(inputs).write(request.out, content)
    else:
        outputs.say(content)
