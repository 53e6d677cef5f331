"""The report's section on the latency probe: nanoseconds a hop over the working set."""

from sonde_tools import charts, findings, formats, latency_method, levels, marks, series
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Figure, Section, Table

TELLING_SIZES_BYTES = [4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20, 64 << 20, 256 << 20]
# Sizes are whole lines, so a power of two may be missed by a little; the next grid point is 19 % away.
NEAR_ENOUGH = 1.09


FURTHER_HEIGHT_PIXELS = 300


def _all_curves(view):
    return [
        entry
        for entry in view.curves
        if entry.curve.probe == "latency"
        and entry.curve.unit == "ns"
        and any(p.x.get("bytes") for p in entry.curve.points)
    ]


def latency_curves(view):
    """The labelled curves of the main picture: cycles by the vector path in ns, or what there is instead."""
    found = _all_curves(view)
    return [entry for entry in found if _is_main(entry)] or found


def _is_main(entry):
    return series.order(entry.curve.series) == "cycle" and not series.by_another_path(entry.curve.series)


def further_curves(view):
    """The labelled curves of other orders, from which sizes are found: independent lines, one line a page."""
    return [entry for entry in _beside_main(view) if not series.by_another_path(entry.curve.series)]


def path_curves(view):
    """The labelled curves of other paths to the same memory, atomics among them."""
    return [entry for entry in _beside_main(view) if series.by_another_path(entry.curve.series)]


def _beside_main(view):
    main = latency_curves(view)
    return [entry for entry in _all_curves(view) if entry not in main]


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(latency_curves(view))


def summary(view):
    """One (colour, text) a series: its levels, or without them the latency in the smallest and largest set."""
    palette = charts.colours(latency_curves(view))
    lines = []
    for entry in latency_curves(view):
        found = levels.levels_of(entry)
        text = f"{entry.label}: {levels.verdict(found) if found else _ends(entry.curve)}"
        lines.append((palette[entry.label], text))
    return lines


def _ends(curve):
    first, last = curve.points[0], curve.points[-1]
    text = f"{formats.latency(first.median)} in {formats.size(first.x['bytes'])}"
    if last is not first:
        text += f", {formats.latency(last.median)} in {formats.size(last.x['bytes'])}"
    return text


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    entries = latency_curves(view)
    subtitle = [" · ".join([*_drivers(view), *_dates(view)]), _medians(entries)]
    subtitle += filter(None, [_marks_legend(_marks(view, entries))])
    title = f"{view.record['name']}: {_what(view)} over working-set size"
    return charts.over_size(entries, "latency", "ns", (title, subtitle), _marks(view, entries))


def _what(view):
    return "simulated memory latency" if view.is_model else "memory latency"


def _marks(view, entries):
    found = [(entry.label, levels.levels_of(entry)) for entry in entries]
    return marks.Marks([each for each in found if each[1]], findings.translation_edges(view, entries))


def further(view):
    """Smaller pictures beside the main one: how the sizes were found, and the other paths; where there are any."""
    return [figure for figure in (_orders(view), _paths(view)) if figure]


def _paths(view):
    entries = path_curves(view)
    if not entries:
        return None
    heading = "By other paths: one address for all, constant memory, texture unit, work-group memory, atomics"
    curves = [*latency_curves(view), *entries]
    picture = charts.over_size(curves, "latency", "ns", (heading, []), height=FURTHER_HEIGHT_PIXELS)
    return Figure("paths", heading, picture, _medians(entries), latency_method.PATHS)


def _orders(view):
    # Each has the colour of its cycle.
    entries = further_curves(view)
    if not entries:
        return None
    heading = "How the sizes were found: uniformly random lines, and one line a page"
    pages = [entry for entry in entries if series.order(entry.curve.series) == "page"]
    noted = marks.Marks(edges=findings.translation_edges(view, pages))
    picture = charts.over_size(
        entries, "latency", "ns", (heading, []), noted, palette=_palette(view, entries), height=FURTHER_HEIGHT_PIXELS,
        beside=latency_curves(view),
    )  # fmt: skip
    dashed = " Dashed: one line a page." if pages else ""
    return Figure("further", heading, picture, _medians(entries) + dashed, latency_method.FURTHER)


