"""Where over the working set a ratio changes: stretches of sizes at each of which it is about the same."""

from dataclasses import dataclass

import numpy
from scipy import special

_NORMAL_BY_MEDIAN = 1.4826
# Pairs are held to so many standard deviations about what they and their neighbours read.
_HELD_TO = 3.0
# Neighbours whose pairs tell how far pairs scatter at a size: so many sizes to either side, or more until they are enough.
_NEIGHBOURS, _ENOUGH = 1, 8
# A ratio is drawn of a size and so many to either side: what differs from one to the next is mostly scatter.
_DRAWN_TOGETHER = 2
_RESOLUTION = 1e-4
# A step is worth it where it explains more than so much of the squared deviations in units of their variance, and so much
# for each doubling of the number of sizes that it might be at: normal scatter alone makes one in 1 of 20 curves.
_OF_A_STEP, _OF_A_DOUBLING = 5.0, 2.5
# A stretch has at least so many sizes: at one alone pages that lie badly differ as much.
_FEWEST_SIZES = 2


@dataclass(frozen=True)
class AtSize:
    """The logarithm of the ratio at a size in bytes, from low to high at 95 %, of so many pairs."""

    bytes: float
    low: float
    value: float
    high: float
    pairs: int


def at_sizes(pairs, parts):
    """An AtSize for each size of Pairs, in order, of its pairs and those of neighbours on the same of these stretches."""
    sizes, values, errors, counts, degrees = _read(pairs)
    weights, found = 1 / errors**2, []
    for first, last in parts:
        for at in range(first, last + 1):
            near = slice(max(first, at - _DRAWN_TOGETHER), min(last, at + _DRAWN_TOGETHER) + 1)
            value = float(numpy.average(values[near], weights=weights[near]))
            wide = float(special.stdtrit(max(degrees[at], 1.0), 0.975) / numpy.sqrt(weights[near].sum()))
            found.append(AtSize(float(sizes[at]), value - wide, value, value + wide, int(counts[near].sum())))
    return found


def stretches(pairs):
    """(first, last) of each stretch, as numbers of the sizes of Pairs in order: the steps that explain them best.

    The least sum of squares with a price for each step, over all ways to cut (Jackson et al. 2005).
    """
    _, values, errors, _, _ = _read(pairs)
    weights = 1 / errors**2
    count = len(values)
    price = _OF_A_STEP + _OF_A_DOUBLING * float(numpy.log2(count))
    sums = [numpy.concatenate([[0.0], numpy.cumsum(each)]) for each in (weights, weights * values, weights * values**2)]
    best, came_from = numpy.full(count + 1, numpy.inf), numpy.zeros(count + 1, int)
    best[0] = -price
    for end in range(min(_FEWEST_SIZES, count), count + 1):
        begin = numpy.arange(0, max(1, end - _FEWEST_SIZES + 1))
        weight, sum_, squares = (each[end] - each[begin] for each in sums)
        cost = best[begin] + price + squares - sum_**2 / weight
        came_from[end] = int(numpy.argmin(cost))
        best[end] = cost[came_from[end]]
    found, end = [], count
    while end > 0:
        found.append((int(came_from[end]), end - 1))
        end = int(came_from[end])
    return found[::-1]


def _read(pairs):
    """Arrays with an element a size: bytes, the ratio there, its standard error, pairs, the degrees that it is known by."""
    sizes, number = numpy.unique(pairs.bytes, return_inverse=True)
    order = numpy.argsort(number, kind="stable")
    ratios, counts = pairs.ratios[order], numpy.bincount(number)
    ends = numpy.concatenate([[0], numpy.cumsum(counts)])
    values, errors, degrees = numpy.empty(len(sizes)), numpy.empty(len(sizes)), numpy.empty(len(sizes))
    for at in range(len(sizes)):
        reach = _NEIGHBOURS
        while True:
            first, last = max(0, at - reach), min(len(sizes), at + reach + 1)
            near = ratios[ends[first] : ends[last]]
            if len(near) >= _ENOUGH or (first, last) == (0, len(sizes)):
                break
            reach += 1
        middle = float(numpy.median(near))
        spread = (
            _NORMAL_BY_MEDIAN * float(numpy.median(numpy.abs(near - middle))) * len(near) / max(len(near) - 0.8, 0.2)
        )
        spread = max(spread, _RESOLUTION)
        own = numpy.clip(ratios[ends[at] : ends[at + 1]], middle - _HELD_TO * spread, middle + _HELD_TO * spread)
        values[at], errors[at], degrees[at] = own.mean(), spread / numpy.sqrt(len(own)), len(near) / 2
    return sizes, values, errors, counts, degrees
