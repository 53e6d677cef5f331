"""The whole comparison of two sides: what every form of output is made from."""

from dataclasses import dataclass, field
from functools import cached_property

from sonde_tools.compare import duels, failures, setup
from sonde_tools.compare import runs as runs_
from sonde_tools.compare.causes import with_causes
from sonde_tools.compare.features import features
from sonde_tools.compare.ratio_curves import ratio_curves
from sonde_tools.compare.verdicts import LEVEL, LEVEL_OF_DUELS, verdicts_of
from sonde_tools.devices import API_NAMES

# What counts as a change in percent, of runs and of duels, if nobody says otherwise.
THRESHOLD_PERCENT, THRESHOLD_OF_DUELS_PERCENT = 2.0, 0.5


@dataclass(frozen=True)
class Side:
    """One side: its Runs and what they have in common."""

    runs: list
    setup: dict


@dataclass(frozen=True)
class Comparison:
    """Both sides, what differs in their circumstances, and every feature with its verdict.

    names: device id to (name in BASE, name in NEW); simulated: whether any device is a model; notes: sentences;
    paired: of a duel device id to PairsOfDevice.
    """

    base: Side
    new: Side
    differs: list
    verdicts: list
    names: dict
    pairs: list
    simulated: bool
    threshold_percent: float
    notes: list
    duel: duels.Duel | None = None
    paired: dict = field(default_factory=dict)

    @cached_property
    def ratio_curves(self):
        """The RatioCurves of a duel."""
        return ratio_curves(self.paired, self.threshold_percent)

    @cached_property
    def ambiguous(self):
        """The names of features that several series or probes have."""
        seen = {}
        for id_ in (one.feature.id for one in self.verdicts):
            seen.setdefault(id_.feature, set()).add((id_.probe, id_.series))
        return {name for name, series in seen.items() if len(series) > 1}

    @cached_property
    def apis(self):
        """The APIs that anything was found through."""
        return {one.feature.id.api for one in self.verdicts}

    def api_name(self, api):
        """An API in words: of a duel between two APIs both."""
        name = API_NAMES.get(api, api)
        return next((f"{one['base']} against {one['new']}" for one in self.differs
                     if self.duel and one["what"] == "API" and one["base"] == name), name)  # fmt: skip

    def those(self, verdict, with_followers=True):
        """The Verdicts of one word; what follows from another counts once."""
        return [one for one in self.verdicts if one.verdict == verdict and (with_followers or one.follows is None)]


def compared(base, new, match="device", threshold_percent=None):
    """The Comparison of two lists of Runs. Raises runs.NothingToCompare where no device is on both sides."""
    new, duel = duels.matched(base, new)
    threshold_percent = threshold_percent or (THRESHOLD_OF_DUELS_PERCENT if duel else THRESHOLD_PERCENT)
    pairs = runs_.pairs(base, new, match)
    names, todo, paired = {}, [], {}
    for mine, other in pairs:
        described = _described(base, mine), _described(new, other)
        names[mine] = described[0][0], described[1][0]
        both = (base, mine), (new, other)
        sides = [[run.observed[id_] for run in side if id_ in run.observed] for side, id_ in both]
        if duel:
            paired[mine] = duel.pairs_of(mine)
        found = features(*sides, paired.get(mine))
        todo.append((mine, failures.told(found, duel.sides, mine) if duel else found))
    sides = [
        Side(side, setup.of_side([_renamed(run.circumstances, renames) for run in side]))
        for side, renames in ((base, {}), (new, {other: mine for mine, other in pairs if other != mine}))
    ]
    types = [_described(side, id_)[1] for pair in pairs for side, id_ in zip((base, new), pair, strict=True)]
    found = verdicts_of(todo, threshold_percent, LEVEL_OF_DUELS if duel else LEVEL)
    verdicts = with_causes(found, threshold_percent)
    differs = (duel.differs if duel else []) + setup.differing(*(side.setup for side in sides))
    notes = _notes(base, new, pairs) + (failures.at_times(duel.sides) if duel else [])
    return Comparison(*sides, differs, verdicts, names, pairs, "model" in types, threshold_percent, notes, duel, paired)


def _described(side, id_):
    """Name and type of a device as the first run that describes it has them."""
    return next((run.devices[id_] for run in side if id_ in run.devices), (id_, ""))


def _renamed(circumstances, renames):
    """NEW's device ids as BASE's, so that what is paired is also compared in its circumstances."""
    found = {}
    for what, value in circumstances.items():
        for other, mine in renames.items():
            what = what.replace(f" of {other}", f" of {mine}").replace(f" on {other} ", f" on {mine} ")
        found[what] = value
    return found


def _notes(base, new, pairs):
    """What a reader must know of the runs."""
    notes = []
    for name, side in (("BASE", base), ("NEW", new)):
        if broken := sum(not run.complete for run in side):
            notes.append(f"{broken} of {len(side)} of {name} did not end as complete: what they had measured counts.")
    if {run.path.resolve() for run in base} & {run.path.resolve() for run in new}:
        notes.append("Some files are on both sides.")
    left = sorted({id_ for run in (*base, *new) for id_ in run.observed} - {id_ for pair in pairs for id_ in pair})
    if left:
        notes.append(f"Not compared, as only one side has it: {', '.join(left)}.")
    return notes