def _palette(view, entries):
    main = latency_curves(view)
    cycles = {_cycle(entry): charts.colours(main)[entry.label] for entry in main}
    own = charts.colours(entries)
    return {entry.label: cycles.get(_cycle(entry), own[entry.label]) for entry in entries}


def _cycle(entry):
    words = series.without_order(entry.curve.series)
    return entry.recording.path, entry.curve.api, tuple(words.items())


def legend(view):
    """What the picture's marks mean, in sentences."""
    entries = latency_curves(view)
    return " ".join(filter(None, [_medians(entries), _marks_legend(_marks(view, entries))]))


def _medians(entries):
    points = [point for entry in entries for point in entry.curve.points]
    counts = [len(point.values) for point in points]
    text = f"Medians of {formats.span(min(counts), max(counts), str)} repetitions, band from first to third quartile."
    if any(point.disturbed for point in points):
        text += " Hollow points: other programs were using the CPU."
    return text


def _marks_legend(noted):
    text = ""
    if noted.levels:
        text = "Bars above: levels. Rules: their sizes, shaded as far as these are uncertain. "
        text += "Strips at the foot: transitions."
    return f"{text} Dotted: an edge of address translation, not a level.".strip() if noted.edges else text


def tables(view):
    """The levels, where some were found, and the latency at telling sizes."""
    found = [levels.table(latency_curves(view), view.is_model), _telling_sizes(view)]
    return [each for each in found if each]


def _telling_sizes(view):
    entries = latency_curves(view)
    largest = max(point.x["bytes"] for entry in entries for point in entry.curve.points)
    sizes = [size for size in TELLING_SIZES_BYTES if size * NEAR_ENOUGH < largest]
    rows = [(formats.size(size), [_cell(entry.curve, size) for entry in entries]) for size in sizes]
    rows.append((f"{formats.size(largest)} (largest)", [_cell(entry.curve, largest) for entry in entries]))
    what = "Simulated latency" if view.is_model else "Latency"
    caption = f"{what} at telling sizes, ns: median, first to third quartile"
    return Table(caption, ["Working set", *(entry.label for entry in entries)], rows)


def _cell(curve, size_bytes):
    near = [point for point in curve.points if 1 / NEAR_ENOUGH < point.x["bytes"] / size_bytes < NEAR_ENOUGH]
    if not near:
        return Cell("–")
    point = min(near, key=lambda point: abs(point.x["bytes"] - size_bytes))
    low, high = formats.significant(point.low_quartile), formats.significant(point.high_quartile)
    cycles = "" if point.cycles is None else f"; {formats.cycles(point.cycles)}"
    return Cell(formats.significant(point.median), f"{low} to {high}{cycles}", point.disturbed)


def _drivers(view):
    named = [(api, view.drivers(api)) for api in ("opencl", "vulkan")]
    texts = [f"{API_NAMES[api]}: {' and '.join(map(driver_name, drivers))}" for api, drivers in named if drivers]
    return texts or (["simulated device"] if view.is_model else [])


def driver_name(driver):
    """A driver object as text: 'PoCL 3.1'."""
    return " ".join(filter(None, [driver.get("driver") or driver.get("platform"), driver.get("driver_version")]))


def _dates(view):
    return list(dict.fromkeys(str(recording.run.get("time", ""))[:10] for recording in view.recordings))


def method(view):
    """How it was measured, in paragraphs."""
    return latency_method.paragraphs(view, latency_curves(view))


LATENCY = Section("latency", "Memory latency", applies, summary, chart, legend, tables, further, method)
