"""The report's section on the latency probe: nanoseconds a hop over the working set."""

from dataclasses import replace

from sonde_tools import axes, charts, findings, formats, latency_method, launch, levels, marks, parts, series
from sonde_tools.sections import Figure, Section

FURTHER_HEIGHT_PIXELS = 300
LEAST_NUMBERS_OF_LINES = 8


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
    return [entry for entry in _beside_main(view) if _is_further(entry) and not series.stride_bytes(entry.curve.series)]


def stride_curves(view):
    """The labelled curves of walks with one line every so many bytes, over the number of lines (x lines)."""
    found = [entry for entry in _beside_main(view) if _is_further(entry) and series.stride_bytes(entry.curve.series)]
    # Strides between are walked with a few numbers of lines only.
    return [_over_lines(entry) for entry in found if len(entry.curve.points) >= LEAST_NUMBERS_OF_LINES]


def _is_further(entry):
    return not series.by_another_path(entry.curve.series)


def _over_lines(entry):
    stride = series.stride_bytes(entry.curve.series)
    points = [replace(point, x={"lines": round(point.x["bytes"] / stride)}) for point in entry.curve.points]
    return replace(entry, curve=replace(entry.curve, points=points))


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
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    noted = marks.of_curves(view, entries)
    subtitle += filter(None, [noted.legend])
    title = f"{view.record['name']}: {_what(view)} over working-set size"
    return charts.over_size(entries, "latency", "ns", (title, subtitle), noted)


def _what(view):
    return "simulated memory latency" if view.is_model else "memory latency"


def further(view):
    """Smaller pictures beside the main one: how the sizes were found, and the other paths; where there are any."""
    return [figure for figure in (_orders(view), _pages(view), _paths(view)) if figure]


def _pages(view):
    entries = stride_curves(view)
    if not entries:
        return None
    heading = "How pages were found: as many lines, close together and far apart"
    picture = charts.over(axes.LINES, entries, "latency", "ns", (heading, []), height=FURTHER_HEIGHT_PIXELS)
    return Figure("pages", heading, picture, parts.medians(entries), latency_method.PAGES)


def _paths(view):
    entries = path_curves(view)
    if not entries:
        return None
    heading = "By other paths: one address for all, constant memory, texture unit, work-group memory, atomics"
    curves = [*latency_curves(view), *entries]
    picture = charts.over_size(curves, "latency", "ns", (heading, []), height=FURTHER_HEIGHT_PIXELS)
    return Figure("paths", heading, picture, parts.medians(entries), latency_method.PATHS)


def _orders(view):
    # Each has the colour of its cycle.
    entries = further_curves(view)
    if not entries:
        return None
    pages = [entry for entry in entries if series.order(entry.curve.series) == "page"]
    heading = "How the sizes were found: uniformly random lines" + (", and one line a page" if pages else "")
    beside = latency_curves(view)
    largest = max(point.x["bytes"] for entry in [*entries, *beside] for point in entry.curve.points)
    edges = findings.translation_edges(view, [*pages, *entries])
    noted = marks.Marks(edges=[(label, size) for label, size in edges if size <= largest])
    picture = charts.over_size(
        entries, "latency", "ns", (heading, []), noted, palette=_palette(view, entries), height=FURTHER_HEIGHT_PIXELS,
        beside=beside,
    )  # fmt: skip
    dashed = " Dashed: one line a page." if pages else ""
    return Figure("further", heading, picture, parts.medians(entries) + dashed, latency_method.FURTHER)


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
    return " ".join(filter(None, [parts.medians(entries), marks.of_curves(view, entries).legend]))


def tables(view):
    """The levels, where some were found, what a launch takes, and the latency at telling sizes."""
    what = "Simulated latency" if view.is_model else "Latency"
    caption = f"{what} at telling sizes, ns: median, first to third quartile"
    entries = latency_curves(view)
    found = [levels.table(view, entries), launch.table(view), parts.telling_sizes(entries, caption)]
    return [each for each in found if each]


def method(view):
    """How it was measured, in paragraphs."""
    return latency_method.paragraphs(view, latency_curves(view))


LATENCY = Section("latency", "Memory latency", applies, summary, chart, legend, tables, further, method)
