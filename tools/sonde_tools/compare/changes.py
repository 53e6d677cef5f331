"""How sure a change is: both sides' values with their scatter in, the change with its interval and probability out."""

import math
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean, variance

from scipy import special

# The runs' own scatter counts alone where a side has so many, without the outermost of five.
ENOUGH_RUNS = 5
_TRIMMED = 0.2
# A scatter that fewer degrees of freedom tell is that of a single moment, which may be altogether off.
FEWEST_DEGREES = 2
# Few runs of which nothing else is known differ by so much at least.
_LEAST_OF_FEW = 0.01
# What the visits say of the scatter between runs is worth no more degrees of freedom than so many beside several runs.
_MOST_BESIDE_RUNS = 8
# A scatter that what is known would give more rarely is another's.
_NOT_BY_CHANCE = 0.01
# Values are written with six digits and times have steps: no two sides are known to be closer than this.
_RESOLUTION = 1e-4


@dataclass(frozen=True)
class Change:
    """NEW less BASE, of logarithms or of shares: 95 % interval, and the probability of as much without a change.

    within: the largest difference that can be excluded at 5 %, whichever way. error, freedom: of Student's distribution.
    """

    low: float
    value: float
    high: float
    probability: float
    within: float
    error: float
    freedom: float

    def seen_at(self, probability):
        """The smallest difference that has so small a probability without a change."""
        return float(special.stdtrit(self.freedom, 1 - probability / 2)) * self.error


def change(base, new):
    """The Change between two lists of (value, Scatter), none empty: Welch's interval of trimmed means (Yuen 1974)."""
    means, squares, degrees = zip(*map(_side, (base, new)), strict=True)
    error = math.sqrt(sum(squares) + _RESOLUTION**2)
    freedom = sum(squares) ** 2 / sum(square**2 / degree for square, degree in zip(squares, degrees, strict=True))
    difference = means[1] - means[0]
    half_95, half_90 = (float(special.stdtrit(freedom, share)) * error for share in (0.975, 0.95))
    probability = float(2 * special.stdtr(freedom, -abs(difference) / error))
    return Change(
        difference - half_95, difference, difference + half_95, probability, abs(difference) + half_90, error, freedom
    )


def _side(side):
    """One side's trimmed mean, its squared error and its degrees of freedom.

    What each run's visits say counts as further degrees beside the scatter of the runs (Smyth 2004), unless the runs
    scatter so much more that it does not hold for them.
    """
    values = sorted(value for value, _ in side)
    cut = int(_TRIMMED * len(values))
    inner = values[cut : len(values) - cut]
    before = max(fmean(scatter.variance for _, scatter in side) / len(inner), 1e-18)
    degrees = fmean(scatter.degrees for _, scatter in side)
    if len(values) == 1:
        return inner[0], before, degrees
    squares = variance([min(max(value, inner[0]), inner[-1]) for value in values]) * (len(values) - 1)
    own, free = squares / (len(inner) * (len(inner) - 1)), len(inner) - 1
    if degrees < FEWEST_DEGREES:
        # Two runs may agree by chance.
        return fmean(inner), max(own, _LEAST_OF_FEW**2 if len(values) < ENOUGH_RUNS else 1e-18), free
    holds = free * own <= special.chdtri(free, _NOT_BY_CHANCE) * before
    weight = min(degrees, _MOST_BESIDE_RUNS) if holds else 0
    return fmean(inner), max((free * own + weight * before) / (free + weight), 1e-18), free + weight


def adjusted(probabilities):
    """Benjamini and Hochberg's probabilities, in the order of the given ones."""
    count = len(probabilities)
    largest_first = sorted(range(count), key=probabilities.__getitem__, reverse=True)
    each = (min(1.0, probabilities[at] * count / (count - rank)) for rank, at in enumerate(largest_first))
    found = dict(zip(largest_first, accumulate(each, min), strict=True))
    return [found[at] for at in range(count)]
