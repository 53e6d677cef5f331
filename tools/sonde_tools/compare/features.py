"""From the runs of both sides to features: the same thing seen by every run that saw it."""

from collections import Counter
from dataclasses import dataclass, replace

from sonde_tools import formats
from sonde_tools.compare import kinds_of_features as kinds
from sonde_tools.compare.matching import aligned
from sonde_tools.compare.observations import Observation, Place

# No hierarchy has more levels; a file that claims so need not be searched.
_MOST_LEVELS = 32
_THERE, _NOT_THERE = "there", "not there"
# A last level that may not be memory: what a curve that ends in it lacks may lie beyond its sizes.
_BEYOND = "beyond"


@dataclass(frozen=True)
class Feature:
    """What the runs of each side say of one thing; a run that says nothing of it has no Observation.

    base_runs, new_runs: how many runs asked the probe that tells it. same_before: of a level, whether the same level
    comes before it in all runs; else one run's may be two of another's.
    """

    place: Place
    kind: kinds.Kind
    base: list
    new: list
    base_runs: int
    new_runs: int
    same_before: bool = True

    @property
    def unit(self):
        """The unit of the values."""
        return next((one.unit for one in (*self.base, *self.new) if one.unit), "")


def features(base, new):
    """All Features of one device: base and new are a list of Observed, one a run."""
    found = [*_singles(base, new), *_of_ladders(base, new)]
    return [feature for feature in found if _is_there(feature.base, feature.base_runs) or
            _is_there(feature.new, feature.new_runs)]  # fmt: skip


def _is_there(observations, runs):
    """Whether at least half of the runs say something: what one of five says is not compared."""
    return len(observations) * 2 >= runs > 0


def _asked(observed):
    """(API, probe) of all that a run says anything of."""
    return {(place.api, place.probe) for place in observed.features} | {curve[:2] for curve in observed.ladders}


def _singles(base, new):
    found = {}
    for side, runs in enumerate((base, new)):
        for observed in runs:
            for place, one in observed.features.items():
                found.setdefault(_anywhere(place), ([], []))[side].append(one)
    asked = [[_asked(observed) for observed in side] for side in (base, new)]
    for place, sides in found.items():
        runs = [sum((place.api, place.probe) in probes for probes in side) for side in asked]
        kind = next(one.kind for side in sides for one in side)
        sides = [side if _is_there(side, count) else [] for side, count in zip(sides, runs, strict=True)]
        yield Feature(place, kind, *sides, *runs)


def _anywhere(place):
    """A place without its device: base and new may be two devices."""
    return replace(place, device="")


def _of_ladders(base, new):
    curves = sorted({curve for observed in (*base, *new) for curve in observed.ladders}, key=_latency_first)
    names = {}
    for curve in curves:
        runs = [_ladder(observed, curve) for observed in (*base, *new)]
        slots = aligned(runs)
        side_of = [True] * len(base) + [False] * len(new)
        asked = [sum(bool(ladder) and side == is_base for ladder, side in zip(runs, side_of, strict=True))
                 for is_base in (True, False)]  # fmt: skip
        taken = Counter()
        for number, slot in enumerate(slots):
            name = _name(curve, slots, number, names, side_of, asked)
            taken[name] += 1
            if taken[name] > 1:
                name = f"{name} ({taken[name]})"
            if curve[1] not in ("bandwidth", *kinds.OF_EACH_LEVEL):
                names.update({(curve[0], run, rung.number): name for run, rung in slot.rungs.items()})
                names.setdefault((curve[0], "slots"), []).append((name, slot))
            open_ended = any(
                ladder and ladder[-1].name == _BEYOND and run not in slot.rungs for run, ladder in enumerate(runs)
            )
            unclear = open_ended or _is_within_a_slope(slot, runs)
            came_or_went = not unclear and slot.size and curve[1] not in kinds.OF_EACH_LEVEL
            same_before = len({_before(slots, run, number) for run in slot.rungs}) <= 1
            yield from _of_slot(
                curve, name, slot, side_of, asked, came_or_went, (curve[0], "slots") in names, same_before
            )


