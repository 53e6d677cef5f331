"""Makes curves of samples: what the same device, API, probe, series and unit measured over x."""

import math
import statistics
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from sonde_tools.series import canonical

# The median of fewer values has no interval that holds it in 95 of 100 cases.
FEWEST_OF_INTERVAL = 6
# Neighbours are so near (a factor of size), agree so far, and a spike leaves both by more than that.
_NEAR, _AGREE, _APART = 2.05, 1.05, 1.15


@dataclass(frozen=True, slots=True)
class Point:
    """One x of a curve, in one shape; median, quartiles and extremes are in the curve's unit."""

    x: dict
    values: list
    median: float
    low_quartile: float
    high_quartile: float
    minimum: float
    maximum: float
    disturbed: bool
    state: dict
    cycles: float | None = None  # the median of the same measurement in cycles, where it is known
    interval: dict | None = None  # low, value and high of what was concluded from values

    @property
    def band(self):
        """Low, value and high: what was concluded from the values, else their quartiles around the median."""
        return self.interval or {"low": self.low_quartile, "value": self.median, "high": self.high_quartile}

    @property
    def low(self):
        """The lower end of the 95 % interval."""
        return self.interval["low"] if self.interval else sorted(self.values)[_rank(len(self.values))]

    @property
    def high(self):
        """The upper end of the 95 % interval."""
        return self.interval["high"] if self.interval else sorted(self.values)[-1 - _rank(len(self.values))]

    @property
    def foreign_cpu(self):
        """Share of CPU time (0 to 1) that other programs took meanwhile, or None where it is not known."""
        return self.state.get("foreign_cpu")


@cache
def _rank(count):
    """Index of the sorted value that, with its mirror image, holds the median of what is measured in 95 of 100 cases.

    No interval of too few values is so sure: theirs is from the lowest to the highest.
    """
    beyond, rank = 0.0, 0
    while rank < count // 2 and (beyond := beyond + math.comb(count, rank) / 2**count) <= 0.025:
        rank += 1
    return max(0, rank - 1)


def contradicted(points):
    """For each of points (list) over bytes whether both its neighbours agree, and not with it: a spike, not a level."""
    found = [False] * len(points)
    for index, (before, point, after) in enumerate(zip(points, points[1:], points[2:], strict=False), start=1):
        near = after.x.get("bytes", math.inf) <= _NEAR**2 * before.x.get("bytes", 0)
        low, high = sorted((before.median, after.median))
        agree = high <= _AGREE * low
        found[index] = near and agree and not low / _APART <= point.median <= _APART * high
    return found


@dataclass(frozen=True)
class Curve:
    """All points of one device, API, probe, series (canonical) and unit, in the order of x.

    words: the series as its samples have it, with words that are defaults.
    """

    device: str
    api: str
    probe: str
    series: dict
    unit: str
    points: list
    words: dict = field(default_factory=dict)

    @cached_property
    def key(self):
        """What names the curve, hashable: device, API, probe, series and unit."""
        return curve_key(vars(self))


def curve_key(sample):
    """The key of the curve that a sample record belongs to; in its series an absent word is the default."""
    return sample["device"], sample["api"], sample["probe"], tuple(canonical(sample["series"]).items()), sample["unit"]


def quartiles(values):
    """First quartile, median and third quartile of at least one number, linear between neighbours."""
    if len(values) == 1:
        return (values[0],) * 3
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def curves(samples, without_cycles=False):
    """Groups sample records into Curves, in the order in which each curve first appears.

    without_cycles: no curves in cycles, whose medians the points in ns have.
    """
    grouped, keys, words = {}, {}, {}
    for sample in samples:
        written = (sample["device"], sample["api"], sample["probe"], sample["unit"], *sample["series"].items())
        key = keys.get(written)
        if key is None:
            key = keys[written] = curve_key(sample)
            words.setdefault(key, sample["series"])
        grouped.setdefault(key, {}).setdefault(_place(sample), []).append(sample)
    found, same_x = [], {}
    for key, points in grouped.items():
        if without_cycles and key[4] == "cycles":
            continue
        in_cycles = grouped.get((*key[:4], "cycles"), {}) if key[4] == "ns" else {}
        ordered = [
            # Curves share their sizes, and a record file has many curves.
            _point(same_x.setdefault(place[0], same[0]["x"]), same, in_cycles.get(place))
            for place, same in sorted(points.items())
        ]
        found.append(Curve(*key[:3], dict(key[3]), key[4], ordered, words[key]))
    return found


def fastest(points, better="higher"):
    """The better one of points (list) in several shapes at one size, in the order of their sizes."""
    best = {}
    for point in points:
        known = best.get(point.x["bytes"])
        if known is None or (point.median > known.median) == (better == "higher"):
            best[point.x["bytes"]] = point
    return [point for _, point in sorted(best.items())]


def pooled(same):
    """One Curve from the same one (list) of several runs: all values at one x, disturbed ones where there are no others."""
    if len(same) == 1:
        return same[0]
    places = {}
    for curve in same:
        for point in curve.points:
            places.setdefault(tuple(sorted(point.x.items())), []).append(point)
    return replace(same[0], points=[_pooled(points) for _, points in sorted(places.items())])


def _pooled(points):
    used = [point for point in points if not point.disturbed] or points
    cycles = [point.cycles for point in used if point.cycles is not None]
    found = _statistics([value for point in used for value in point.values])
    return replace(used[0], cycles=statistics.median(cycles) if cycles else None, **found)


def _statistics(values):
    """The fields of a Point that its values make."""
    low, median, high = quartiles(values)
    return {"values": values, "median": median, "low_quartile": low, "high_quartile": high, "minimum": min(values),
            "maximum": max(values)}  # fmt: skip


def _place(sample):
    """What tells a point of a curve from its others, hashable: x and the shape in which it was measured."""
    shape = (sample.get("state") or {}).get("shape")
    return tuple(sorted(sample["x"].items())), tuple(sorted(shape.items())) if shape else ()


def _point(x, samples, in_cycles=None):
    """One Point from every sample at one place, and from those in cycles."""
    used = _used(samples)
    return Point(
        x=x, disturbed=_disturbed(used[-1]), state=used[-1].get("state") or {}, interval=used[-1].get("interval"),
        cycles=statistics.median(_values(_used(in_cycles))) if in_cycles else None, **_statistics(_values(used)),
    )  # fmt: skip


def _used(samples):
    """Disturbed samples count only where there is no other."""
    return samples if len(samples) == 1 else [each for each in samples if not _disturbed(each)] or samples


def _values(samples):
    return samples[0]["values"] if len(samples) == 1 else [value for sample in samples for value in sample["values"]]


def _disturbed(sample):
    return bool((sample.get("state") or {}).get("disturbed"))
