"""The pairs of visits of a duel's two files: each curve's ratios of NEW to BASE, with the rounds and processes they are of."""

import math
from dataclasses import dataclass, replace
from statistics import median

import numpy

from sonde_tools.compare import kinds, visits_in_pairs
from sonde_tools.compare.visits import OF_NO_CURVE

# Of fewer pairs nothing is told.
_FEWEST_PAIRS = 4
# Pairs of disturbed visits are left out where so many others are there, and that part of all.
_FEWEST_UNDISTURBED, _MOST_UNDISTURBED = 8, 0.5
# A change of a level's size shows in what is read between both, and up to so many times more and less.
_ABOUT_A_SIZE = 1.03
# A finding is a median that its visits are this near to, beside half of what such a median is known by.
_ROUNDING = 0.002


@dataclass(frozen=True)
class Pairs:
    """Arrays with an element a pair: the logarithms of what BASE and NEW read, the numbers of its place, its round and its
    process, the bytes of its working set (nan where it is at more than these), and whether a visit was disturbed.
    """

    base: numpy.ndarray
    new: numpy.ndarray
    places: numpy.ndarray
    rounds: numpy.ndarray
    processes: numpy.ndarray
    bytes: numpy.ndarray
    disturbed: numpy.ndarray
    processes_are_alike: bool = False  # those of a simulated device

    @property
    def ratios(self):
        """The logarithms of NEW over BASE."""
        return self.new - self.base

    def __len__(self):
        return len(self.base)

    def where(self, kept):
        """The Pairs at which an array of booleans holds, or None where they are too few to tell anything."""
        return self._at(kept) if numpy.count_nonzero(kept) >= _FEWEST_PAIRS else None

    def _at(self, kept):
        return replace(
            self, **{name: each[kept] for name, each in vars(self).items() if isinstance(each, numpy.ndarray)}
        )

    def and_also(self, others):
        """These and others as one."""
        names = [name for name, each in vars(self).items() if isinstance(each, numpy.ndarray)]
        return replace(
            self, **{name: numpy.concatenate([getattr(each, name) for each in (self, *others)]) for name in names}
        )

    def of_fastest_shapes(self, is_time):
        """Those of the better shape at each size, by what both sides read: levels are read from it."""
        best = {}
        for place in numpy.unique(self.places):
            at = self.places == place
            read = float(numpy.median(self.base[at] + self.new[at])) * (1 if is_time else -1)
            size = float(self.bytes[at][0])
            best[size] = min(best.get(size, (math.inf, -1)), (read, place))
        return self._at(numpy.isin(self.places, [place for _, place in best.values()]))

    def undisturbed(self):
        """Those of undisturbed visits, where they are enough; else all."""
        enough = max(_FEWEST_UNDISTURBED, _MOST_UNDISTURBED * len(self))
        return self.where(~self.disturbed) if numpy.count_nonzero(~self.disturbed) >= enough else self


