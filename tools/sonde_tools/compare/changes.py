"""How sure a change is: the two sides' values in, the change with its interval and probabilities out."""

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import NormalDist, median

import polars

# The runs' own scatter counts where a side has so many, without the outermost of five.
ENOUGH_RUNS = 5
_TRIMMED = 0.2
_LEAST_OF_ENOUGH = 3
# Ranks can tell two sides of so many runs apart at the probabilities that matter here.
_RUNS_FOR_RANKS = 8
# A scatter that what is known would give more rarely is another's.
_NOT_BY_CHANCE = 0.01
# Values are written with six digits and times have steps: no two sides are known to be closer than this.
_RESOLUTION = 1e-4
# Every interval of a finding has at least this to either side (docs/method/shared.md, Intervals), whatever the run.
_LEAST_INTERVAL = 0.03
# An interval from very few visits is wide for want of visits, not because runs differ so much.
_MOST_BY_INTERVAL = 3
# The ratio of a prediction interval's half to one run's scatter: t of many visits times the root of two runs.
_HALF_INTERVAL = 1.96 * math.sqrt(2)


@dataclass(frozen=True)
class Allowance:
    """The standard deviation of a run's value (of its logarithm, or of a share), and how many degrees it counts."""

    scatter: float
    weight: float
    levels_repeat: bool


def allowance(device_type, kind_name, feature_name=""):
    """How much runs of such a device differ, from allowances.toml: what one run cannot tell about itself."""
    table = _tables().get(device_type) or _tables()["other"]
    by_name = table.get("of", {})
    scatter = by_name.get(feature_name, by_name.get(kind_name, table["scatter"]))
    return Allowance(scatter, table["weight"], table["levels_repeat"])


@cache
def _tables():
    return tomllib.loads((Path(__file__).parent / "allowances.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Change:
    """NEW less BASE, of logarithms or of shares: 95 % interval, and the probability of as much without a change.

    within: the largest difference that can be excluded at 5 %, whichever way.
    """

    low: float
    value: float
    high: float
    probability: float
    within: float


def change(base, new, allowance, taken=0):
    """The Change between two lists of (value, half width of the run's own interval or None), each not empty.

    Values are logarithms or shares, one a run. taken: how many runs a side there were, where disturbed ones were left out:
    of five the quiet ones speak for themselves.
    """
    if max(taken, min(len(base), len(new))) >= ENOUGH_RUNS and min(len(base), len(new)) >= _LEAST_OF_ENOUGH:
        return _between_many(*([value for value, _ in side] for side in (base, new)), allowance)
    error = math.hypot(*(_error_of_few(side, allowance) for side in (base, new)), _RESOLUTION)
    difference = median(value for value, _ in new) - median(value for value, _ in base)
    normal = NormalDist(0, error)
    probability = 2 * normal.cdf(-abs(difference))
    return _change(difference, normal.inv_cdf(0.975), normal.inv_cdf(0.95), probability)


def _change(difference, half_95, half_90, probability):
    return Change(difference - half_95, difference, difference + half_95, probability, abs(difference) + half_90)


def _error_of_few(side, allowance):
    """The standard error of one side's median: the allowance's, and what the runs say of themselves if that is more."""
    own = [
        math.sqrt(max(0.0, half**2 - _LEAST_INTERVAL**2)) / _HALF_INTERVAL for _, half in side if half is not None
    ]  # fmt: skip
    by_interval = min(median(own), _MOST_BY_INTERVAL * allowance.scatter) if own else 0.0
    values = [value for value, _ in side]
    seen = (max(values) - min(values)) / math.sqrt(2) if len(values) > 1 else 0.0
    return max(math.hypot(allowance.scatter, by_interval), seen) / math.sqrt(len(values))


def _between_many(base, new, allowance):
    """Yuen's form of Welch's interval: trimmed means, so that one bad run in five has no say (Yuen 1974).

    What is known of such features beforehand counts as further degrees of freedom in each side's scatter (Smyth 2004),
    unless the runs scatter so much more that it does not hold for them.
    """
    from scipy import special, stats

    means = [stats.trim_mean(side, _TRIMMED) for side in (base, new)]
    squares, degrees = zip(*(_squared_error(side, allowance) for side in (base, new)), strict=True)
    error = math.sqrt(sum(squares) + _RESOLUTION**2)
    freedom = sum(squares) ** 2 / sum(square**2 / degree for square, degree in zip(squares, degrees, strict=True))
    difference = means[1] - means[0]
    probability = 2 * special.stdtr(freedom, -abs(difference) / error)
    if min(len(base), len(new)) >= _RUNS_FOR_RANKS:
        probability = max(probability, _by_ranks(base, new))
    halves = (special.stdtrit(freedom, share) * error for share in (0.975, 0.95))
    return _change(difference, *halves, float(probability))


def _squared_error(side, allowance):
    """The squared standard error of one side's trimmed mean, and its degrees of freedom."""
    import numpy
    from scipy import special
    from scipy.stats import mstats

    kept = len(side) - 2 * int(_TRIMMED * len(side))
    squares = float(mstats.winsorize(numpy.array(side), (_TRIMMED, _TRIMMED)).var()) * len(side)
    own, degrees = squares / (kept * (kept - 1)), kept - 1
    before = allowance.scatter**2 / kept
    holds = degrees * own <= special.chdtri(degrees, _NOT_BY_CHANCE) * before
    weight = allowance.weight if holds else 0
    both = degrees + weight
    return max((degrees * own + weight * before) / both, 1e-18), both


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
