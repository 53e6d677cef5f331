"""How sure a change is: both sides' values with their scatter in, the change with its interval and probability out."""

import math
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median, variance

import polars

# The runs' own scatter counts alone where a side has so many, without the outermost of five.
ENOUGH_RUNS = 5
_TRIMMED = 0.2
# What the visits say of the scatter between runs is worth no more degrees of freedom than so many beside several runs.
_MOST_BESIDE_RUNS = 8
# Ranks can tell two sides of so many runs apart at the probabilities that matter here.
_RUNS_FOR_RANKS = 8
# A scatter that what is known would give more rarely is another's.
_NOT_BY_CHANCE = 0.01
# Values are written with six digits and times have steps: no two sides are known to be closer than this.
_RESOLUTION = 1e-4
# Half of an interval of 95 % over the standard deviation.
_HALF_INTERVAL = 1.96
# Of the squared steps between neighbours the largest are left out, as an edge may be among them; the rest is so much
# smaller than all would be: the mean of the chi-squared distribution below its quantile.
_KEPT_STEPS, _MEAN_OF_KEPT = 0.6, 0.2145
# What one step so used is worth in degrees of freedom.
_WORTH_OF_STEPS = 0.4
# Fewer are too few to tell what they have in common.
_FEWEST_ALIKE = 3
# The degrees of freedom that a common scatter is worth beside one's own.
_SHARED_DEGREES = 6


@dataclass(frozen=True)
class Scatter:
    """The variance of a value between runs (of its logarithm, or of a share), and the degrees of freedom it is known by.

    by_visits: it is that between visits, not of an interval or known beforehand.
    """

    variance: float
    degrees: float
    by_visits: bool = False


def of_one_visit(kind_name, disturbed):
    """The Scatter that allowances.toml has of a value from a single visit; disturbed: the share of the run's visits."""
    scatter = _table()["of"].get(kind_name, _table()["scatter"])
    return Scatter(scatter**2, _by_disturbance("degrees", disturbed))


def of_interval(half, moments, disturbed):
    """The Scatter of a value by half of the interval that holds what another run reads, from visits at so many moments."""
    return Scatter((half / _HALF_INTERVAL) ** 2 / 2, max(moments - 1, 0) + _by_disturbance("degrees", disturbed))


def of_belief(half, points, disturbed):
    """The Scatter of a value by half of the interval that holds the true one, from so many points of a curve."""
    between = (half / _HALF_INTERVAL) ** 2 * (1 + _by_disturbance("together", disturbed))
    return Scatter(between, _WORTH_OF_STEPS * max(points - 1, 0) + _by_disturbance("degrees", disturbed))


def of_neighbours(values, disturbed):
    """The Scatter of the middle of neighbours on a flat stretch of a curve, each of a visit; None of one.

    Steps from one to the next tell it, so that a slope is no scatter.
    """
    if len(values) < 2:
        return None
    steps = sorted((after - before) ** 2 / 2 for before, after in pairwise(values))
    kept = steps[: max(1, round(_KEPT_STEPS * len(steps)))]
    return _of_visits(fmean(kept) / _MEAN_OF_KEPT, _WORTH_OF_STEPS * len(steps), len(values), disturbed)


def of_visits(points, disturbed):
    """The Scatter of a value from points, each a list of its visits' values; None where none has two visits."""
    points = [visits for visits in points if len(visits) > 1]
    if not points:
        return None
    degrees = sum(len(visits) - 1 for visits in points)
    between = sum(variance(visits) * (len(visits) - 1) for visits in points) / degrees
    # Two visits may agree by chance.
    return _of_visits(max(between, _table()["scatter"] ** 2), degrees, min(map(len, points)), disturbed)


def _of_visits(between, degrees, visits, disturbed):
    return Scatter(between * (1 / visits + _by_disturbance("together", disturbed)), degrees, True)


def _by_disturbance(name, disturbed):
    alone, among_others = _table()[name]
    return alone + (among_others - alone) * min(1.0, disturbed / _table()["disturbed"])


