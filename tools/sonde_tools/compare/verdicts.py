"""What each feature's change amounts to: one word, and why."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median

from sonde_tools.compare import kinds, paired
from sonde_tools.compare.changes import ENOUGH_RUNS, FEWEST_DEGREES, Change, adjusted, change
from sonde_tools.compare.features import Feature

SLOWER, FASTER, CHANGED = "slower", "faster", "changed"
SAME, CANNOT_TELL = "same", "cannot-tell"
ONLY_IN_BASE, ONLY_IN_NEW = "only-in-base", "only-in-new"

# How rarely a verdict may be wrong: of runs, and of duels, which say alone whether a build is bad.
LEVEL, LEVEL_OF_DUELS = 0.05, 0.02
# A word is a side's where so many of its runs say it: one bad run in five has no say.
_MOST_RUNS = 0.8
_ONE_VISIT = "a single visit on a machine that others use may be far off; another run a side tells"
# No share is larger; a file that claims so is not reckoned with.
_LARGEST_SHARE = 1e6
# A run with such a share of disturbed visits is left out where enough others are there.
_DISTURBED = 0.2
# Nor does a run of which more than that were tell anything alone.
_MOST_DISTURBED = 0.5
# A change by more than this factor is none that a comparison waits for.
_LARGEST_FACTOR = 100


@dataclass(frozen=True)
class Verdict:
    """A feature with its verdict: base and new are a dictionary of low, value, high, a word, or None.

    change: of logarithms or shares, or None; would_see_percent: the smallest one, in percent or points, that would have
    been called, or None where none would; follows: the name of the feature that this one follows from, or None.
    """

    feature: Feature
    base: dict | str | None
    new: dict | str | None
    change: Change | None
    verdict: str
    why: str
    follows: str | None = None
    would_see_percent: float | None = None

    @property
    def change_percent(self):
        """Low, value and high in percent of BASE, of shares in percentage points; None where there is no change."""
        if self.change is None or self.feature.kind == kinds.LEVEL:
            return None
        return {name: percent(getattr(self.change, name), self.feature.kind) for name in ("low", "value", "high")}


def percent(difference, kind):
    """A difference of logarithms in percent, one of shares in percentage points."""
    if kind.compared_by == kinds.SHARE:
        return 100 * difference
    return 100 * math.expm1(min(difference, 700))


def verdicts_of(features_of_devices, threshold_percent, level=LEVEL):
    """A Verdict for each feature of a list of (device id, features), in that order; level: how rarely any may be wrong."""
    found = []
    for device, features in features_of_devices:
        named = list(_moderated([replace(feature, id=replace(feature.id, device=device)) for feature in features]))
        by_pairs, about_sizes = (paired.changes([getattr(feature, which) for feature in named])
                                 for which in ("pairs", "about_size"))  # fmt: skip
        found += map(_compared, named, by_pairs, about_sizes)
    open_ = [number for number, one in enumerate(found) if one.verdict == ""]
    probabilities = adjusted([found[number].change.probability for number in open_])
    called = sum(probability < level for probability in probabilities)
    for number, probability in zip(open_, probabilities, strict=True):
        is_called = probability < level
        # One more call moves the limit of all by one rank.
        rank = min(called + (not is_called), len(open_))
        found[number] = _concluded(found[number], is_called, level * rank / len(open_), threshold_percent)
    return found


def _moderated(features):
    """The Features, the scatter of each value drawn to that of its namesakes in these runs and APIs, or its kind."""
    alike = {}
    for feature in features:
        for one in (*feature.base, *feature.new):
            for name in (feature.id.feature, one.kind) if one.scatter.by_visits else ():
                alike.setdefault(name, []).append(one.scatter)

    for feature in features:
        namesakes = alike.get(feature.id.feature, ())
        sides = [[replace(one, scatter=one.scatter.drawn_to(namesakes if len(namesakes) > 2 else alike.get(one.kind, ())))
                  for one in side] for side in (feature.base, feature.new)]  # fmt: skip
        yield replace(feature, base=sides[0], new=sides[1])


def _compared(feature, by_pairs, about_size):
    """A Verdict whose verdict is still empty where it hangs on the probabilities of all.

    by_pairs: the Change that pairs tell; about_size: the Change of what is read about a level's size, or None: a size that
    differs shows there, and two readings of one size differ by more than their visits know.
    """
    if not feature.base or not feature.new:
        return _only_in_one(feature)
    sure = by_pairs is not None or _is_sure(feature)
    words = [_word(side) for side in (feature.base, feature.new)]
    if any(one.word for one in (*feature.base, *feature.new)):
        if done := _of_words(feature, words, sure):
            return done
        if feature.kind != kinds.LEVEL:
            base, new = ([one for one in side if one.word == word]
                         for side, word in zip((feature.base, feature.new), words, strict=True))  # fmt: skip
            feature = replace(feature, kind=base[0].kind, base=base, new=new)
    if by_pairs:
        if feature.kind != kinds.LEVEL:
            words = paired.as_read(feature.pairs, by_pairs, *map(_summary, (feature.base, feature.new)))
        return Verdict(feature, *words, by_pairs, "", "")
    sides = [_undisturbed(side) for side in (feature.base, feature.new)]
    left_out = _left_out(feature, sides)
    said = words if feature.kind == kinds.LEVEL else [_summary(side) for side in sides]
    numbers = [[_number(one, feature.kind) for one in side] for side in sides]
    if any(number is None for side in numbers for number in side):
        nothing = "no points where the other tells it" if feature.kind == kinds.LEVEL else "a value of zero or below"
        why = f"a side has {nothing}, so no ratio can be formed"
        return Verdict(feature, *said, None, SAME if said[0] == said[1] else CANNOT_TELL, why)
    found = change(*numbers)
    if about_size:
        found = replace(found, probability=max(found.probability, about_size.probability))
    return Verdict(feature, *said, found, *(("", left_out) if sure else (CANNOT_TELL, _ONE_VISIT)))


def _is_sure(feature):
    """Whether neither side is one run of a single moment or of disturbed visits, which may be off by any factor."""
    return all(len(side) > 1 or (side[0].scatter.degrees >= FEWEST_DEGREES and side[0].disturbed <= _MOST_DISTURBED)
               for side in (feature.base, feature.new))  # fmt: skip


def _only_in_one(feature):
    said = [(_word(side) or _summary(side)) if side else None for side in (feature.base, feature.new)]
    verdict, other = (ONLY_IN_BASE, "NEW") if feature.base else (ONLY_IN_NEW, "BASE")
    if feature.was_measured and not feature.lacks:
        return Verdict(feature, *said, None, CANNOT_TELL, f"{other} concludes none, though both sides were measured")
    why = f"{other}: {feature.lacks}" if feature.lacks else f"not said in {other}, or by fewer than half of its runs"
    return Verdict(feature, *said, None, verdict, why)


def _word(side):
    """The word that most runs of a side say, or None where they do not agree."""
    word, count = Counter(one.word for one in side).most_common(1)[0]
    return word if count >= _MOST_RUNS * len(side) else None


def _of_words(feature, words, sure):
    """A Verdict where the words decide, or None where both sides say the same of values that can be compared."""
    base, new = words
    said = [word or ", ".join(f"{count} {each}" for each, count in Counter(one.word for one in side).most_common())
            for word, side in zip(words, (feature.base, feature.new), strict=True)]  # fmt: skip
    if None in words:
        verdict, why = CANNOT_TELL, f"the runs of {'BASE' if base is None else 'NEW'} do not agree"
    elif base == new and (
        base == kinds.UNKNOWN_WORD or all(one.value is None for one in (*feature.base, *feature.new))
    ):
        verdict, why = SAME, f"{base} in both"
    elif kinds.UNKNOWN_WORD in words:
        verdict, why = CANNOT_TELL, f"{'BASE' if base == kinds.UNKNOWN_WORD else 'NEW'} could not tell either"
    elif base == new or feature.kind == kinds.LEVEL:
        return None
    elif not sure:
        verdict, why = CANNOT_TELL, _ONE_VISIT
    else:
        verdict = CHANGED
        why = f"{base} in BASE, {new} in NEW: {len(feature.base)} against {_runs(len(feature.new))}"
    return Verdict(feature, *said, None, verdict, why)


def _runs(count):
    return "1 run" if count == 1 else f"{count} runs"


def _undisturbed(side):
    """The runs that others did not disturb, where these are most of at least two; else all."""
    quiet = [one for one in side if one.disturbed <= _DISTURBED]
    return quiet if len(quiet) >= max(2, 0.6 * len(side)) else side


def _left_out(feature, sides):
    """What is said of disturbed runs, or an empty text."""
    return "; ".join(
        f"{disturbed} of {_runs(len(all_))} of {name} disturbed by other programs"
        + (", left out" if len(kept) < len(all_) else "")
        for name, all_, kept in zip(("BASE", "NEW"), (feature.base, feature.new), sides, strict=True)
        if (disturbed := sum(one.disturbed > _DISTURBED for one in all_))
    )


def _summary(side):
    """A single run's value and interval; the median, smallest and largest value of several."""
    values = sorted(one.value for one in side if one.value is not None)
    low, high = (values[0], values[-1]) if values else (None, None)
    if len(side) == 1:
        low, high = (low if side[0].low is None else side[0].low, high if side[0].high is None else side[0].high)
    return {"low": low, "value": median(values), "high": high} if values else None


