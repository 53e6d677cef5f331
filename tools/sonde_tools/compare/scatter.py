"""How much a value differs between runs, by what the visits of one run say."""

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median, variance

# Of the squared steps between neighbours the largest are left out, as an edge may be among them. The rest is smaller
# than all by the mean of the chi-squared distribution below that quantile; a step so used is worth so many degrees.
_KEPT_STEPS, _MEAN_OF_KEPT, _WORTH_OF_A_STEP = 0.6, 0.2145, 0.4
# In 95 of 100 cases a normal number is no further off than so many standard deviations.
_OF_95 = 1.96
# The standard deviation of normal numbers by the median of their absolute values.
_NORMAL_BY_MEDIAN = 1.4826
# So many have something in common, and the degrees of freedom that it is worth beside one's own.
_FEWEST_ALIKE, _SHARED_DEGREES = 3, 10


@dataclass(frozen=True)
class Scatter:
    """The variance of a value between runs (of its logarithm, or of a share), and the degrees of freedom it is known by.

    by_visits: it is that between visits, not of an interval or known beforehand.
    """

    variance: float
    degrees: float
    by_visits: bool = False

    def drawn_to(self, alike):
        """The same, drawn towards the mean of alike (Scatters), as in Smyth 2004.

        So two visits that agree by chance make nothing sure, and two that do not make nothing hopeless.
        """
        known = sum(one.degrees for one in alike)
        if not self.by_visits or len(alike) < _FEWEST_ALIKE or known == 0:
            return self
        degrees = self.degrees + _SHARED_DEGREES
        common = sum(one.degrees * one.variance for one in alike) / known
        return Scatter((_SHARED_DEGREES * common + self.degrees * self.variance) / degrees, degrees, True)


def of_one_visit(disturbed):
    """The Scatter that allowances.toml has of a value from a single visit; disturbed: the share of the run's visits."""
    return Scatter(_by_disturbance("scatter", disturbed) ** 2, _by_disturbance("degrees", disturbed))


def of_other_runs(half, visits, disturbed):
    """The Scatter of a value by half of the interval that holds another run's in 95 of 100, from so many visits."""
    # Either run's value is off by as much.
    return _of_interval((half / _OF_95) ** 2 / 2, visits, disturbed)


def of_true_value(half, visits, disturbed):
    """The same by half of the interval that holds the true value: of what it leaves open runs have a part in common."""
    return _of_interval((half / _OF_95) ** 2 * _by_disturbance("unlike", disturbed), visits, disturbed)


def _of_interval(between, visits, disturbed):
    return Scatter(between, _WORTH_OF_A_STEP * (visits - 1) + _by_disturbance("degrees", disturbed))


def of_neighbours(values, disturbed):
    """The Scatter of the middle of neighbours on a flat stretch of a curve, each of a visit; None of one.

    Steps from one to the next tell it, so that a slope is no scatter.
    """
    if len(values) < 2:
        return None
    steps = sorted((after - before) ** 2 / 2 for before, after in pairwise(values))
    kept = steps[: max(1, round(_KEPT_STEPS * len(steps)))]
    return _of_visits(fmean(kept) / _MEAN_OF_KEPT, _WORTH_OF_A_STEP * len(steps), len(values), disturbed)


def of_deviations(deviations, visits, runs, disturbed):
    """The Scatter of a curve's median distance from the mean of so many runs' curves, by its points' deviations from it.

    Half of them may be of another moment: the median tells. visits: of how many points that are not between others.
    """
    count = len(deviations)
    spread = _NORMAL_BY_MEDIAN * median(deviations) * count / (count - 0.8)
    own = (runs - 1) / runs if runs > 1 else 1
    return _of_visits(spread**2 / own, own * _WORTH_OF_A_STEP * max(1, visits - 1), visits, disturbed)


def of_visits(points, disturbed):
    """The Scatter of a value from points, each a list of its visits' values; None where none has two visits."""
    points = [visits for visits in points if len(visits) > 1]
    if not points:
        return None
    degrees = sum(len(visits) - 1 for visits in points)
    between = sum(variance(visits) * (len(visits) - 1) for visits in points) / degrees
    # Two visits may agree by chance.
    return _of_visits(max(between, _table()["scatter"][0] ** 2), degrees, min(map(len, points)), disturbed)


def _of_visits(between, degrees, visits, disturbed):
    in_common = between * _by_disturbance("together", disturbed) + _by_disturbance("moment", disturbed) ** 2
    return Scatter(between / visits + in_common, degrees, True)


def _by_disturbance(name, disturbed):
    alone, among_others = _table()[name]
    return alone + (among_others - alone) * min(1.0, disturbed / _table()["disturbed"])


@cache
def _table():
    return tomllib.loads((Path(__file__).parent / "allowances.toml").read_text(encoding="utf-8"))
