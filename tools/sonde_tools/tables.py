"""The samples as CSV: every value in samples.csv, medians and quartiles in points.csv."""

import csv

_CURVE = ["file", "run", "device", "api", "probe"]
_STATE = ["disturbed", "foreign_cpu"]


def write(folder, recordings, views):
    """Writes samples.csv and points.csv into an existing folder and returns both paths."""
    samples = [sample for recording in recordings for sample in recording.samples]
    series = _names(sample["series"] for sample in samples)
    x = _names(sample["x"] for sample in samples)
    return [
        _write(
            folder / "samples.csv",
            _header(series, x, ["repetition", "value", *_STATE]),
            _sample_rows(recordings, series, x),
        ),
        _write(
            folder / "points.csv",
            _header(
                series, x, ["median", "low_quartile", "high_quartile", "minimum", "maximum", "repetitions", *_STATE]
            ),
            _point_rows(views, series, x),
        ),
    ]


def _names(objects):
    return list(dict.fromkeys(name for each in objects for name in each))


def _header(series, x, more):
    # A series may have a key that is also a column (state, host), hence the prefix.
    return [*_CURVE, *(f"series_{name}" for name in series), *x, "unit", *more]


def _sample_rows(recordings, series, x):
    for recording in recordings:
        for sample in recording.samples:
            state = sample.get("state") or {}
            about = _about(
                recording, sample["device"], sample["api"], sample["probe"], sample["series"], sample["x"], series, x
            )
            for repetition, value in enumerate(sample["values"], start=1):
                yield [
                    *about,
                    sample["unit"],
                    repetition,
                    value,
                    *_state(state.get("disturbed", False), state.get("foreign_cpu")),
                ]


def _point_rows(views, series, x):
    for view in views:
        for entry in view.curves:
            curve = entry.curve
            for point in curve.points:
                about = _about(entry.recording, curve.device, curve.api, curve.probe, curve.series, point.x, series, x)
                yield [
                    *about, curve.unit, point.median, point.low_quartile, point.high_quartile,
                    point.minimum, point.maximum, len(point.values), *_state(point.disturbed, point.foreign_cpu),
                ]  # fmt: skip


def _about(recording, device, api, probe, series, x, series_names, x_names):
    keys = [series.get(name, "") for name in series_names]
    return [
        str(recording.path),
        recording.run.get("run", ""),
        device,
        api,
        probe,
        *keys,
        *(x.get(name, "") for name in x_names),
    ]


def _state(disturbed, foreign_cpu):
    return ["true" if disturbed else "false", "" if foreign_cpu is None else foreign_cpu]


def _write(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path
