"""What each feature's change amounts to: one word, and why."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median

from sonde_tools.compare import kinds
from sonde_tools.compare.changes import ENOUGH_RUNS, Change, adjusted, allowance, change
from sonde_tools.compare.features import Feature

SLOWER, FASTER, CHANGED = "slower", "faster", "changed"
SAME, CANNOT_TELL = "same", "cannot-tell"
ONLY_IN_BASE, ONLY_IN_NEW = "only-in-base", "only-in-new"

# How rarely a verdict may be wrong.
_LEVEL = 0.05
# A word is a side's where so many of its runs say it: one bad run in five has no say.
_MOST_RUNS = 0.8
# No share is larger; a file that claims so is not reckoned with.
_LARGEST_SHARE = 1e6
# A run with such a share of disturbed points is left out where enough others are there, else it counts less.
_DISTURBED = 0.2
# How much wider the scatter of a run is taken for its disturbed points: three times where all of them are.
_WIDER_BY_DISTURBED = 2


@dataclass(frozen=True)
class Verdict:
    """A feature with its verdict: base and new are a dictionary of low, value, high, a word, or None.

    change: of logarithms or shares, or None; follows: the name of the feature that this one follows from, or None.
    """

    feature: Feature
    base: dict | str | None
    new: dict | str | None
    change: Change | None
    verdict: str
    why: str
    follows: str | None = None
    in_cycles: Change | None = None

    @property
    def change_percent(self):
        """Low, value and high in percent of BASE, of shares in percentage points; None where there is no change."""
        if self.change is None:
            return None
        return {name: percent(getattr(self.change, name), self.feature.kind) for name in ("low", "value", "high")}


def percent(difference, kind):
    """A difference of logarithms in percent, one of shares in percentage points."""
    if kind.compared_by == kinds.SHARE:
        return 100 * difference
    return 100 * math.expm1(min(difference, 700))


def verdicts_of(features_of_devices, threshold_percent):
    """A Verdict for each feature of a list of (device id, device type, features), in that order."""
    found = [_compared(device, type_, feature) for device, type_, features in features_of_devices
             for feature in features]  # fmt: skip
    open_ = [number for number, one in enumerate(found) if one.verdict == ""]
    probabilities = adjusted([found[number].change.probability for number in open_])
    for number, probability in zip(open_, probabilities, strict=True):
        found[number] = _concluded(found[number], probability, threshold_percent)
    return found


def _compared(device, type_, feature):
    """A Verdict whose verdict is still empty where it hangs on the probabilities of all."""
    feature = replace(feature, id=replace(feature.id, device=device))
    if not feature.base or not feature.new:
        return _only_in_one(feature)
    allowed = allowance(type_, feature.kind.name, feature.id.feature)
    if any(one.word for one in (*feature.base, *feature.new)):
        words = [_word(side) for side in (feature.base, feature.new)]
        done = _of_words(feature, words, allowed)
        if done:
            return done
        base, new = ([one for one in side if one.word == word]
                     for side, word in zip((feature.base, feature.new), words, strict=True))  # fmt: skip
        feature = replace(feature, kind=base[0].kind, base=base, new=new)
    sides = [_undisturbed(side) for side in (feature.base, feature.new)]
    left_out = _left_out(feature, sides)
    said = [_summary(side) for side in sides]
    few = min(len(feature.base), len(feature.new)) < ENOUGH_RUNS
    if few and not feature.same_before and not allowed.levels_repeat:
        why = "the runs do not agree which level comes before it: compare five runs a side"
        return Verdict(feature, *said, None, CANNOT_TELL, why)
    numbers = [[_number(one, feature.kind) for one in side] for side in sides]
    if any(number is None for side in numbers for number in side):
        why = "a value is zero or negative, so no ratio can be formed"
        return Verdict(feature, *said, None, SAME if said[0] == said[1] else CANNOT_TELL, why)
    share = max(one.disturbed for side in sides for one in side)
    widened = replace(allowed, scatter=allowed.scatter * (1 + _WIDER_BY_DISTURBED * share))
    taken = min(len(feature.base), len(feature.new))
    found = change(*numbers, widened, taken)
    return Verdict(feature, *said, found, "", left_out, in_cycles=_change_in_cycles(feature, sides, widened, taken))


def _only_in_one(feature):
    verdict, side = (ONLY_IN_BASE, feature.base) if feature.base else (ONLY_IN_NEW, feature.new)
    asked = feature.new_runs if feature.base else feature.base_runs
    other = "NEW" if feature.base else "BASE"
    why = f"the probe ran in {other} but says nothing of it" if asked else f"not measured in {other}"
    said = _word(side) or _summary(side)
    return Verdict(feature, said if feature.base else None, None if feature.base else said, None, verdict, why)


def _word(side):
    """The word that most runs of a side say, or None where they do not agree."""
    word, count = Counter(one.word for one in side).most_common(1)[0]
    return word if count >= _MOST_RUNS * len(side) else None


def _of_words(feature, words, allowed):
    """A Verdict where the words decide, or None where both sides say the same of values that can be compared."""
    counts = [Counter(one.word for one in side).most_common() for side in (feature.base, feature.new)]
    said = [
        word or ", ".join(f"{count} {each}" for each, count in every) for word, every in zip(words, counts, strict=True)
    ]

    def said_to_be(verdict, why):
        return Verdict(feature, *said, None, verdict, why)

    base, new = words
    counts = f"{len(feature.base)} against {_runs(len(feature.new))}"
    if base is None or new is None:
        return said_to_be(CANNOT_TELL, f"the runs of {'BASE' if base is None else 'NEW'} do not agree")
    if kinds.UNKNOWN_WORD in words:
        if base == new:
            return said_to_be(SAME, f"{base} in both")
        return said_to_be(CANNOT_TELL, f"{'BASE' if base == kinds.UNKNOWN_WORD else 'NEW'} could not tell either")
    if base != new:
        few = min(len(feature.base), len(feature.new)) == 1
        if few and feature.kind == kinds.LEVEL and not allowed.levels_repeat:
            return said_to_be(CANNOT_TELL, "one run of such a device may miss a level: compare five runs a side")
        if few and max(one.disturbed for one in (*feature.base, *feature.new)) > _DISTURBED:
            return said_to_be(CANNOT_TELL, "other programs were in the way of the only run")
        return said_to_be(CHANGED, f"{base} in BASE, {new} in NEW: {counts}")
    if all(one.value is None for one in (*feature.base, *feature.new)):
        return said_to_be(SAME, f"{base} in both")
    return None


def _runs(count):
    return "1 run" if count == 1 else f"{count} runs"


def _undisturbed(side):
    """The runs that others did not disturb, where these are most of at least two; else all."""
    quiet = [one for one in side if one.disturbed <= _DISTURBED]
    return quiet if len(quiet) >= max(2, 0.6 * len(side)) else side


def _left_out(feature, sides):
    """What is said of disturbed runs, or an empty text."""
    texts = []
    for name, all_, kept in (("BASE", feature.base, sides[0]), ("NEW", feature.new, sides[1])):
        disturbed = sum(one.disturbed > _DISTURBED for one in all_)
        if disturbed:
            what = "left out" if len(kept) < len(all_) else "counted less"
            texts.append(f"{disturbed} of {_runs(len(all_))} of {name} disturbed by other programs, {what}")
    return "; ".join(texts)


def _summary(side):
    """A single run's value and interval; the median, smallest and largest value of several."""
    values = sorted(one.value for one in side if one.value is not None)
    if not values:
        return None
    if len(side) == 1:
        low, high = (values[0] if bound is None else bound for bound in (side[0].low, side[0].high))
        return {"low": low, "value": values[0], "high": high}
    return {"low": values[0], "value": median(values), "high": values[-1]}


