"""The two files of a duel: that they are its sides, and NEW's device and API by BASE's names where each has one of its own."""

from dataclasses import dataclass, replace

from sonde_tools.compare import runs
from sonde_tools.compare.observations import Observed
from sonde_tools.compare.pairs import PairsOfDevice
from sonde_tools.devices import API_NAMES

_KINDS = ("samples", "levels", "findings", "skips", "errors")


@dataclass(frozen=True)
class Duel:
    """One duel or several alike. sides: (BASE's Run, NEW's) of each; differs: {what, base, new} of device and API."""

    sides: list
    differs: list

    def pairs_of(self, device):
        """The PairsOfDevice of a device."""
        return PairsOfDevice([[run.recording for run in both] for both in self.sides], device)

    @property
    def settings(self):
        """The settings of BASE and of NEW, each a list of words."""
        return [run.duel["settings"] for run in self.sides[0]]


def matched(base, new):
    """NEW's Runs as they are compared with BASE's, and the Duel where these are both sides of one, else None."""
    others = {run.duel["id"]: run for run in new if run.duel}
    both = [(run, others.get(run.duel["id"])) for run in base if run.duel]
    are_sides = both and all(other and run.duel["side"] != other.duel["side"] for run, other in both)
    if not are_sides or not len(both) == len(base) == len(new) == len(others):
        return new, None
    sides, differs = [], []
    for run, other in both:
        renamed, said = _by_its_names(run, other)
        differs += [one for one in said if one not in differs]
        # What one side cannot say anything of is compared too.
        for id_ in (run.observed | renamed.observed) or run.devices:
            run.observed.setdefault(id_, Observed())
            renamed.observed.setdefault(id_, Observed())
        sides.append((run, renamed))
    return [renamed for _, renamed in sides], Duel(sides, differs)


def _by_its_names(run, other):
    """NEW's Run with BASE's device and API in place of its own, if each has just one that the other lacks; what differs."""
    renames, differs = {}, []
    for field, what in (("device", "device"), ("api", "API")):
        mine, theirs = (_named(each.recording, field) for each in (run, other))
        if len(mine - theirs) == len(theirs - mine) == 1:
            (base,), (new,) = mine - theirs, theirs - mine
            renames[field] = {new: base}
            said = (API_NAMES.get(each, each) if field == "api" else each for each in (base, new))
            differs.append({"what": what, **dict(zip(("base", "new"), said, strict=True))})
    if not renames:
        return other, []
    kinds = {kind: getattr(other.recording, kind) for kind in (*_KINDS, "devices")}
    changed = {kind: [_renamed(record, renames) for record in records] for kind, records in kinds.items()}
    return runs.of_recording(replace(other.recording, **changed), keep=True), differs


def _named(recording, field):
    """The devices or APIs that a recording says anything of."""
    return {record[field] for kind in _KINDS for record in getattr(recording, kind) if record.get(field)}


def _renamed(record, renames):
    changed = {field: names[record[field]] for field, names in renames.items() if record.get(field) in names}
    return {**record, **changed}
