"""The pairs of visits of a duel's two files: each curve's ratios of NEW to BASE, with the rounds and processes they are of."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import NamedTuple

import numpy

from sonde_tools.compare import kinds
from sonde_tools.compare.visits import OF_NO_CURVE
from sonde_tools.series import canonical

# Coordinates that a visit measures, which both sides have of their own.
_MEASURED = {"gpu_gbps"}
# Of fewer pairs nothing is told.
_FEWEST_PAIRS = 4
# Pairs of disturbed visits are left out where so many others are there, and that part of all.
_FEWEST_UNDISTURBED, _MOST_UNDISTURBED = 8, 0.5
# A level's size shows in what is read at up to so many times more and less.
_ABOUT_A_SIZE = 1.15
# A finding is a median that its visits are this near to, beside half of what such a median is known by.
_ROUNDING = 0.002


class Visit(NamedTuple):
    """One side's visit of a place: series, coordinates and shape."""

    value: float
    place: tuple
    shape: tuple
    process: tuple
    is_disturbed: bool


class _Row(NamedTuple):
    """What Pairs have of one pair, its place, round and process by what names them."""

    base: float
    new: float
    place: tuple
    round: tuple
    process: tuple
    bytes: float
    is_disturbed: bool


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
        if numpy.count_nonzero(kept) < _FEWEST_PAIRS:
            return None
        arrays = {name: each[kept] for name, each in vars(self).items() if isinstance(each, numpy.ndarray)}
        return replace(self, **arrays)

    def of_fastest_shapes(self, is_time):
        """Those of the better shape at each size, by what both sides read: levels are read from it."""
        best = {}
        for place in numpy.unique(self.places):
            at = self.places == place
            read = float(numpy.median(self.base[at] + self.new[at])) * (1 if is_time else -1)
            size = float(self.bytes[at][0])
            best[size] = min(best.get(size, (math.inf, -1)), (read, place))
        return self.where(numpy.isin(self.places, [place for _, place in best.values()]))

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
        rows, counted = {}, set()
        for duel, sides in enumerate(recordings):
            base, new = (_visits(recording.samples, device) for recording in sides)
            for curve in base.keys() & new.keys():
                rows.setdefault(curve, []).extend(_matched(duel, base[curve], new[curve]))
                counted |= {(duel, pair) for pair, _ in base[curve].keys() & new[curve].keys()}
        self.curves = {curve: _arrays(found, curve[0] == "model") for curve, found in sorted(rows.items()) if found}
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
        """The Pairs of a curve between two sizes in bytes, without the lower; None where they are too few."""
        pairs = self.curves.get(curve)
        on_it = pairs and pairs.where((low < pairs.bytes) & (pairs.bytes <= high))
        return on_it and on_it.of_fastest_shapes(is_time=curve[3] == "ns")

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


def _visits(samples, device):
    """{curve: {(pair, coordinates): Visits}} of those of one side that are in a pair; the core's clock is a curve too."""
    found, keys = {}, {}
    for sample in samples:
        if sample["device"] != device or sample.get("pair") is None:
            continue
        written = sample["api"], sample["probe"], sample["unit"], *sample["series"].items()
        if written not in keys:
            series = tuple(canonical(sample["series"]).items())
            keys[written] = (sample["api"], sample["probe"], series, sample["unit"])
        curve, state = keys[written], sample.get("state") or {}
        at = tuple(sorted((name, value) for name, value in sample["x"].items() if name not in _MEASURED))
        shape = tuple(sorted((state.get("shape") or {}).items()))
        visit = Visit(median(sample["values"]), (curve[2], at), shape, tuple(sample.get("process") or ()),
                      bool(state.get("disturbed")))  # fmt: skip
        found.setdefault(curve, {}).setdefault((sample["pair"], at), []).append(visit)
        if state.get("clock_mhz") and sample["unit"] == "ns":
            of_clock = found.setdefault((*curve[:2], (), "MHz"), {})
            of_clock.setdefault((sample["pair"], (curve[2], at)), []).append(visit._replace(value=state["clock_mhz"]))
    return found


def _matched(duel, base, new):
    """A _Row for each pair of one curve; two pairs of a place in their order are a round."""
    rows, taken = [], Counter()
    for key in sorted(base.keys() & new.keys(), key=lambda key: key[0]):
        for mine, other in _of_same_shape(base[key], new[key]):
            if mine.value <= 0 or other.value <= 0:
                continue
            place = mine.place, mine.shape
            round_, process = (duel, place, taken[place] // 2), (duel, mine.process, other.process)
            taken[place] += 1
            (coordinate, first), *others = mine.place[1] or (("", 0),)
            bytes_ = first if coordinate == "bytes" and not others else math.nan
            rows.append(_Row(math.log(mine.value), math.log(other.value), place, round_, process, bytes_,
                             mine.is_disturbed or other.is_disturbed))  # fmt: skip
    return rows


def _of_same_shape(base, new):
    """(BASE's Visit, NEW's) of one pair and place: those in the same shape, and what is left where it is one a side."""
    found, alone, left = [], [], list(new)
    for mine in base:
        other = next((each for each in left if each.shape == mine.shape), None)
        if other is None:
            alone.append(mine)
        else:
            left.remove(other)
            found.append((mine, other))
    return found + ([(alone[0], left[0])] if len(alone) == len(left) == 1 else [])


def _arrays(rows, processes_are_alike):
    base, new, places, rounds, processes, bytes_, disturbed = zip(*rows, strict=True)
    numbers = [_numbered(each) for each in (places, rounds, processes)]
    return Pairs(numpy.array(base), numpy.array(new), *numbers, numpy.array(bytes_), numpy.array(disturbed),
                 processes_are_alike)  # fmt: skip


def _numbered(keys):
    known = {}
    return numpy.array([known.setdefault(key, len(known)) for key in keys])
