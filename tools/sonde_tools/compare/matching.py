"""Which levels of several runs are the same level: matched by order, size and speed, so that none shifts another."""

import math
import statistics
from dataclasses import dataclass, field

# What leaving a level alone costs, twice of which a pair may differ: a size by a factor of four at the same latency.
_GAP = 0.7
_SPEED_WEIGHT = 0.5


@dataclass
class Slot:
    """One level of what several runs saw: the Rung of each run that has it, by the run's index."""

    rungs: dict = field(default_factory=dict)

    @property
    def size(self):
        """The median size in bytes, or None for the last level."""
        sizes = [rung.size for rung in self.rungs.values() if rung.size]
        return statistics.median(sizes) if sizes else None

    @property
    def speed(self):
        """The median latency or bandwidth."""
        return statistics.median(rung.speed for rung in self.rungs.values())

    @property
    def name(self):
        """What a last level is called; of others only that they are levels."""
        return next(iter(self.rungs.values())).name if self.size is None else "level"


def aligned(ladders):
    """Slots, nearest first, for a list of ladders: each the Rungs of one run from the nearest level on, or empty."""
    lengths = [len(ladder) for ladder in ladders if ladder]
    if not lengths:
        return []
    usual = statistics.mode(lengths)
    order = sorted(range(len(ladders)), key=lambda run: (len(ladders[run]) != usual, run))
    slots = []
    for run in order:
        slots = _merged(slots, run, ladders[run])
    return slots


def _merged(slots, run, ladder):
    """The slots with one more run's rungs put into them, or between them."""
    steps = _cheapest_path(slots, ladder)
    merged = []
    for slot, rung in steps:
        slot = slot or Slot()
        if rung is not None:
            slot.rungs[run] = rung
        merged.append(slot)
    return merged


def _cheapest_path(slots, ladder):
    """Pairs (slot or None, rung or None) in order, of the least cost."""
    rows, columns = len(slots), len(ladder)
    cost = [[(row + column) * _GAP for column in range(columns + 1)] for row in range(rows + 1)]
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            cost[row][column] = min(
                cost[row - 1][column] + _GAP,
                cost[row][column - 1] + _GAP,
                cost[row - 1][column - 1] + _distance(slots[row - 1], ladder[column - 1]),
            )
    pairs, row, column = [], rows, columns
    while row or column:
        if row and column:
            together = cost[row - 1][column - 1] + _distance(slots[row - 1], ladder[column - 1])
            if together <= cost[row][column] + 1e-12:
                row, column = row - 1, column - 1
                pairs.append((slots[row], ladder[column]))
                continue
        if row and cost[row - 1][column] + _GAP <= cost[row][column] + 1e-12:
            row -= 1
            pairs.append((slots[row], None))
        else:
            column -= 1
            pairs.append((None, ladder[column]))
    return pairs[::-1]


def _distance(slot, rung):
    """How little alike two levels are; what is called memory is always the same."""
    size, speed = slot.size, abs(math.log(rung.speed) - math.log(slot.speed))
    if size and rung.size:
        return abs(math.log(rung.size) - math.log(size)) + _SPEED_WEIGHT * speed
    if size or rung.size:
        return math.inf
    if slot.name != rung.name:
        return math.inf
    return 0.0 if slot.name != "place" else speed
