"""Reads record files: JSON Lines, one record a line, as docs/records.md describes them."""

import re
import stat
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import msgspec

from sonde_tools import declarations, formats, old_files, record_types

SCHEMA = 1

# Ten times what the largest run writes.
_LARGEST_FILE_BYTES = 256 << 20


class _Kind(TypedDict):
    record: str


_KIND = msgspec.json.Decoder(_Kind)
_DECODERS = {kind: msgspec.json.Decoder(type_) for kind, type_ in record_types.RECORDS.items()}
# Values that levels are read from have no zero; a cost in microseconds may be nothing, a share of time saved negative.
_UNITS_OF_CURVES = {"ns", "cycles", "GB/s"}
_UNITS_OF_ANY_SIGN = {"ratio"}
_POSITIVE_COORDINATES = {"bytes", "groups", "queues"}


class RecordFileError(Exception):
    """A file that cannot be read as a record file; the text is one sentence for the user."""


@dataclass(frozen=True)
class Recording:
    """One record file: its run record, and the other records by kind in the order they were written."""

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


def read(path, notes=sys.stderr):
    """Reads one record file into a Recording; an unfinished last line is skipped with a line on notes.

    Raises RecordFileError where the file is missing, is not JSON Lines, has another schema number, or a field of a
    record that is not as docs/records.md has it.
    """
    path = Path(path)
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
    return _sorted_by_kind(path, first, others)


def once(recordings, notes, command):
    """The Recordings of a sequence, each run once however many copies of its file there are; a line on notes tells."""
    first = {}
    for recording in recordings:
        path = first.setdefault(recording.run.get("run", recording.path), recording.path)
        if path == recording.path:
            yield recording
        else:
            said = f"{recording.path} is of the same run as {path} and is left out."
            print(f"sonde {command}: {formats.visible(said)}", file=notes)


def _lines(path):
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise RecordFileError(f"{path} cannot be read: it is no regular file.")
        if about.st_size > _LARGEST_FILE_BYTES:
            most = f"{_LARGEST_FILE_BYTES >> 20} MiB"
            raise RecordFileError(f"{path} is larger than {most}, which no run is: keep one run in a file.")
        return path.read_bytes().split(b"\n")
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
                print(f"{path}: skipped the unfinished last line ({number}).", file=notes)
                return
            raise RecordFileError(f"{path} is not JSON Lines: line {number} is not valid JSON.") from error
        if record:
            yield number, record


def _decoded(line):
    """The record in a line, or None where its kind is not known here."""
    decoder = _DECODERS.get(_KIND.decode(line)["record"])
    record = decoder and decoder.decode(line)
    if record and record["record"] == "sample":
        _check_signs(record)
    if record and record.get("series"):
        record["series"] = old_files.renamed(record["series"], record.get("probe"), record.get("x") or {})
    return record


def _check_signs(sample):
    unit, values = sample["unit"], sample["values"]
    # On a busy machine a long dispatch may be quicker than a short one, but not most of them.
    if unit in _UNITS_OF_CURVES and min(values) <= 0 and statistics.median(values) <= 0:
        raise msgspec.ValidationError(f"Expected values above 0 in {unit} - at `$.values`")
    if unit not in _UNITS_OF_ANY_SIGN | _UNITS_OF_CURVES and min(values) < 0:
        raise msgspec.ValidationError(f"Expected no value below 0 in {unit} - at `$.values`")
    for name, value in sample["x"].items():
        if value <= 0 and name in _POSITIVE_COORDINATES:
            raise msgspec.ValidationError(f"Expected a number above 0 - at `$.x.{name}`")


def _in_words(error):
    """ "values[0]: expected ..." for the decoder's "Expected ... - at `$.values[0]`"."""
    problem, place = re.fullmatch(r"(.*?)(?: - at (.*))?", str(error), re.DOTALL).groups()
    named = re.search(r"\$\.?(.*)`$", place or "")
    problem = problem[:1].lower() + problem[1:]
    return f"{named[1]}: {problem}" if named and named[1] else problem


def _sorted_by_kind(path, run, records):
    kinds = {kind: [] for kind in record_types.RECORDS}
    for number, record in records:
        if record["record"] == "run":
            raise RecordFileError(f"{path} holds a second run from line {number} on: keep one run in a file.")
        kinds[record["record"]].append(record)
    declared = declarations.read(kinds["curve"], kinds["finding-kind"])
    found = {f"{kind}s": kinds[kind] for kind in ("device", "sample", "level", "finding", "counter", "skip", "error")}
    return Recording(path, run, **found, end=kinds["end"][-1] if kinds["end"] else None, declared=declared)
