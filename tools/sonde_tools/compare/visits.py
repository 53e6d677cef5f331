"""What the visits of one run say of the next run: how far they scatter, and how many of them other programs disturbed."""

import math
from statistics import fmean, median

from sonde_tools import curves
from sonde_tools.compare import changes
from sonde_tools.series import canonical

# A series that says these says nothing of the curve that a level or a finding is about.
_OF_NO_CURVE = {"order", "fabric", "beside", "stride"}


class Visits:
    """The visits behind what one run says: those of the samples whose series say all that it says.

    disturbed: the share of all of the run's visits that other programs disturbed.
    """

    def __init__(self, samples):
        self._groups, self._curves = {}, None
        self._samples = samples
        for sample in samples:
            probe = self._groups.setdefault((sample["device"], sample["api"], sample["probe"]), {})
            probe.setdefault(frozenset(canonical(sample["series"]).items()), []).append(sample)
        self.disturbed = fmean(map(_disturbed, samples)) if samples else 0.0

    def _behind(self, record):
        wanted = {pair for pair in canonical(record.get("series")).items() if pair[0] not in _OF_NO_CURVE}
        groups = self._groups.get((record["device"], record["api"], record["probe"]), {})
        return [sample for series, samples in groups.items() if wanted <= series for sample in samples]

    def of(self, record, is_share=False):
        """(share of disturbed visits behind a finding or level, its Scatter or None); is_share: not of its logarithm."""
        share, _ = self.of_samples(behind := self._behind(record))
        points = _points([sample for sample in behind if sample["unit"] == record.get("unit")], is_share)
        half = _half(record.get("value"), record.get("low"), record.get("high"), is_share)
        if half is None:
            return share, changes.of_visits(points, self.disturbed)
        return share, changes.of_interval(half, min(map(len, points), default=1), self.disturbed)

    def of_samples(self, samples, is_share=False):
        """(share of disturbed visits, Scatter or None) of a value that these samples make."""
        share = fmean(map(_disturbed, samples)) if samples else 0.0
        return share, changes.of_visits(_points(samples, is_share), self.disturbed)

    def curve(self, level, unit):
        """(bytes, logarithm) of the points of the curve that a level was found in, in order."""
        if self._curves is None:
            over_size = [sample for sample in self._samples if sample["x"].keys() == {"bytes"}]
            self._curves = {curve.key: curve for curve in curves.curves(over_size)}
        found = self._curves.get(curves.curve_key({**level, "unit": unit}))
        if found is None:
            return []
        points = curves.fastest(found.points, "lower" if unit == "ns" else "higher")
        return [(point.x["bytes"], math.log(point.median)) for point in points if point.median > 0]

    def of_level(self, on_it, band):
        """The Scatter of a level's latency or bandwidth: of the points on it (logarithms), else by its interval."""
        return changes.of_neighbours(on_it, self.disturbed) or self.of_band(on_it, band)

    def of_band(self, on_it, band):
        """The Scatter of what is said of a level by its interval, or None where that is not above zero."""
        half = _half(band["value"], band["low"], band["high"], False)
        return None if half is None else changes.of_belief(half, len(on_it), self.disturbed)


def _disturbed(sample):
    return bool((sample.get("state") or {}).get("disturbed"))


def _half(value, low, high, is_share):
    """Half of an interval as values are compared, or None where there is none."""
    if value is None or low is None or high is None or not low <= high:
        return None
    if is_share:
        return (high - low) / 2
    return math.log(high / low) / 2 if low > 0 else None


def _points(samples, is_share):
    """For each point what it read at each of its moments: medians of values, or the logarithms of these.

    The visits of one sample were made in one go, so they are of one moment.
    """
    found = {}
    for sample in samples:
        shape = (sample.get("state") or {}).get("shape") or {}
        value = median(sample["values"])
        if is_share or value > 0:
            place = (*sorted(sample["x"].items()), *sorted(shape.items()))
            found.setdefault(place, []).append(value if is_share else math.log(value))
    return list(found.values())