@cache
def _table():
    return tomllib.loads((Path(__file__).parent / "allowances.toml").read_text(encoding="utf-8"))


def moderated(scatters):
    """The Scatters of one thing in several runs and APIs, each drawn towards their median (as in Smyth 2004).

    So two visits that agree by chance make no run sure, and two that do not make none hopeless.
    """
    common = median(one.variance for one in scatters) if scatters else 0.0
    shared = _SHARED_DEGREES if len(scatters) >= _FEWEST_ALIKE else 0
    return [
        Scatter((shared * common + one.degrees * one.variance) / (shared + one.degrees), shared + one.degrees, True)
        for one in scatters
    ]


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
        return _quantile(self.freedom, 1 - probability / 2) * self.error


def change(base, new):
    """The Change between two lists of (value, Scatter), each not empty: Welch's interval of trimmed means (Yuen 1974)."""
    means, squares, degrees = zip(*map(_side, (base, new)), strict=True)
    error = math.sqrt(sum(squares) + _RESOLUTION**2)
    freedom = sum(squares) ** 2 / sum(square**2 / degree for square, degree in zip(squares, degrees, strict=True))
    found = _change(means[1] - means[0], error, freedom)
    if min(len(base), len(new)) < _RUNS_FOR_RANKS:
        return found
    by_ranks = _by_ranks(*([value for value, _ in side] for side in (base, new)))
    return replace(found, probability=max(found.probability, by_ranks))


def _change(difference, error, freedom):
    from scipy import special

    half_95, half_90 = (_quantile(freedom, share) * error for share in (0.975, 0.95))
    return Change(difference - half_95, difference, difference + half_95,
                  float(2 * special.stdtr(freedom, -abs(difference) / error)), abs(difference) + half_90, error, freedom)  # fmt: skip


def _quantile(freedom, share):
    from scipy import special

    return float(special.stdtrit(freedom, share))


def _side(side):
    """One side's trimmed mean, its squared error and its degrees of freedom.

    What each run's visits say counts as further degrees beside the scatter of the runs (Smyth 2004), unless the runs
    scatter so much more that it does not hold for them.
    """
    from scipy import special

    values = sorted(value for value, _ in side)
    cut = int(_TRIMMED * len(values))
    inner = values[cut : len(values) - cut]
    before = max(fmean(scatter.variance for _, scatter in side) / len(inner), 1e-18)
    degrees = fmean(scatter.degrees for _, scatter in side)
    if len(values) == 1:
        return inner[0], before, degrees
    squares = variance([min(max(value, inner[0]), inner[-1]) for value in values]) * (len(values) - 1)
    own, free = squares / (len(inner) * (len(inner) - 1)), len(inner) - 1
    holds = free * own <= special.chdtri(free, _NOT_BY_CHANCE) * before
    weight = min(degrees, _MOST_BESIDE_RUNS) if holds else 0
    return fmean(inner), max((free * own + weight * before) / (free + weight), 1e-18), free + weight


def _by_ranks(base, new):
    """Brunner and Munzel's probability, which asks nothing of how values are spread."""
    from scipy import stats

    if max(base) < min(new) or max(new) < min(base):
        return 0.0  # the statistic is infinite
    if min(base) == max(base) == min(new) == max(new):
        return 1.0
    return float(stats.brunnermunzel(base, new).pvalue)


def adjusted(probabilities):
    """Benjamini and Hochberg's probabilities, in the order of the given ones.

    SciPy's own function would add a second to comparisons of two files, which need nothing else of it.
    """
    table = polars.DataFrame({"p": probabilities}, schema={"p": polars.Float64}).with_row_index()
    rank = polars.int_range(1, polars.len() + 1)
    smallest_from_here = (polars.col("p") * polars.len() / rank).cum_min(reverse=True).clip(upper_bound=1)
    return table.sort("p").with_columns(smallest_from_here).sort("index")["p"].to_list()
