"""Which levels of several runs are the same level: matched by order, size and speed, so that none shifts another."""

import math
import statistics
from dataclasses import dataclass, field
from functools import cache

# The cost of leaving a level unmatched; a pair may differ by twice that: its speed by a factor of four at one size.
# Sizes count half, as neighbours on a machine take their share of a cache, and only as far as they are known to differ.
_GAP = 0.7
_SIZE_WEIGHT = 0.5
# That of last levels of which only one may not be memory: what reads half as fast again is another.
_OTHER_NAME_WEIGHT = 3.5


@dataclass
class AlignedLevel:
    """One level of what several runs saw: the RunLevel of each run that has it, by the run's index."""

    of_run: dict = field(default_factory=dict)

    @property
    def size(self):
        """The median size in bytes, or None for the last level."""
        sizes = [level.size for level in self.of_run.values() if level.size]
        return statistics.median(sizes) if sizes else None

    def size_apart(self, level):
        """How far a RunLevel's interval of sizes is from the nearest one here, as a logarithm; 0 where they overlap."""
        low, high = level.sizes
        known = [one.sizes for one in self.of_run.values() if one.size]
        return max(0.0, min(math.log(max(below / high, low / above)) for below, above in known))

    @property
    def speed(self):
        """The median latency or bandwidth."""
        return statistics.median(level.speed for level in self.of_run.values())

    @property
    def name(self):
        """What a last level is called; of others only that they are levels."""
        return next(iter(self.of_run.values())).name if self.size is None else "level"


def aligned(runs):
    """AlignedLevels, nearest first, for a list of runs: each the RunLevels of one from the nearest on, or empty."""
    lengths = [len(levels) for levels in runs if levels]
    if not lengths:
        return []
    usual = statistics.mode(lengths)
    found = []
    for run in sorted(range(len(runs)), key=lambda run: (len(runs[run]) != usual, run)):
        found = _merged(found, run, runs[run])
    return found


def _merged(known, run, levels):
    """The AlignedLevels with one more run's levels put into them, or between them."""
    return [AlignedLevel((old.of_run if old else {}) | ({run: level} if level else {}))
            for old, level in _cheapest_path(known, levels)]  # fmt: skip


def _cheapest_path(known, levels):
    """Pairs (AlignedLevel or None, RunLevel or None) in order, of the least cost."""

    @cache
    def path(rows, columns):
        if not rows and not columns:
            return 0.0, ()
        ways = []
        for up, left in ((1, 1), (1, 0), (0, 1)):
            if up <= rows and left <= columns:
                pair = known[rows - 1] if up else None, levels[columns - 1] if left else None
                cost, pairs = path(rows - up, columns - left)
                ways.append((cost + (_GAP if None in pair else _distance(*pair)), (*pairs, pair)))
        return min(ways, key=lambda way: way[0])

    return path(len(known), len(levels))[1]


def _distance(known, level):
    """How little alike two levels are; what is called memory is always the same."""
    size, speed = known.size, abs(math.log(level.speed) - math.log(known.speed))
    if size and level.size:
        return _SIZE_WEIGHT * known.size_apart(level) + speed
    if size or level.size:
        return math.inf
    if known.name != level.name:
        return _OTHER_NAME_WEIGHT * speed
    return 0.0 if known.name != "place" else speed
