"""Which visits of a duel's two files are pairs, and in which rounds and processes they were made."""

import math
from collections import Counter
from statistics import median
from typing import NamedTuple

from sonde_tools.series import canonical

# Coordinates that a visit measures, which both sides have of their own.
_MEASURED = {"gpu_gbps"}


class Visit(NamedTuple):
    """One side's visit of a place: series, coordinates and shape."""

    value: float
    place: tuple
    shape: tuple
    process: tuple
    is_disturbed: bool


class Row(NamedTuple):
    """What Pairs have of one pair, its place, round and process by what names them."""

    base: float
    new: float
    place: tuple
    round: tuple
    process: tuple
    bytes: float
    is_disturbed: bool


def visits(samples, device):
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


def matched(duel, base, new):
    """A Row for each pair of one curve; two pairs of a place in their order are a round."""
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
            rows.append(Row(math.log(mine.value), math.log(other.value), place, round_, process, bytes_,
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
