"""The levels that were found on a curve: which belong to it, and how they read as text and as a table."""

from sonde_tools import formats
from sonde_tools.series import canonical
from sonde_tools.sections import Cell, Table

MEMORY = "memory"


def levels_of(entry):
    """The level records of a labelled latency curve, the nearest first; none where none were found."""
    curve = entry.curve
    found = [
        level
        for level in entry.recording.levels
        if (level["device"], level["api"], level["probe"]) == (curve.device, curve.api, curve.probe)
        and canonical(level["series"]) == curve.series
        and level.get("latency_ns")
    ]
    return sorted(found, key=lambda level: level["level"])


def name(level):
    """'level 1', or for the last, which has no size, 'memory'; never L1, since the nearest may be an L0."""
    return f"level {level['level']}" if level.get("bytes") else MEMORY


def verdict(levels):
    """All levels of one curve in a line: 'level 1 of 48 KiB at 1.90 ns, …, memory at 165 ns'."""
    return ", ".join(_short(level) for level in levels)


def _short(level):
    latency = formats.latency(level["latency_ns"]["value"])
    if not level.get("bytes"):
        return f"{MEMORY} at {latency}"
    return f"{name(level)} of {formats.size_short(level['bytes']['value'])} at {latency}"


def table(entries, simulated=False):
    """A row a level, three columns a curve; None where no curve has levels."""
    found = [(entry.label, levels_of(entry)) for entry in entries]
    found = [(label, levels) for label, levels in found if levels]
    if not found:
        return None
    names = dict.fromkeys(name(level) for _, levels in found for level in levels)
    # Two APIs may see different numbers of levels; memory is last in each.
    order = sorted((each for each in names if each != MEMORY), key=lambda text: int(text.split()[1]))
    rows = [(each, _cells(each, found)) for each in [*order, *([MEMORY] if MEMORY in names else [])]]
    what = "Simulated levels" if simulated else "Levels"
    caption = f"{what}: size and latency with the interval that holds them, and where the curve leaves the level"
    headings = ["Level", *(heading for _ in found for heading in ("Size", "Transition", "Latency"))]
    return Table(caption, headings, rows, groups=[(label, 3) for label, _ in found])


def _cells(row, found):
    cells = []
    for _, levels in found:
        level = next((each for each in levels if name(each) == row), None)
        texts = (size_text(level), transition_text(level), latency_text(level)) if level else ("–",) * 3
        cells += [_cell(text) for text in texts]
    return cells


def _cell(text):
    value, bracket, bounds = text.partition(" (")
    return Cell(value, f"({bounds}" if bracket else "")


def size_text(level):
    """The size between its bounds, or a dash for memory."""
    size = level.get("bytes")
    return formats.size_between(size["value"], size["low"], size["high"]) if size else "–"


def transition_text(level):
    """Where the curve begins to leave the level and where it has left it, as far as that is known."""
    onset, end = transition(level)
    if onset and end:
        return formats.size_span(onset, end)
    if onset or end:
        return f"from {formats.size_short(onset)}" if onset else f"to {formats.size_short(end)}"
    return "–"


def transition(level):
    """Onset and end of the transition in bytes; None for each that is not known."""
    span = level.get("transition") or {}
    return span.get("onset") or None, span.get("end") or None


def latency_text(level):
    """The latency of the level's plateau between its bounds, and in cycles where they are known."""
    band, cycles = level["latency_ns"], level.get("cycles")
    text = formats.latency_between(band["value"], band["low"], band["high"])
    return f"{text}, {formats.cycles(cycles['value'])}" if cycles else text
