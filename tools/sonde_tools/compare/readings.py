"""What the curves of several runs read where all of them are on one level: at the same sizes, so that a slope cancels."""

import math
from dataclasses import dataclass

import numpy

from sonde_tools.compare import scatter

# A size is on a level that so many of the runs with the level have there.
_MOST_RUNS = 0.8
_FEWEST_SIZES = 2


@dataclass(frozen=True)
class Reading:
    """What a run's curve reads in the middle of the sizes, and the Scatter of that between runs."""

    value: float
    scatter: scatter.Scatter


def readings(curves, on_it, disturbed):
    """A Reading of each curve, or None where they have no sizes in common.

    curves: of each run the (bytes, logarithm) of its points; on_it: from where to where those runs that tell the level
    have it; disturbed: of each run the share of its visits that were.
    """
    sizes = [size for size in sorted({size for points in curves for size, _ in points})
             if sum(low < size <= high for low, high in on_it) >= _MOST_RUNS * len(on_it)
             and all(points and points[0][0] <= size <= points[-1][0] for points in curves)]  # fmt: skip
    if len(sizes) < _FEWEST_SIZES:
        return None
    read = numpy.array([_at(points, sizes) for points in curves])
    common = numpy.mean(read, axis=0)
    above = numpy.median(read - common, axis=1)
    rest = numpy.abs(read - common - above[:, None])
    values, found = numpy.exp(numpy.median(common) + above), []
    for number, points in enumerate(curves):
        own = sum(sizes[0] <= size <= sizes[-1] for size, _ in points)
        spread = scatter.of_deviations(rest[number], max(1, own), len(curves), disturbed[number])
        found.append(Reading(float(values[number]), spread))
    return found


def _at(points, sizes):
    """The logarithms of a curve at these sizes, between its points."""
    bytes_, values = zip(*points, strict=True)
    return numpy.interp(list(map(math.log, sizes)), list(map(math.log, bytes_)), values)
