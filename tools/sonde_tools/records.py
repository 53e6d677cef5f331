"""Reads record files: JSON Lines, one record a line, as docs/records.md describes them."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

SCHEMA = 1

# What the report relies on; everything else in a record is optional to a reader.
_NEEDED = {
    "device": {"device": str, "name": str, "type": str},
    "sample": {"device": str, "api": str, "probe": str, "series": dict, "x": dict, "unit": str, "values": list},
    "level": {"device": str, "api": str, "probe": str, "series": dict, "level": int},
    "finding": {"device": str, "finding": str, "evidence": str},
    "skip": {"reason": str},
    "error": {"reason": str},
    "end": {"status": str},
}


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


def read(path, notes=sys.stderr):
    """Reads one record file into a Recording; an unfinished last line is skipped with a line on notes.

    Raises RecordFileError where the file is missing, is not JSON Lines, or has another schema number.
    """
    path = Path(path)
    records = list(_parse(path, notes))
    if not records:
        raise RecordFileError(f"{path} holds no records: the run ended before it wrote its first line.")
    first = records[0][1]
    if first.get("record") != "run":
        raise RecordFileError(f"{path} is not a Sonde record file: its first line is not a run record.")
    if first.get("schema") != SCHEMA:
        raise RecordFileError(
            f"{path} has schema {first.get('schema')!r}, this version reads schema {SCHEMA}: "
            "use the version of Sonde that wrote the file."
        )
    return _sorted_by_kind(path, first, records[1:])


def _parse(path, notes):
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise RecordFileError(f"{path} cannot be read: {error.strerror}.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, parse_constant=_reject_constant)
        except ValueError as error:
            # Every finished line ends in a newline, so only what follows the last one may be cut short.
            if number == len(lines):
                print(f"{path}: skipped the unfinished last line ({number}).", file=notes)
                return
            raise RecordFileError(f"{path} is not JSON Lines: line {number} is not valid JSON.") from error
        if not isinstance(record, dict):
            raise RecordFileError(f"{path} is not a Sonde record file: line {number} is not a JSON object.")
        yield number, record


def _reject_constant(name):
    raise ValueError(f"{name} is not JSON")


def _sorted_by_kind(path, run, records):
    kinds = {"device": [], "sample": [], "level": [], "finding": [], "counter": [], "skip": [], "error": []}
    end = None
    for number, record in records:
        kind = record.get("record")
        _check(path, number, kind, record)
        if kind == "run":
            raise RecordFileError(f"{path} holds a second run from line {number} on: keep one run in a file.")
        if kind == "end":
            end = record
        elif kind in kinds:
            kinds[kind].append(record)
    return Recording(path, run, **{f"{kind}s": found for kind, found in kinds.items()}, end=end)


def _check(path, number, kind, record):
    for name, type_ in _NEEDED.get(kind, {}).items():
        if not isinstance(record.get(name), type_):
            raise RecordFileError(f"{path}: the {kind} record in line {number} has no proper {name!r}.")
    if kind == "sample":
        numbers = [*record["values"], *record["x"].values()]
        if not record["values"] or not all(_is_number(value) for value in numbers):
            raise RecordFileError(f"{path}: the sample in line {number} has values that are not numbers.")
    if kind == "level" and not _has_proper_bands(record):
        raise RecordFileError(
            f"{path}: the level in line {number} has a size, a latency or a bandwidth that is not a number."
        )
    if kind == "level" and not _has_proper_words(record):
        raise RecordFileError(f"{path}: the level in line {number} has no proper 'name' or 'matches'.")
    if kind == "finding" and not all(_is_number(record.get(name) or 0) for name in ("value", "low", "high")):
        raise RecordFileError(f"{path}: the finding in line {number} has a value that is not a number.")


def _has_proper_bands(level):
    bands = [level[name] for name in ("bytes", "latency_ns", "cycles", "bandwidth") if level.get(name) is not None]
    if not all(isinstance(band, dict) for band in bands):
        return False
    ends = level.get("transition") or {}
    return (
        all(_is_number(band.get(name)) for band in bands for name in ("low", "value", "high"))
        and all(band["value"] > 0 for band in bands)
        and isinstance(ends, dict)
        and all(ends.get(name) is None or _is_number(ends[name]) for name in ("onset", "end"))
    )


def _has_proper_words(level):
    name, matches = level.get("name"), level.get("matches")
    return (name is None or isinstance(name, str)) and (matches is None or type(matches) is int)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
