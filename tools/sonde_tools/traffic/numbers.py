"""The few numbers that describe a run's intervals; docs/method/counters.md says what they are."""

from dataclasses import dataclass

import numpy
import polars

WINDOW_SECONDS = 1.0
# Late samples leave a window a little short.
_LEAST_OF_WINDOW = 0.9


@dataclass(frozen=True)
class Highest:
    """The window of a run in which most bytes moved: GB/s, its last second, and its hit rate or None."""

    gbps: float
    at: float
    hit_rate: float | None


def known_hit_rates(run):
    """Hit rates and the lengths of their intervals, two arrays, without the baseline."""
    known = run.work.filter(polars.col("hit_rate").is_not_null())
    return known["hit_rate"].to_numpy(), known["dt"].to_numpy()


def over_time(run, shares=(0.1, 0.5, 0.9)):
    """The hit rates that so much of the time stays at or below, or None where none is known."""
    values, seconds = known_hit_rates(run)
    if not len(values):
        return None
    # The longest as one, as sums of lengths that no clock gives end in infinity.
    weights = seconds / seconds.max()
    return [float(value) for value in numpy.quantile(values, shares, weights=weights, method="inverted_cdf")]


def whole(intervals):
    """The hit rate of all intervals together, or None: each counts by the bytes asked of the cache."""
    known = intervals.with_columns(asked=_asked(intervals)).filter(
        polars.col("hit_rate").is_not_null() & (polars.col("asked") > 0)
    )
    if known.is_empty():
        return None
    weights = known["asked"] / known["asked"].max()
    return finite(float((known["hit_rate"] * weights).sum() / weights.sum()))


def _asked(intervals):
    """Bytes at the fabric, less the processor's where they are told apart: this cache does not serve them."""
    asked = polars.col("fabric")
    for name in ("cpu_read", "cpu_write"):
        if intervals[name].count():
            asked = asked - polars.col(name)
    return asked


def highest(run, side):
    """The Highest of fabric or memory over a second, or over all of a shorter run; None where too little is known."""
    known = run.work.filter(polars.col(side).is_not_null())
    if known.is_empty():
        return None
    t, seconds, moved = (known[name].to_numpy() for name in ("t", "dt", side))
    first = numpy.searchsorted(t, t - WINDOW_SECONDS * (1 - 1e-9), side="left")
    with numpy.errstate(all="ignore"):
        bytes_until, seconds_until = (numpy.concatenate([[0.0], numpy.cumsum(each)]) for each in (moved, seconds))
        after = numpy.arange(1, len(t) + 1)
        covered = seconds_until[after] - seconds_until[first]
        rates = (bytes_until[after] - bytes_until[first]) / covered / 1e9
    enough = min(WINDOW_SECONDS, float(run.work["dt"].sum())) * _LEAST_OF_WINDOW
    rates[~numpy.isfinite(rates) | (covered < enough)] = -1
    best = int(rates.argmax())
    if rates[best] < 0:
        return None
    return Highest(float(rates[best]), float(t[best]), whole(known[int(first[best]) : best + 1]))


def idle(run, side):
    """GB/s of the idle baseline, or None."""
    known = run.baseline.filter(polars.col(side).is_not_null())
    seconds = known["dt"].sum()
    return finite(known[side].sum() / seconds / 1e9) if seconds else None


def finite(value):
    """The value, or None where it is none."""
    return value if numpy.isfinite(value) else None
