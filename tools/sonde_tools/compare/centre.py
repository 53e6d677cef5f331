"""The centre of the logarithms of pairs' ratios, and how far it may be off: robust, over pairs, rounds and processes."""

from dataclasses import dataclass

import numpy

# Tukey's biweight gives no weight beyond so many standard deviations; of normal numbers it wastes one in twenty.
_NO_WEIGHT_BEYOND = 4.685
_ROUNDS_OF_WEIGHTS = 30
# The standard deviation of normal numbers by the median of their absolute values.
_NORMAL_BY_MEDIAN = 1.4826
# Values are written with six digits.
_RESOLUTION = 1e-4
# The smallest mean slope that the influence of few numbers may have, which their weights tell badly; and by how much of
# their variance, divided by their number, few of them scatter more than they show.
_LEAST_SLOPE, _HIDDEN_BY_FEW = 0.4, 2.0


@dataclass(frozen=True)
class Centre:
    """The centre of ratios and its variance in two ways: as their rounds differ, and as their processes do.

    Each with its degrees of freedom; in_process: how many rounds a process has.
    """

    value: float
    by_rounds: float
    rounds_freedom: float
    by_processes: float
    processes_freedom: float
    in_process: float


def centre(ratios, rounds, processes):
    """The Centre of an array of logarithms, at least one, whose rounds and processes are numbered in two more.

    A biweight mean: machines change their speed by steps, and a pair that such a step parts has no say.
    """
    value, shares = _biweight(ratios)
    by_rounds, rounds_freedom, _ = _variance(shares, rounds)
    by_processes, processes_freedom, in_process = _variance(shares, processes)
    pairs_a_round = len(ratios) / len(numpy.unique(rounds))
    return Centre(value, by_rounds, rounds_freedom, by_processes, processes_freedom, in_process / pairs_a_round)


def _biweight(values):
    """The biweight mean, and of each number how far it draws the mean, of which these shares are the mean."""
    mean = float(numpy.median(values))
    count = len(values)
    spread = _NORMAL_BY_MEDIAN * float(numpy.median(numpy.abs(values - mean))) * count / max(count - 0.8, 0.2)
    reach = _NO_WEIGHT_BEYOND * max(spread, _RESOLUTION)
    for _ in range(_ROUNDS_OF_WEIGHTS):
        weights = _weights(values - mean, reach)
        before, mean = mean, float(numpy.average(values, weights=weights))
        if abs(mean - before) < _RESOLUTION / 1000:
            break
    apart = values - mean
    within = numpy.clip(1 - (apart / reach) ** 2, 0, None)
    slope = float(numpy.mean(within * (within - 4 * (apart / reach) ** 2)))
    return mean, apart * _weights(apart, reach) / max(slope, _LEAST_SLOPE)


def _weights(apart, reach):
    return numpy.clip(1 - (apart / reach) ** 2, 0, None) ** 2


def _variance(shares, groups):
    """The variance of the mean of shares by how groups of them differ, its degrees of freedom, and pairs a group."""
    _, number = numpy.unique(groups, return_inverse=True)
    counts = numpy.bincount(number)
    if len(counts) < 2:
        return 0.0, 0.0, float(len(shares))
    sums = numpy.bincount(number, shares)
    in_one = float(numpy.sum(counts**2) / len(shares))
    many = len(shares) / in_one
    more = many / (many - 1) * (1 + _HIDDEN_BY_FEW / len(shares))
    return float(numpy.sum(sums**2)) / len(shares) ** 2 * more, many - 1, in_one
