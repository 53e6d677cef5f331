"""The report's section on the latency probe: nanoseconds a hop over the working set."""

from dataclasses import replace

from sonde_tools import axes, charts, findings, formats, levels, marks, parts, series
from sonde_tools.sections import Figure

# Strides between are walked with a few numbers of lines only.
LEAST_NUMBERS_OF_LINES = 8


def latency_curves(view):
    """The labelled curves of the main picture: cycles by the vector path in ns, or what there is instead."""
    found = view.of("latency", "ns", "bytes")
    return [entry for entry in found if is_main(entry)] or found


def is_main(entry):
    """Whether a curve is a cycle by the vector path."""
    return entry.word("order") == "cycle" and not series.by_another_path(entry.series)


def _beside_main(view, by_another_path):
    main = {entry.curve.key for entry in latency_curves(view)}
    return [
        entry
        for entry in view.of("latency", "ns", "bytes")
        if entry.curve.key not in main and series.by_another_path(entry.series) == by_another_path
    ]


def further_curves(view):
    """The labelled curves of other orders, from which sizes are found: independent lines, one line a page."""
    return [entry for entry in _beside_main(view, False) if not series.stride_bytes(entry.series)]


def stride_curves(view):
    """The labelled curves of walks with one line every so many bytes, over the number of lines (x lines)."""
    found = [entry for entry in _beside_main(view, False) if series.stride_bytes(entry.series)]
    return [_over_lines(entry) for entry in found if len(entry.points) >= LEAST_NUMBERS_OF_LINES]


def _over_lines(entry):
    stride = series.stride_bytes(entry.series)
    return entry.with_points([replace(point, x={"lines": round(point.x["bytes"] / stride)}) for point in entry.points])


def _said(entry):
    found = levels.levels_of(entry)
    return levels.verdict(found) if found else parts.ends(formats.latency)(entry)


def _chart(view):
    entries, noted = latency_curves(view), marks.of_curves(view, latency_curves(view))
    head = parts.head(view, "memory latency over working-set size", parts.medians(entries), noted.legend)
    return charts.over_size(entries, "latency", "ns", head, noted)


def _further(view):
    pages = "How pages were found: as many lines, close together and far apart"
    paths = "By other paths: one address for all, constant memory, texture unit, work-group memory, atomics"
    by_path = _beside_main(view, True)
    return [
        *_orders(view),
        *parts.figure_of_curves("pages", pages, axes.LINES, stride_curves(view), "latency", "ns"),
        *parts.figure_of_curves(
            "paths", paths, axes.SIZE, by_path and [*latency_curves(view), *by_path], "latency", "ns"
        ),
    ]


def _orders(view):
    entries = further_curves(view)
    if not entries:
        return []
    pages = [entry for entry in entries if entry.word("order") == "page"]
    heading = "How the sizes were found: uniformly random lines" + (", and one line a page" if pages else "")
    beside = latency_curves(view)
    largest = max(point.x["bytes"] for entry in [*entries, *beside] for point in entry.points)
    edges = findings.translation_edges(view, [*pages, *entries])
    noted = marks.Marks(edges=[(label, size) for label, size in edges if size <= largest])
    picture = charts.over_size(
        entries, "latency", "ns", (heading, []), noted, height=parts.FURTHER_HEIGHT_PIXELS, beside=beside
    )
    return [Figure("further", heading, picture, parts.medians(entries))]


def _legend(view):
    entries = latency_curves(view)
    return parts.described(entries, marks.of_curves(view, entries).legend)


def _tables(view):
    what = "Simulated latency" if view.is_model else "Latency"
    caption = f"{what} at telling sizes, ns: median, first to third quartile"
    entries = latency_curves(view)
    return [*levels.tables(view, entries), parts.telling_sizes(entries, caption)]


LATENCY = parts.section_of_curves(
    "latency", "Memory latency", latency_curves, axes.SIZE, "latency", "ns", "memory latency", _said,
    chart=_chart, legend=_legend, tables=_tables, further=_further,
)  # fmt: skip
