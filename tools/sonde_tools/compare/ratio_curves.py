"""The ratio of a duel's sides over the working set: what it is at each size, and from which size to which it differs."""

import math
from dataclasses import dataclass

import numpy

from sonde_tools.compare import paired
from sonde_tools.compare.changes import Change, adjusted
from sonde_tools.compare.stretches import at_sizes, stretches
from sonde_tools.compare.verdicts import LEVEL_OF_DUELS

UNITS = {"ns": "latency", "GB/s": "bandwidth"}
# A curve of fewer sizes is a number.
_FEWEST_SIZES = 3


@dataclass(frozen=True)
class Stretch:
    """A stretch of sizes in bytes, first and last, at which the ratio differs from 1 by a Change; whole: the whole curve."""

    first: float
    last: float
    change: Change
    is_whole: bool

    @property
    def change_percent(self):
        """Low, value and high in percent of BASE."""
        return {name: 100 * math.expm1(getattr(self.change, name)) for name in ("low", "value", "high")}


@dataclass(frozen=True)
class RatioCurve:
    """One curve's ratio of NEW to BASE over sizes. points: stretches.AtSize; differs: the Stretches where it does."""

    device: str
    api: str
    probe: str
    series: tuple
    unit: str
    points: list
    differs: list


def ratio_curves(pairs_of_devices, threshold_percent):
    """A RatioCurve for each curve over the working set of {device: PairsOfDevice}.

    A stretch is called where it differs by more than the threshold, and by chance in fewer than one of fifty duels.
    """
    curves = [(device, key, fastest.undisturbed())
              for device, of_device in pairs_of_devices.items() for key, pairs in of_device.over_size(UNITS)
              if (fastest := pairs.of_fastest_shapes(key[3] == "ns"))]  # fmt: skip
    curves = [one for one in curves if len(numpy.unique(one[2].bytes)) >= _FEWEST_SIZES]
    # Latency and bandwidth themselves come first, the plainest path first.
    curves.sort(key=lambda one: (one[1][1] not in UNITS.values(), list(UNITS).index(one[1][3]), len(one[1][2])))
    cut = [[(pairs, part) for part in stretches(pairs)] for _, _, pairs in curves]
    found = iter(_called([one for of_curve in cut for one in of_curve], threshold_percent))
    made = []
    for (device, key, pairs), of_curve in zip(curves, cut, strict=True):
        sizes = numpy.unique(pairs.bytes)
        differs = []
        for _, (first, last) in of_curve:
            if (change := next(found)) is not None:
                differs.append(Stretch(float(sizes[first]), float(sizes[last]), change, len(of_curve) == 1))
        made.append(RatioCurve(device, *key, at_sizes(pairs, [part for _, part in of_curve]), differs))
    return made


def _called(parts, threshold_percent):
    """For each (Pairs, (first, last) of its sizes) the Change by which it differs, or None where that is not known."""
    changes, probabilities = [], []
    of_parts = []
    for pairs, (first, last) in parts:
        sizes = numpy.unique(pairs.bytes)
        of_parts.append(pairs.where((sizes[first] <= pairs.bytes) & (pairs.bytes <= sizes[last])))
    for (pairs, (first, last)), change in zip(parts, paired.changes(of_parts), strict=True):
        count = len(numpy.unique(pairs.bytes))
        # A stretch that was looked for might have begun at any size.
        looked_for = 1 if last - first + 1 == count else count
        changes.append(change)
        probabilities.append(min(1.0, change.probability * looked_for) if change else 1.0)
    limit = math.log1p(threshold_percent / 100)
    return [change if change and probability < LEVEL_OF_DUELS and abs(change.value) > limit else None
            for change, probability in zip(changes, adjusted(probabilities), strict=True)]  # fmt: skip
