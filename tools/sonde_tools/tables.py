"""A run as CSV tables: every value, medians and quartiles, levels, findings."""

import csv
import io

import msgspec

from sonde_tools.curves import curves
from sonde_tools.series import canonical

_CURVE = ["file", "run", "device", "api", "probe"]
_STATE = ["disturbed", "foreign_cpu", "clock_mhz", "shape"]
_STATISTICS = ["median", "low_quartile", "high_quartile", "minimum", "maximum", "repetitions"]
# Column of levels.csv: where in a level record its number is.
_LEVEL = {
    "level": ("level",), "name": ("name",), "matches": ("matches",),
    "bytes_low": ("bytes", "low"), "bytes": ("bytes", "value"), "bytes_high": ("bytes", "high"),
    "transition_onset": ("transition", "onset"), "transition_end": ("transition", "end"),
    "latency_ns_low": ("latency_ns", "low"), "latency_ns": ("latency_ns", "value"),
    "latency_ns_high": ("latency_ns", "high"),
    "cycles_low": ("cycles", "low"), "cycles": ("cycles", "value"), "cycles_high": ("cycles", "high"),
    "bandwidth_low": ("bandwidth", "low"), "bandwidth": ("bandwidth", "value"), "bandwidth_high": ("bandwidth", "high"),
}  # fmt: skip
_COUNTER = [
    "t", "dt", "fabric_read", "fabric_write", "memory_read", "memory_write", "gpu_read", "gpu_write", "cpu_read",
    "cpu_write", "cpu_latency_ns", "hit_rate", "beat_bytes", "scale", "scaled", "baseline",
]  # fmt: skip
_FINDING = ["finding", "value", "low", "high", "unit", "evidence"]


def texts(recordings):
    """Yields (name, text) of samples.csv, points.csv, levels.csv and findings.csv, and of counters.csv where there are."""
    samples = [sample for recording in recordings for sample in recording.samples]
    concluded = [record for recording in recordings for record in (*recording.levels, *recording.findings)]
    series = _names(canonical(record.get("series")) for record in (*samples, *concluded))
    x = _names(sample["x"] for sample in samples)
    # A series may have a key that is also a column (state, host), hence the prefix.
    about = [*_CURVE, *(f"series_{name}" for name in series)]
    tables = {
        "samples": ([*x, "unit", "repetition", "value", *_STATE], _sample_rows(recordings, series, x)),
        "points": ([*x, "unit", *_STATISTICS, *_STATE], _point_rows(recordings, series, x)),
        "levels": ([*_LEVEL], _level_rows(recordings, series)),
        "findings": (_FINDING, _finding_rows(recordings, series)),
    }
    for name, (columns, rows) in tables.items():
        yield f"{name}.csv", _text_of([*about, *columns], rows)
    if any(recording.counters for recording in recordings):
        state = _names(counter.get("state") or {} for recording in recordings for counter in recording.counters)
        columns = ["file", "run", "source", *_COUNTER, *(f"state_{name}" for name in state)]
        yield "counters.csv", _text_of(columns, _counter_rows(recordings, state))


def _names(objects):
    return list(dict.fromkeys(name for each in objects for name in each))


def _sample_rows(recordings, series, x):
    for recording in recordings:
        for sample in recording.samples:
            about = [*_about(recording, sample, series), *_coordinates(sample["x"], x), sample["unit"]]
            state = sample.get("state") or {}
            for repetition, value in enumerate(sample["values"], start=1):
                yield [*about, repetition, value, *_state(state.get("disturbed", False), state)]


def _point_rows(recordings, series, x):
    for recording in recordings:
        for curve in curves(recording.samples):
            about = _about(recording, vars(curve), series)
            for point in curve.points:
                yield [
                    *about, *_coordinates(point.x, x), curve.unit, point.median, point.low_quartile,
                    point.high_quartile, point.minimum, point.maximum, len(point.values),
                    *_state(point.disturbed, point.state),
                ]  # fmt: skip


def _level_rows(recordings, series):
    for recording in recordings:
        for level in recording.levels:
            yield [*_about(recording, level, series), *(_inside(level, path) for path in _LEVEL.values())]


def _finding_rows(recordings, series):
    for recording in recordings:
        for finding in recording.findings:
            yield [*_about(recording, finding, series), *(_text(finding.get(name)) for name in _FINDING)]


def _counter_rows(recordings, state_names):
    for recording in recordings:
        about = [str(recording.path), recording.run.get("run", "")]
        for counter in recording.counters:
            state = counter.get("state") or {}
            yield [
                *about, counter["source"], *(_plain(counter.get(name)) for name in _COUNTER),
                *(_plain(state.get(name)) for name in state_names),
            ]  # fmt: skip


def _about(recording, record, series_names):
    """The columns that name a curve; a word of the series that is a default stays empty."""
    series = canonical(record.get("series"))
    named = [_text(record.get(name)) for name in ("device", "api", "probe")]
    return [str(recording.path), recording.run.get("run", ""), *named, *_coordinates(series, series_names)]


def _coordinates(x, names):
    return [x.get(name, "") for name in names]


def _inside(record, path):
    for name in path:
        record = (record or {}).get(name)
    return _text(record)


def _plain(value):
    """A field of any type: words as the other tables have them, lists and objects as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else _text(value)


def _text(value):
    return "" if value is None else value


def _state(disturbed, state):
    shape = " ".join(f"{name}={value:g}" for name, value in (state.get("shape") or {}).items())
    return ["true" if disturbed else "false", _text(state.get("foreign_cpu")), _text(state.get("clock_mhz")), shape]


def _text_of(header, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
