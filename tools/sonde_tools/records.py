"""Reads record files: JSON Lines, one record a line, as docs/records.md describes them."""

import re
import stat
import statistics
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict

import msgspec

from sonde_tools import declarations, formats, old_files, record_types, same_records

SCHEMA = 1

# Ten times what the largest run writes.
_LARGEST_FILE_BYTES = 256 << 20
_LONGEST_RUN_RECORD = 1 << 20
# Some editors write it before a text in UTF-8.
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Kind(TypedDict):
    record: str


_KIND = msgspec.json.Decoder(_Kind)
_DECODERS = {kind: msgspec.json.Decoder(type_) for kind, type_ in record_types.RECORDS.items()}
# Values that levels are read from have no zero; a cost in microseconds may be nothing, a share of time saved negative.
_UNITS_OF_CURVES = {"ns", "cycles", "GB/s"}
_UNITS_OF_ANY_SIGN = {"ratio"}
_LARGEST_SET_BYTES = 1 << 50
_POSITIVE_COORDINATES = {"bytes", "groups", "queues"}


class RecordFileError(Exception):
    """A file that cannot be read as a record file; the text is one sentence for the user."""


@dataclass(frozen=True)
class Recording:
    """One run: its run record, and the other records by kind, each once, in the order that same_records gives them."""

    path: Path
    run: dict
    devices: list = field(default_factory=list)
    samples: list = field(default_factory=list)
    levels: list = field(default_factory=list)
    findings: list = field(default_factory=list)
    counters: list = field(default_factory=list)
    skips: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    end: dict | None = None
    declared: declarations.Declarations = declarations.Declarations()
    further_paths: tuple = field(default=(), compare=False)  # of other files of the same run


def read(path, notes=sys.stderr):
    """Reads one record file into a Recording; an unfinished last line is skipped with a line on notes.

    Raises RecordFileError where the file is missing, is not JSON Lines, has another schema number, or a field of a
    record that is not as docs/records.md has it.
    """
    path = Path(path)
    return _sorted_by_kind(path, *_records(path, notes))


def runs(paths, notes, command, refuse):
    """The Recordings of several files in the order of their runs' times, or else as given, a run that has several files as one Recording.

    What such files both say counts once, and a line on notes tells of each. refuse is called with the RecordFileError
    of a file that cannot be read.
    """
    files = {}
    for path in paths:
        time, id_ = _identity(path)
        files.setdefault(id_, []).append((time, path))
    for of_run in sorted(files.values(), key=lambda of_run: min(time for time, _ in of_run)):
        found = []
        for _, path in of_run:
            try:
                found.append((path, *_records(path, notes)))
            except RecordFileError as error:
                refuse(error)
        known = same_records.texts(found[0][2] if found else [])
        for path, _, records in found[1:]:
            is_a_copy = same_records.texts(records) <= known
            rest = " and is left out." if is_a_copy else ": what both say counts once."
            said = f"{path} is of the same run as {found[0][0]}{rest}"
            print(f"sonde {command}: {formats.visible(said)}", file=notes)
        if found:
            path, run, _ = found[0]
            whole = _sorted_by_kind(path, run, [record for _, _, records in found for record in records])
            yield replace(whole, further_paths=tuple(further for further, _, _ in found[1:]))


def _identity(path):
    """The time and the id of a file's run; of a file that has none its path."""
    run = {}
    try:
        if path.is_file():
            with open(path, "rb") as file:
                run = _DECODERS["run"].decode(file.readline(_LONGEST_RUN_RECORD).removeprefix(_BYTE_ORDER_MARK))
    except (OSError, ValueError, RecursionError, msgspec.DecodeError):
        pass
    return run.get("time") or "", run.get("run") or f"file {path}"


