"""Makes features of the runs of both sides: the same thing as every run saw it."""

import math
import statistics
from collections import Counter
from dataclasses import dataclass, replace

from sonde_tools import formats
from sonde_tools.compare import kinds
from sonde_tools.compare.matching import aligned
from sonde_tools.compare.observations import FeatureId, Observation
from sonde_tools.compare.pairs import Pairs
from sonde_tools.compare.readings import readings
from sonde_tools.compare.scatter import of_neighbours, of_one_visit

# No hierarchy has more levels; a file that claims so need not be searched.
_MOST_LEVELS = 32
_THERE, _NOT_THERE = "there", "not there"


@dataclass(frozen=True)
class Feature:
    """What the runs of each side say of one thing; a run that says nothing of it has no Observation.

    pairs: of a duel, where they carry it; about_size: of a duel, those about a level's size, in which a change of it shows;
    was_measured: of a duel, whether both sides made visits of its probe; lacks: why one side says nothing, where it tells.
    """

    id: FeatureId
    kind: kinds.Kind
    base: list
    new: list
    pairs: Pairs | None = None
    about_size: Pairs | None = None
    was_measured: bool = False
    lacks: str = ""

    @property
    def unit(self):
        """The unit of the values."""
        return next((one.unit for one in (*self.base, *self.new) if one.unit), "")


def features(base, new, pairs=None):
    """All Features of one device: base and new are a list of Observed, one a run; pairs: its PairsOfDevice in a duel."""
    for feature in _features(base, new):
        yield _of_duel(feature, pairs) if pairs else feature


def _of_duel(feature, pairs):
    """The Feature with its pairs; the speed of a level that one side alone concludes is what both read where that has it."""
    both = replace(feature, base=feature.base or feature.new, new=feature.new or feature.base)
    told = both if feature.kind in (kinds.LEVEL_LATENCY, kinds.LEVEL_BANDWIDTH) else feature
    if own := pairs.of_feature(told):
        feature = told
    return replace(feature, pairs=own, about_size=pairs.about_size(feature), was_measured=pairs.were_made(feature.id))


def _features(base, new):
    found = {}
    for side, runs in enumerate((base, new)):
        for observed in runs:
            for id_, one in observed.features.items():
                # The device is left out, as base and new may be two.
                found.setdefault(replace(id_, device=""), ([], []))[side].append(one)
    for id_, sides in found.items():
        # What less than half of the runs say is not compared.
        said = [side if len(side) * 2 >= len(runs) else [] for side, runs in zip(sides, (base, new), strict=True)]
        if any(said):
            yield Feature(id_, next(one.kind for side in said for one in side), *said)
    yield from _of_levels(base, new)


class _Curve:
    """The levels of one curve in all runs, BASE's first: those of each run, and which of them are the same level."""

    def __init__(self, key, base, new):
        self.api, self.probe, self.series = key
        found = [{level.number: level for level in observed.levels.get(key, [])} for observed in (*base, *new)]
        self.runs = [[levels[number] for number in sorted(levels)][:_MOST_LEVELS] for levels in found]
        self.points = [observed.curves.get(key, []) for observed in (*base, *new)]
        self.disturbed = [observed.disturbed for observed in (*base, *new)]
        self.levels = aligned(self.runs)
        self.is_base = [True] * len(base) + [False] * len(new)
        # How many runs of each side have any level of the curve.
        self.asked = [sum(bool(levels) and side == wanted for levels, side in zip(self.runs, self.is_base, strict=True))
                      for wanted in (True, False)]  # fmt: skip

    def sides(self, level):
        """The runs that have an AlignedLevel with their RunLevels, BASE's and NEW's."""
        return [[(run, one) for run, one in sorted(level.of_run.items()) if self.is_base[run] == wanted]
                for wanted in (True, False)]  # fmt: skip

    def is_in_most(self, level, side):
        """Whether most of a side's runs have a level; side: 0 for BASE, 1 for NEW."""
        return len(self.sides(level)[side]) * 2 >= self.asked[side] > 0

    def readings(self, level):
        """By run the Reading of each curve where the runs that tell a level are on it; None where that is nowhere."""
        told = [run for run, levels in enumerate(self.runs) if levels]
        found = readings([self.points[run] for run in told], [one.on_it for one in level.of_run.values()],
                         [self.disturbed[run] for run in told])  # fmt: skip
        return found and dict(zip(told, found, strict=True))

    def presence(self, level):
        """For each side an Observation a run: whether it tells the level, and what it reads where the others tell it.

        A level that is only told in another way is none that came or went: both sides read the same there.
        """
        sides, read = ([], []), self.readings(level) or {}
        low, high = map(statistics.median, zip(*(one.on_it for one in level.of_run.values()), strict=True))
        for run, levels in enumerate(self.runs):
            if levels:
                said = max((one for each in levels for one in each.says.values()), key=lambda one: one.disturbed)
                one = Observation(kinds.LEVEL, "", None, word=_THERE if run in level.of_run else _NOT_THERE,
                                  disturbed=said.disturbed, scatter=of_one_visit(self.disturbed[run]), on_it=(low, high))  # fmt: skip
                # A curve with the level and one without it part from each other from size to size, which is no scatter.
                own = of_neighbours(
                    [value for size, value in self.points[run] if low < size <= high], self.disturbed[run]
                )
                if reading := read.get(run):
                    # Few neighbours are worth as much as what is known of single visits.
                    known = replace(own, degrees=max(own.degrees, one.scatter.degrees)) if own else one.scatter
                    one = replace(one, value=reading.value, scatter=known)
                sides[not self.is_base[run]].append(one)
        return sides