def _number(one, kind):
    """(value, Scatter) as they are compared, or None where there is no such number."""
    if one.value is None:
        return None
    if kind.compared_by == kinds.SHARE:
        return None if abs(one.value) > _LARGEST_SHARE else (one.value, one.scatter)
    return (math.log(one.value), one.scatter) if one.value > 0 else None


def limit(kind, threshold_percent):
    """What counts as a change, as a difference of logarithms or of shares."""
    return threshold_percent / 100 if kind.compared_by == kinds.SHARE else math.log1p(threshold_percent / 100)


def _concluded(one, is_called, called_below, threshold_percent):
    """The same with its verdict; is_called: whether the probability that all features leave it is small enough.

    called_below: the probability below which it would be called beside what is called.
    """
    feature, found = one.feature, one.change
    counts = limit(feature.kind, threshold_percent)
    would_see = max(found.seen_at(called_below), counts)
    low, value, high = (percent(each, feature.kind) for each in (found.low, found.value, found.high))
    unit = "points" if feature.kind.compared_by == kinds.SHARE else "%"
    few = not feature.pairs and min(len(feature.base), len(feature.new)) < ENOUGH_RUNS
    if is_called and abs(found.value) > counts:
        better = feature.kind.better
        verdict = CHANGED if better is None else SLOWER if (found.value > 0) == (better == kinds.LOWER) else FASTER
        what = f"{one.base} in BASE, {one.new} in NEW, where the curve reads " if feature.kind == kinds.LEVEL else ""
        runs = f"{len(feature.base)} against {_runs(len(feature.new))}"
        of = paired.counted(feature.pairs) if feature.pairs else runs
        why = f"{what}{value:+.1f} {unit} ({low:+.1f} to {high:+.1f}), {of}"
    elif found.within <= counts:
        verdict, why = SAME, f"any change is within {percent(found.within, feature.kind):.1f} {unit}"
    else:
        what = "told in one side alone, where the curves read alike: " if feature.kind == kinds.LEVEL else ""
        more = "; five runs a side or more tell more" if few else ""
        verdict, why = CANNOT_TELL, f"{what}the change may be anything from {low:+.1f} to {high:+.1f} {unit}{more}"
    seen = percent(would_see, feature.kind) if would_see < math.log(_LARGEST_FACTOR) else None
    return replace(one, verdict=verdict, would_see_percent=seen, why="; ".join(filter(None, [why, one.why])))