def _records(path, notes):
    """The run record of a file, and a list of the others with the numbers of their lines."""
    records = list(_parse(path, notes))
    if not records:
        raise RecordFileError(f"{path} holds no records: the run ended before it wrote its first line.")
    (_, first), *others = records
    if first["record"] != "run":
        raise RecordFileError(f"{path} is not a Sonde record file: its first line is not a run record.")
    if first.get("schema") != SCHEMA:
        raise RecordFileError(
            f"{path} has schema {first.get('schema')!r}, this version reads schema {SCHEMA}: "
            "use the version of Sonde that wrote the file."
        )
    for number, record in others:
        if record["record"] == "run":
            raise RecordFileError(f"{path} holds a second run from line {number} on: keep one run in a file.")
    return first, [record for _, record in others]


def _lines(path):
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise RecordFileError(f"{path} cannot be read: it is no regular file.")
        if about.st_size > _LARGEST_FILE_BYTES:
            most = f"{_LARGEST_FILE_BYTES >> 20} MiB"
            raise RecordFileError(f"{path} is larger than {most}, which no run is: keep one run in a file.")
        return path.read_bytes().removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    except (OSError, ValueError) as error:  # a name with a zero byte is no OSError
        raise RecordFileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _parse(path, notes):
    lines = _lines(path)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = _decoded(line)
        except msgspec.ValidationError as error:
            raise RecordFileError(f"{path}, line {number}: {_in_words(error)}.") from error
        # Nesting deeper than any record's, and bytes that are no text, are found while decoding.
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            # Every finished line ends in a newline, so only what follows the last one may be cut short.
            if number == len(lines):
                print(formats.visible(f"{path}: skipped the unfinished last line ({number})."), file=notes)
                return
            raise RecordFileError(f"{path} is not JSON Lines: line {number} is not valid JSON.") from error
        if record:
            yield number, record


def _decoded(line):
    """The record in a line, or None where its kind is not known here."""
    decoder = _DECODERS.get(_KIND.decode(line)["record"])
    record = decoder and decoder.decode(line)
    if record and record["record"] == "sample":
        _check_sample(record)
    if record and record["record"] == "device":
        record["type"] = record.get("type") or "discrete"
    if record and record.get("series"):
        record["series"] = old_files.renamed(record["series"], record.get("probe"), record.get("x") or {})
    return record


def _check_sample(sample):
    unit, values = sample["unit"], sample["values"]
    # On a busy machine a long dispatch may be quicker than a short one, but not most of them.
    if unit in _UNITS_OF_CURVES and min(values) <= 0 and statistics.median(values) <= 0:
        raise msgspec.ValidationError(f"Expected values above 0 in {unit} - at `$.values`")
    if unit not in _UNITS_OF_ANY_SIGN | _UNITS_OF_CURVES and min(values) < 0:
        raise msgspec.ValidationError(f"Expected no value below 0 in {unit} - at `$.values`")
    for name, value in sample["x"].items():
        if value <= 0 and name in _POSITIVE_COORDINATES:
            raise msgspec.ValidationError(f"Expected a number above 0 - at `$.x.{name}`")
    if not 1 <= sample["x"].get("bytes", 1) <= _LARGEST_SET_BYTES:
        raise msgspec.ValidationError("Expected bytes that a device may have - at `$.x.bytes`")
    if (visits := sample.get("visits")) and sum(visits) != len(values):
        raise msgspec.ValidationError("Expected each value counted once - at `$.visits`")


def _in_words(error):
    """ "values[0]: expected ..." for the decoder's "Expected ... - at `$.values[0]`"."""
    problem, place = re.fullmatch(r"(.*?)(?: - at (.*))?", str(error), re.DOTALL).groups()
    named = re.search(r"\$\.?(.*)`$", place or "")
    problem = problem[:1].lower() + problem[1:]
    return f"{named[1]}: {problem}" if named and named[1] else problem


def _sorted_by_kind(path, run, records):
    kinds = {kind: [] for kind in record_types.RECORDS}
    for record in same_records.once_in_order(records):
        kinds[record["record"]].append(record)
    declared = declarations.read(kinds["curve"], kinds["finding-kind"])
    found = {f"{kind}s": kinds[kind] for kind in ("device", "sample", "level", "finding", "counter", "skip", "error")}
    return Recording(path, run, **found, end=kinds["end"][-1] if kinds["end"] else None, declared=declared)
