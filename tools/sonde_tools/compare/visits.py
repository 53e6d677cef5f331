"""What the visits of one run say of the next: how far they scatter, and how many other programs disturbed."""

import math
from statistics import fmean, median

from sonde_tools import curves
from sonde_tools.compare import kinds, scatter
from sonde_tools.series import canonical

# A series that says these says nothing of the curve that a level or a finding is about.
OF_NO_CURVE = {"order", "fabric", "beside", "stride"}


class Visits:
    """All visits of one run. disturbed: the share of them that other programs disturbed."""

    def __init__(self, samples):
        self.disturbed = fmean(map(_disturbed, samples)) if samples else 0.0
        self._groups = {}
        for sample in samples:
            probe = self._groups.setdefault((sample["device"], sample["api"], sample["probe"]), {})
            probe.setdefault(frozenset(canonical(sample["series"]).items()), []).append(sample)
        over_size = (sample for sample in samples if sample["x"].keys() == {"bytes"})
        self._curves = {curve.key: curve for curve in curves.curves(over_size)}

    def behind(self, record):
        """The samples behind a level or a finding: those whose series say all that it says."""
        wanted = {pair for pair in canonical(record.get("series")).items() if pair[0] not in OF_NO_CURVE}
        groups = self._groups.get((record["device"], record["api"], record["probe"]), {})
        return [sample for series, samples in groups.items() if wanted <= series for sample in samples]

    def said(self, samples, found=None):
        """The share disturbed of samples, and the Scatter found for what they say, else that of a single visit."""
        share = fmean(map(_disturbed, samples)) if samples else 0.0
        return {"disturbed": share, "scatter": found or scatter.of_one_visit(max(share, self.disturbed))}

    def of_finding(self, kind, finding):
        """The same of a finding: by its interval, or as its samples differ where they are of one point."""
        behind = self.behind(finding)
        points = self._points(kind, [sample for sample in behind if sample["unit"] == finding.get("unit")])
        half = _half(kind, *(finding.get(name) for name in ("low", "high")))
        if half is None or finding.get("value") is None:
            return self.said(behind, scatter.of_visits(points, self.disturbed))
        return self.said(behind, scatter.of_other_runs(half, min(map(len, points), default=1), self.disturbed))

    def of_level(self, kind, samples, on_it, band):
        """The same of a number of a level: by the points on it (logarithms), sizes by their interval.

        An interval that is wider knows more than the points of one moment do.
        """
        half = _half(kind, band["low"], band["high"])
        if kind == kinds.LEVEL_SIZE:
            return self.said(samples, half and scatter.of_true_value(half, len(on_it) + 1, self.disturbed))
        by_points = scatter.of_neighbours(on_it, self.disturbed)
        by_interval = half and scatter.of_other_runs(half, len(on_it) + 1, self.disturbed)
        told = [one for one in (by_points, by_interval) if one]
        return self.said(samples, max(told, key=lambda one: one.variance, default=None))

    def curve(self, level, unit):
        """(bytes, logarithm) of the points of the curve that a level was found in, in order."""
        found = self._curves.get(curves.curve_key({**level, "unit": unit}))
        points = curves.fastest(found.points, "lower" if unit == "ns" else "higher") if found else []
        return [(point.x["bytes"], math.log(point.median)) for point in points if point.median > 0]

    def _points(self, kind, samples):
        """For each point what it read at each of its moments: the visits of one sample were made in one go."""
        found = {}
        for sample in samples:
            shape = (sample.get("state") or {}).get("shape") or {}
            place = tuple(tuple(sorted(each.items())) for each in (sample["series"], sample["x"], shape))
            value, is_share = median(sample["values"]), kind.compared_by == kinds.SHARE
            if is_share or value > 0:
                found.setdefault(place, []).append(value if is_share else math.log(value))
        return list(found.values())


def _disturbed(sample):
    return bool((sample.get("state") or {}).get("disturbed"))


def _half(kind, low, high):
    """Half of an interval as values are compared, or None where there is none."""
    if low is None or high is None or low > high or (kind.compared_by != kinds.SHARE and low <= 0):
        return None
    return (high - low if kind.compared_by == kinds.SHARE else math.log(high / low)) / 2
