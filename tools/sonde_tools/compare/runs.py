"""The two sides: which files are meant, and what each of them says."""

import glob
from dataclasses import dataclass
from pathlib import Path

from sonde_tools import formats, records
from sonde_tools.compare.observations import observed
from sonde_tools.compare.setup import circumstances


class NothingToCompare(Exception):
    """Why a side has no run, or the sides nothing in common; the text is one sentence for the user."""


@dataclass(frozen=True)
class Run:
    """One record file: what it says of each device, under which circumstances; recording where it is needed further."""

    path: Path
    id: str | None  # the run's own
    devices: dict  # device id to (name, type)
    observed: dict  # device id to Observed
    circumstances: dict
    complete: bool
    recording: object = None
    duel: dict | None = None  # which side of which duel it is


def files(words):
    """The record files that words name: files, folders (all *.jsonl in them, not below) and patterns, each once."""
    found = {}
    for word in words:
        path = Path(word)
        if path.is_dir():
            paths = sorted(path.glob("*.jsonl"))
        elif path.exists() or not glob.has_magic(word):
            paths = [path]
        else:
            paths = sorted(map(Path, glob.glob(word, recursive=True)))
        for each in paths:
            found.setdefault(each.resolve(), each)
    return list(found.values())


def read(side, words, notes, keep=False):
    """The Runs of one side (its name for messages); a file that cannot be used is a line on notes.

    keep: with their recordings. Raises NothingToCompare where no file can be used.
    """
    paths, runs = files(words), []

    def refuse(error):
        print(f"sonde compare: {formats.visible(str(error))}", file=notes)

    for recording in records.runs(paths, notes, "compare", refuse):
        run = of_recording(recording, keep)
        path = run.path
        # That a side of a duel could do nothing is what there is to say of it.
        if run.observed or run.duel:
            runs.append(run)
        else:
            said = f"{path} has nothing to compare: no levels and no findings."
            print(f"sonde compare: {formats.visible(said)}", file=notes)
    if not runs:
        what = "no file that can be used" if paths else "no record file"
        raise NothingToCompare(f"{side} has {what}: {formats.visible(', '.join(map(str, words)))}.")
    return runs


def told_of_both(base, new, notes):
    """Says on notes which runs stand on both sides, of which nothing can differ."""
    of_new = {run.id for run in new}
    for run in base:
        if run.id and run.id in of_new:
            said = f"{run.path} is of a run that stands on both sides, so nothing of it differs."
            print(f"sonde compare: {formats.visible(said)}", file=notes)


def of_recording(recording, keep):
    """The Run of a recording, which it keeps if it is asked to or of a duel."""
    devices = {record["device"]: (record["name"], record["type"]) for record in recording.devices}
    complete = (recording.end or {}).get("status") == "complete"
    duel = recording.run.get("duel")
    return Run(recording.path, recording.run.get("run"), devices, observed(recording), circumstances(recording), complete,
               recording if keep or duel else None, duel)  # fmt: skip


def pairs(base, new, match):
    """Pairs (base's device id, new's) of what is compared with each other, in base's order.

    match: by `device` id or by `name`, as many as both sides have of one; by name what is left is paired where each side has one. Raises NothingToCompare
    where there is no pair.
    """
    bases, news = _devices(base), _devices(new)
    if match == "name":
        names = dict.fromkeys(bases.values())
        # Of several devices of one name the first is compared with the first.
        found = [pair for name in names for pair in zip(*(_called(name, side) for side in (bases, news)), strict=False)]
        left = [
            [id_ for id_ in side if id_ not in {pair[at] for pair in found}] for at, side in enumerate((bases, news))
        ]
        if len(left[0]) == len(left[1]) == 1:
            found.append((left[0][0], left[1][0]))
    else:
        found = [(id_, id_) for id_ in bases if id_ in news]
    if not found:
        sides = " and ".join(
            f"{name} has {', '.join(f'{id_} ({named})' for id_, named in side.items())}"
            for name, side in (("BASE", bases), ("NEW", news))
        )
        hint = "" if match == "name" else "; --match name compares devices of one name, or the only one of each side"
        raise NothingToCompare(formats.visible(f"no device is on both sides: {sides}{hint}."))
    return found


def _called(name, devices):
    """The ids of the devices of a name, in order."""
    return sorted(id_ for id_, named in devices.items() if named == name)


def _devices(runs):
    """Device id to name, of every device that something was found on."""
    return {id_: run.devices.get(id_, (id_, ""))[0] for run in runs for id_ in run.observed}