def _number(one, kind):
    """(value, half of its interval or None) as they are compared, or None where there is no such number."""
    if one.value is None:
        return None
    if kind.compared_by == kinds.SHARE:
        if max(map(abs, (one.value, one.low or 0, one.high or 0))) > _LARGEST_SHARE:
            return None
        return one.value, None if None in (one.low, one.high) else max(0.0, one.high - one.low) / 2
    if one.value <= 0:
        return None
    bounded = None not in (one.low, one.high) and 0 < one.low <= one.high
    return math.log(one.value), (math.log(one.high) - math.log(one.low)) / 2 if bounded else None


def _change_in_cycles(feature, sides, allowed, taken):
    """The Change of what was recorded in cycles, or None where a run has none."""
    cycles = [[one.cycles for one in side] for side in sides]
    if not all(count and count > 0 for side in cycles for count in side):
        return None
    return change(*([(math.log(count), None) for count in side] for side in cycles), allowed, taken)


def limit(kind, threshold_percent):
    """What counts as a change, as a difference of logarithms or of shares."""
    return threshold_percent / 100 if kind.compared_by == kinds.SHARE else math.log1p(threshold_percent / 100)


def _concluded(one, probability, threshold_percent):
    """The same with its verdict, by the probability that all features leave it."""
    feature, found = one.feature, one.change
    counts = limit(feature.kind, threshold_percent)
    if found.within <= counts:
        verdict, why = SAME, f"any change is within {_percent(percent(found.within, feature.kind))}"
    elif _another_run_may_read(feature):
        verdict, why = CANNOT_TELL, "the difference is within one run's own 95 % interval; use five runs a side"
    elif probability < _LEVEL and abs(found.value) > counts:
        better = feature.kind.better
        worse = (found.value > 0) == (better == kinds.LOWER)
        verdict = CHANGED if better is None else SLOWER if worse else FASTER
        why = f"{_how_much(one)}, {_runs(len(feature.base))} against {_runs(len(feature.new))}"
    else:
        verdict = CANNOT_TELL
        more = "" if min(len(feature.base), len(feature.new)) >= ENOUGH_RUNS else "; five runs a side or more tell more"
        why = f"the change may be anything from {_percent(one.change_percent['low'], True)} to " \
              f"{_percent(one.change_percent['high'], True)}{more}"  # fmt: skip
    return replace(one, verdict=verdict, why="; ".join(filter(None, [why, one.why])))


def _another_run_may_read(feature):
    """Whether, of few runs, one states an interval that holds the other side's value: that is what the interval is for."""
    sides = feature.base, feature.new
    if min(map(len, sides)) >= ENOUGH_RUNS:
        return False
    values = [_summary(side)["value"] for side in sides]
    return any(
        None not in (one.low, one.high) and one.low <= value <= one.high
        for side, value in zip(sides, reversed(values), strict=True) for one in side
    )  # fmt: skip


def _how_much(one):
    low, value, high = (one.change_percent[name] for name in ("low", "value", "high"))
    low, high = sorted((abs(low), abs(high))) if low * high > 0 else (low, high)
    unit = " points" if one.feature.kind.compared_by == kinds.SHARE else " %"
    return f"{abs(value):.1f}{unit} {'higher' if value > 0 else 'lower'} ({low:.1f} to {high:.1f})"


def _percent(value, signed=False):
    return f"{value:+.1f} %" if signed else f"{value:.1f} %"
