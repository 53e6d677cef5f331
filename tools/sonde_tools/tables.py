"""A run as CSV tables: every value, medians and quartiles, levels, findings, counters."""

import csv
import io

import msgspec

from sonde_tools import formats
from sonde_tools.curves import curves
from sonde_tools.series import canonical

_CURVE = ["file", "run", "device", "api", "probe"]
_STATE = ["disturbed", "foreign_cpu", "clock_mhz", "shape"]
_STATISTICS = ["median", "low_quartile", "high_quartile", "minimum", "maximum", "repetitions"]
_BANDS = ["bytes", "latency_ns", "cycles", "bandwidth"]
_COUNTER = [
    "t", "dt", "fabric_read", "fabric_write", "memory_read", "memory_write", "gpu_read", "gpu_write", "cpu_read",
    "cpu_write", "cpu_latency_ns", "hit_rate", "beat_bytes", "scale", "scaled", "baseline",
]  # fmt: skip


def texts(recordings):
    """Yields (name, text) of samples.csv, points.csv, levels.csv and findings.csv, and of counters.csv where there are."""
    samples = [sample for recording in recordings for sample in recording.samples]
    concluded = [record for recording in recordings for record in (*recording.levels, *recording.findings)]
    series = _names(canonical(record.get("series")) for record in (*samples, *concluded))
    x = _names(sample["x"] for sample in samples)
    # A series may have a key that is also a column (state, host), hence the prefix.
    about = [*_CURVE, *(f"series_{name}" for name in series)]
    bytes_, *others = ([f"{band}_low", band, f"{band}_high"] for band in _BANDS)
    levels = ["level", "name", "matches", *bytes_, "transition_onset", "transition_end", *sum(others, [])]
    tables = {
        "samples": (_sample_rows, [*x, "unit", "repetition", "value", *_STATE]),
        "points": (_point_rows, [*x, "unit", *_STATISTICS, *_STATE]),
        "levels": (_level_rows, levels),
        "findings": (
            lambda file: (each | _about(file, each) for each in file.findings),
            ["finding", "value", "low", "high", "unit", "evidence"],
        ),
    }
    for name, (rows, columns) in tables.items():
        yield f"{name}.csv", _text_of([*about, *columns], (row for recording in recordings for row in rows(recording)))
    if any(recording.counters for recording in recordings):
        state = _names(counter.get("state") or {} for recording in recordings for counter in recording.counters)
        columns = ["file", "run", "source", *_COUNTER, *(f"state_{name}" for name in state)]
        yield "counters.csv", _text_of(columns, (row for recording in recordings for row in _counter_rows(recording)))


def _names(objects):
    return list(dict.fromkeys(name for each in objects for name in each))


def _sample_rows(recording):
    for sample in recording.samples:
        state = sample.get("state") or {}
        shared = (
            _about(recording, sample) | sample["x"] | _state(state.get("disturbed"), state) | {"unit": sample["unit"]}
        )
        for repetition, value in enumerate(sample["values"], start=1):
            yield shared | {"repetition": repetition, "value": value}


def _point_rows(recording):
    for curve in curves(recording.samples):
        about = _about(recording, vars(curve)) | {"unit": curve.unit}
        for point in curve.points:
            statistics = {name: getattr(point, name) for name in _STATISTICS[:-1]} | {"repetitions": len(point.values)}
            yield point.x | about | statistics | _state(point.disturbed, point.state)


def _level_rows(recording):
    for level in recording.levels:
        bands = {
            f"{band}{end}": (level.get(band) or {}).get(name)
            for band in _BANDS
            for end, name in (("_low", "low"), ("", "value"), ("_high", "high"))
        }
        rise = {f"transition_{end}": (level.get("transition") or {}).get(end) for end in ("onset", "end")}
        yield level | _about(recording, level) | bands | rise


def _counter_rows(recording):
    for counter in recording.counters:
        state = {f"state_{name}": value for name, value in (counter.get("state") or {}).items()}
        named = {name: _plain(value) for name, value in (counter | state).items()}
        yield named | {"file": str(recording.path), "run": recording.run.get("run")}


def _about(recording, record):
    """The columns that name a curve; a word of the series that is a default stays empty."""
    words = {f"series_{key}": word for key, word in canonical(record.get("series")).items()}
    place = {name: record.get(name) for name in ("device", "api", "probe")}
    return {"file": str(recording.path), "run": recording.run.get("run"), **place, **words}


def _plain(value):
    """A field of any type: words as the other tables have them, lists and objects as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value


def _state(disturbed, state):
    shape = " ".join(f"{name}={value:g}" for name, value in (state.get("shape") or {}).items())
    known = {name: state.get(name) for name in ("foreign_cpu", "clock_mhz")}
    return {"disturbed": "true" if disturbed else "false", **known, "shape": shape}


def _cell(value):
    """Text from a file as it may stand in a cell: no spreadsheet takes it for a formula, nor a terminal for a command."""
    if not isinstance(value, str):
        return value
    value = formats.visible(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@")) else value


def _text_of(columns, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
