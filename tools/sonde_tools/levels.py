"""The levels that were found on a curve: which belong to it, and how they read as text and as a table."""

import statistics

from sonde_tools import formats
from sonde_tools.sections import Cell, Table
from sonde_tools.series import canonical


def levels_of(entry):
    """The level records of a labelled latency curve, the nearest first; none where none were found."""
    return _found(entry, entry.curve.probe, "latency_ns", lambda level: canonical(level["series"]) == entry.series)


def bandwidth_levels_of(entry):
    """The level records of the bandwidth curve beside a labelled curve: same file, device and API; the nearest first."""
    return _found(entry, "bandwidth", "bandwidth", lambda _: True)


def _found(entry, probe, band, is_its_own):
    place = entry.curve.device, entry.curve.api, probe
    found = [
        level
        for level in entry.recording.levels
        if (level["device"], level["api"], level["probe"]) == place and level.get(band) and is_its_own(level)
    ]
    return sorted(found, key=lambda level: level["level"])


def name(level):
    """What the record calls the level: 'level 1', 'memory' or 'beyond'; never L1, since the nearest may be an L0."""
    # Files of earlier versions have no name.
    called = level.get("name") or (f"level {level['level']}" if level.get("bytes") else "memory")
    return called + (", or translation" if level.get("or_translation") else "")


def verdict(levels):
    """All levels of one curve in a line: 'level 1 of 48 KiB at 1.90 ns, …, memory at 165 ns'."""
    sizes = [f" of {formats.size_short(level['bytes']['value'])}" if level.get("bytes") else "" for level in levels]
    return ", ".join(
        f"{name(level)}{size} at {formats.latency(level['latency_ns']['value'])}"
        for level, size in zip(levels, sizes, strict=True)
    )


def side_by_side(latency, bandwidth):
    """Pairs (of latency, of bandwidth) that the record matches; None where one of both does not see the level."""
    matching = {level["matches"]: level for level in bandwidth if level.get("matches")}
    pairs = [(level, matching.get(level["level"])) for level in latency]
    matched = [level for _, level in pairs if level]
    return [*pairs, *((None, level) for level in bandwidth if level not in matched)]


def tables(view, entries):
    """A row a level, with size, transition, latency and bandwidth of each curve; no table where no curve has levels."""
    found = [(entry, side_by_side(levels_of(entry), bandwidth_levels_of(entry))) for entry in entries]
    # One of two curves of an API has the levels.
    by_api = {(entry.recording.path, entry.curve.api): (entry, pairs) for entry, pairs in reversed(found)}
    found = [each for each in found if any(of_latency for of_latency, _ in each[1])] or list(by_api.values())[::-1]
    found = [(entry, pairs) for entry, pairs in found if pairs]
    if not found:
        return []
    columns = ["Size", "Transition"]
    columns += ["Latency"] if any(of_latency for _, pairs in found for of_latency, _ in pairs) else []
    columns += ["Bandwidth"] if any(of_bandwidth for _, pairs in found for _, of_bandwidth in pairs) else []
    # Two APIs may see different numbers of levels; what has no size is last in each.
    places = {row_name(pair): place(pair) for _, pairs in found for pair in pairs}
    order = sorted(places, key=places.get)
    rows = [(name, [cell(text) for each in found for text in _texts(view, each, name, columns)]) for name in order]
    what = "Simulated levels" if view.is_model else "Levels"
    measures = " and ".join(column.lower() for column in columns if column != "Transition")
    caption = f"{what}: {measures} with the interval that holds them, and where the curve leaves the level"
    if "Bandwidth" in columns:
        caption += "; bandwidth is what all compute units together read, each walking over all of the working set"
    headings = ["Level", *(column for _ in found for column in columns)]
    return [Table(caption, headings, rows, groups=[(entry.label, len(columns)) for entry, _ in found])]


def row_name(pair):
    """What a pair of levels, of latency and of bandwidth, is called."""
    of_latency, of_bandwidth = pair
    return name(of_latency) if of_latency else f"{name(of_bandwidth)}, by bandwidth"


def place(pair):
    """The key that orders pairs: a level without a size is last."""
    of_latency, of_bandwidth = pair
    level = of_latency or of_bandwidth
    return not level.get("bytes"), level["level"], not of_latency


def _texts(view, entry_and_pairs, row, columns):
    entry, pairs = entry_and_pairs
    pair = next((each for each in pairs if row_name(each) == row), None)
    if not pair:
        return ["–"] * len(columns)
    of_latency, of_bandwidth = pair
    texts = {
        "Size": size_text(of_latency or of_bandwidth),
        "Transition": transition_text(of_latency or of_bandwidth),
        "Latency": latency_text(of_latency) if of_latency else "–",
        "Bandwidth": bandwidth_text(of_bandwidth, view, entry) if of_bandwidth else "–",
    }
    return [texts[column] for column in columns]


def cell(text):
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
    if level.get("unfinished"):
        text = f"more than {formats.latency(band['value'])}"
    return f"{text}, {formats.cycles(cycles['value'])}" if cycles else text


def bandwidth_text(level, view, entry):
    """The bandwidth of the level between its bounds, and in bytes a cycle of each compute unit where that is known."""
    band, per_cycle = level["bandwidth"], bytes_per_cycle(level["bandwidth"]["value"], view, entry)
    low, high = formats.significant(band["low"]), formats.significant(band["high"])
    text = f"{formats.significant(band['value'])} GB/s ({low} to {high})"
    return f"{text}, {formats.significant(per_cycle)} B a cycle and unit" if per_cycle else text


def bytes_per_cycle(gbps, view, entry):
    """Bytes that one compute unit moves in a cycle of its clock, or None where units or clock are not known."""
    units = view.record.get("compute_units")
    clocks = [
        point.state["clock_mhz"]
        for other in view.curves
        if (other.recording, other.curve.api, other.curve.probe) == (entry.recording, entry.curve.api, "bandwidth")
        for point in other.curve.points
        if point.state.get("clock_mhz")
    ]
    return gbps * 1000 / statistics.median(clocks) / units if clocks and units else None