def _is_within_a_slope(slot, runs):
    """Whether the curve of a run without this level rises past its size in one slope, in which it may be."""
    slopes = [rung.slope for run, ladder in enumerate(runs) if run not in slot.rungs for rung in ladder if rung.slope]
    return slot.size is not None and any(onset <= slot.size <= end for onset, end in slopes)


def _before(slots, run, number):
    """The number of the last slot before this one that a run has a level in, or None."""
    return next((before for before in range(number - 1, -1, -1) if run in slots[before].rungs), None)


def _latency_first(curve):
    """Levels of latency name those of bandwidth, and the places of a load."""
    return curve[1] in kinds.OF_EACH_LEVEL, curve[1] == "bandwidth", curve


def _ladder(observed, curve):
    rungs = {rung.number: rung for rung in observed.ladders.get(curve, [])}
    return [rungs[number] for number in sorted(rungs)][:_MOST_LEVELS]


def _in_most(slot, side_of, asked, is_base):
    count = sum(side_of[run] == is_base for run in slot.rungs)
    return count * 2 >= asked[not is_base] > 0


def _name(curve, slots, number, names, side_of, asked):
    """ "level 2" by the base's count, "memory", or for a level that most of the base's runs lack "level of 256 KiB"."""
    api, probe, _ = curve
    slot = slots[number]
    if probe in kinds.OF_EACH_LEVEL:
        return _nearest_level(slot, names.get((api, "slots"), [])) or f"place {number + 1}"
    if probe == "bandwidth":
        matched = Counter(names[api, run, rung.matches] for run, rung in slot.rungs.items()
                          if (api, run, rung.matches) in names)  # fmt: skip
        if matched:
            return matched.most_common(1)[0][0]
    if slot.size is None:
        return slot.name
    numbered = [each for each in slots if each.size and _in_most(each, side_of, asked, asked[0] > 0)]
    if slot in numbered:
        return f"level {numbered.index(slot) + 1}"
    return f"level of {formats.size_short(slot.size)}"


def _nearest_level(slot, named):
    """The level that a load without company is served by, if one is within a fifth of its latency."""
    near = [(max(slot.speed / level.speed, level.speed / slot.speed), name) for name, level in named]
    ratio, name = min(near, default=(2, ""))
    return name if ratio < 1.2 else None


def _of_slot(curve, name, slot, side_of, asked, may_have_changed, has_latency_levels, same_before):
    """Whether the level is there, if only one side has it; else each number that is said of it."""
    api, probe, series = curve
    sides = [[rung for run, rung in sorted(slot.rungs.items()) if side_of[run] == is_base] for is_base in (True, False)]
    there = [_in_most(slot, side_of, asked, is_base) for is_base in (True, False)]
    if all(asked) and there[0] != there[1] and may_have_changed:
        words = [_presence(rungs, count) for rungs, count in zip(sides, asked, strict=True)]
        text = f"{name} by bandwidth" if probe == "bandwidth" else name
        yield Feature(Place("", api, probe, series, text), kinds.LEVEL, *words, *asked)
        return
    if not any(there):
        return
    for kind in dict.fromkeys(kind for rungs in sides for rung in rungs for kind in rung.says):
        if kind is kinds.LEVEL_SIZE and probe == "bandwidth" and has_latency_levels:
            continue  # the same cache's size is read from its latencies, which tell it better
        said = [[rung.says[kind] for rung in rungs if kind in rung.says] for rungs in sides]
        said = [each if is_there else [] for each, is_there in zip(said, there, strict=True)]
        text = f"{name} {kind.name.removeprefix('level ')}"
        yield Feature(Place("", api, probe, series, text), kind, *said, *asked, same_before)


def _presence(rungs, runs):
    """An Observation for each run: whether it has the level."""
    there = [Observation(kinds.LEVEL, "", None, word=_THERE, disturbed=max(o.disturbed for o in rung.says.values()))
             for rung in rungs]  # fmt: skip
    return there + [Observation(kinds.LEVEL, "", None, word=_NOT_THERE)] * (runs - len(there))