def _by(reading, one):
    """An Observation with the value and the Scatter of a Reading, if there is one; its interval is as wide as before.

    The run's own conclusion stands where the reading is none that another run may have, and beside others its scatter:
    all sizes of a curve may have met the same neighbours.
    """
    if not reading or not (one.low or 0) <= reading.value <= (one.high or math.inf):
        return one
    low, high = (bound and one.value and bound * reading.value / one.value for bound in (one.low, one.high))
    sides = (reading.scatter, one.scatter) if one.disturbed else (reading.scatter,)
    return replace(one, value=reading.value, low=low, high=high, scatter=max(sides, key=lambda each: each.variance))


def _of_levels(base, new):
    keys = {key for observed in (*base, *new) for key in observed.levels}
    # Levels of latency name those of bandwidth, and the places of a load.
    keys = sorted(keys, key=lambda key: (key[1] in kinds.OF_EACH_LEVEL, key[1] == "bandwidth", key))
    # Levels that latencies show, by API: {(API, run, number): name} and {API: [(name, AlignedLevel)]}.
    names, named = {}, {}
    for curve in (_Curve(key, base, new) for key in keys):
        taken = Counter()
        for number, level in enumerate(curve.levels):
            name = _name(curve, number, names, named)
            taken[name] += 1
            if taken[name] > 1:
                name = f"{name} ({taken[name]})"
            if curve.probe not in ("bandwidth", *kinds.OF_EACH_LEVEL):
                names.update({(curve.api, run, one.number): name for run, one in level.of_run.items()})
                named.setdefault(curve.api, []).append((name, level))
            yield from _of_level(curve, name, level, curve.api in named)


def _name(curve, number, names, named):
    """ "level 2" by the base's count, "memory", or for a level that most of the base's runs lack "level of 256 KiB"."""
    level = curve.levels[number]
    if curve.probe in kinds.OF_EACH_LEVEL:
        return _nearest_level(level, named.get(curve.api, [])) or f"place {number + 1}"
    if curve.probe == "bandwidth":
        places = [(curve.api, run, one.matches) for run, one in level.of_run.items()]
        if matched := Counter(names[place] for place in places if place in names):
            return matched.most_common(1)[0][0]
    if level.size is None:
        return level.name
    counting = 0 if curve.asked[0] > 0 else 1
    numbered = [each for each in curve.levels if each.size and curve.is_in_most(each, counting)]
    if level in numbered:
        return f"level {numbered.index(level) + 1}"
    return f"level of {formats.size_short(level.size)}"


def _nearest_level(level, named):
    """The level that a load without company is served by, if one is within a fifth of its latency."""
    near = [(max(level.speed / other.speed, other.speed / level.speed), name) for name, other in named]
    ratio, name = min(near, default=(2, ""))
    return name if ratio < 1.2 else None


def _of_level(curve, name, level, has_latency_levels):
    """Whether the level is there, if only one side has it; else each number that is said of it."""
    sides = curve.sides(level)
    there = [curve.is_in_most(level, side) for side in (0, 1)]
    if all(curve.asked) and there[0] != there[1] and level.size and curve.probe not in kinds.OF_EACH_LEVEL:
        text = f"{name} by bandwidth" if curve.probe == "bandwidth" else name
        id_ = FeatureId("", curve.api, curve.probe, curve.series, text)
        yield Feature(id_, kinds.LEVEL, *curve.presence(level))
        return
    if not any(there):
        return
    # A stream finds a part of the nearer caches far beyond them, so what it reads of memory is what a run concluded.
    read = None if curve.probe == "bandwidth" and level.size is None else curve.readings(level)
    for kind in dict.fromkeys(kind for levels in sides for _, one in levels for kind in one.says):
        if kind == kinds.LEVEL_SIZE.name and curve.probe == "bandwidth" and has_latency_levels:
            continue  # the same cache's size is read from its latencies, which tell it better
        by_curve = (read or {}) if kind in (kinds.LEVEL_LATENCY.name, kinds.LEVEL_BANDWIDTH.name) else {}
        said = [[_by(by_curve.get(run), one.says[kind]) for run, one in levels if kind in one.says] for levels in sides]
        said = [each if is_there else [] for each, is_there in zip(said, there, strict=True)]
        id_ = FeatureId("", curve.api, curve.probe, curve.series, f"{name} {kind.removeprefix('level ')}")
        about = next((one.kind for side in said for one in side), None)
        if about:
            yield Feature(id_, about, *said)