class PairsOfDevice:
    """All Pairs of one device, by curve: (API, probe, series, unit) with the series as sorted (key, word) pairs.

    count: pairs of visits; processes: pairs of processes.
    """

    def __init__(self, recordings, device):
        """recordings: (BASE's, NEW's) of each duel."""
        rows, counted, known = {}, set(), ({}, {}, {})
        for duel, sides in enumerate(recordings):
            base, new = (visits_in_pairs.visits(recording.samples, device) for recording in sides)
            for curve in base.keys() & new.keys():
                rows.setdefault(curve, []).extend(visits_in_pairs.matched(duel, base[curve], new[curve]))
                counted |= {(duel, pair) for pair, _ in base[curve].keys() & new[curve].keys()}
        self.curves = {
            curve: _arrays(found, known, curve[0] == "model") for curve, found in sorted(rows.items()) if found
        }
        self.count = len(counted)
        self.processes = len({row.process for found in rows.values() for row in found})

    def of_feature(self, feature):
        """The Pairs that tell a Feature, or None where it has none: sizes of levels, shares, what no median is."""
        both = *feature.base, *feature.new
        if not (feature.base and feature.new) or kinds.LEVEL_SIZE in (one.kind for one in both):
            return None
        id_ = feature.id
        if all(one.on_it for one in both):
            on_it = max(one.on_it[0] for one in both), min(one.on_it[1] for one in both)
            unit = feature.unit or ("GB/s" if id_.probe == "bandwidth" else "ns")
            return self.of_level((id_.api, id_.probe, id_.series, unit), *on_it)
        if feature.kind.compared_by == kinds.SHARE or not all(one.value and one.value > 0 for one in both):
            return None
        values = (median(one.value for one in side) for side in (feature.base, feature.new))
        return self.of_finding(id_, feature.unit, *values)

    def were_made(self, id_):
        """Whether there are any of the API and probe of a FeatureId."""
        return any(curve[:2] == (id_.api, id_.probe) for curve in self.curves)

    def about_size(self, feature):
        """The Pairs about the sizes that both sides tell of a level, or None where the Feature is none or they are too few."""
        both = *feature.base, *feature.new
        if feature.kind != kinds.LEVEL_SIZE or not (feature.base and feature.new) or not all(one.value for one in both):
            return None
        sizes, id_ = [one.value for one in both], feature.id
        curve = id_.api, id_.probe, id_.series, "GB/s" if id_.probe == "bandwidth" else "ns"
        return self.of_level(curve, min(sizes) / _ABOUT_A_SIZE, max(sizes) * _ABOUT_A_SIZE)

    def over_size(self, units):
        """(curve, Pairs) of each curve over the working set alone in one of these units."""
        return [(curve, pairs) for curve, pairs in self.curves.items()
                if curve[3] in units and not numpy.isnan(pairs.bytes).any()]  # fmt: skip

    def of_level(self, curve, low, high):
        """The Pairs of a curve between two sizes in bytes, without the lower; None where they are too few.

        A walk beside a stream, which keeps memory awake, and one alone read the same caches.
        """
        api, probe, series, unit = curve
        alone = tuple(pair for pair in series if pair[0] != "fabric")
        curves = [curve, (api, probe, alone, unit)] if alone != series and math.isfinite(high) else [curve]
        found = [self.curves[each].of_fastest_shapes(unit == "ns") for each in curves if each in self.curves]
        if not found:
            return None
        pairs = found[0].and_also(found[1:])
        return pairs.where((low < pairs.bytes) & (pairs.bytes <= high))

    def of_finding(self, id_, unit, base, new):
        """The Pairs of the curve, or of the place on it, whose median a finding is on both sides, or None.

        id_: a FeatureId; base, new: the finding's values.
        """
        wanted = {pair for pair in id_.series if pair[0] not in OF_NO_CURVE}
        found, values = [], [math.log(value) for value in (base, new)]
        for (api, probe, series, of_unit), pairs in self.curves.items():
            if (api, probe, of_unit) == (id_.api, id_.probe, unit) and wanted <= set(series):
                parts = [pairs, *(pairs.where(pairs.places == place) for place in numpy.unique(pairs.places))]
                found += [(_apart(part, values), order, part) for order, part in enumerate(parts) if part]
        apart, _, part = min(found, key=lambda one: one[:2], default=(math.inf, 0, None))
        return part if apart <= 1 else None


def _apart(pairs, values):
    """How far the medians of the visits are from two values, as a part of how far they may be."""
    return max(abs(value - float(numpy.median(side))) / (_ROUNDING + _half_known(side))
               for side, value in zip((pairs.base, pairs.new), values, strict=True))  # fmt: skip


def _half_known(side):
    return float(numpy.median(numpy.abs(side - numpy.median(side)))) / math.sqrt(len(side))


def _arrays(rows, known, processes_are_alike):
    """The Pairs of rows; known: the numbers that places, rounds and processes of all curves have."""
    base, new, *named, bytes_, disturbed = zip(*rows, strict=True)
    numbers = [numpy.array([numbers.setdefault(name, len(numbers)) for name in names])
               for names, numbers in zip(named, known, strict=True)]  # fmt: skip
    return Pairs(numpy.array(base), numpy.array(new), *numbers, numpy.array(bytes_), numpy.array(disturbed),
                 processes_are_alike)  # fmt: skip
