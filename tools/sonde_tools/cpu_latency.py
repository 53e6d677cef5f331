"""The report's section on the CPU's own latency, with the GPU's where both are known."""

from dataclasses import replace

from sonde_tools import axes, charts, formats, heat_maps, latency, levels, marks, parts, pivot, series


def own_curves(view):
    """The labelled cycles of the CPU: by pages, kind of core and whether memory was kept awake."""
    return [
        entry.with_points(entry.points, _label(entry))
        for entry in view.of("cpu-latency", "ns", "bytes")
        if entry.word("order") == "cycle" and "placement" not in entry.series
    ]


def _label(entry):
    """Pages in full: 'CPU, small pages, kept awake'."""
    cores = f", {entry.series['core']} cores" if entry.series.get("core") else ""
    return f"CPU, {entry.word('pages')} pages{cores}" + (", kept awake" if entry.word("state") == "awake" else "")


def gpu_curves(view):
    """The main latency curves of GPUs in the same files, to be held against the CPU's."""
    return [
        replace(entry, label=f"{other.title}, {entry.label}")
        for other in view.beside
        if other.record["type"] in ("discrete", "integrated")
        for entry in other.of("latency", "ns", "bytes")
        if entry.recording in view.recordings and latency.is_main(entry) and not series.kept_awake(entry.series)
    ]


def _summary(view):
    palette = charts.colours([*own_curves(view), *gpu_curves(view)])
    found = []
    for entry in own_curves(view):
        known, last = levels.levels_of(entry), entry.points[-1]
        end = f"{formats.latency(last.median)} in {formats.size(last.x['bytes'])}"
        found.append((palette[entry.label], f"{entry.label}: {levels.verdict(known) if known else end}"))
    return found


def _chart(view):
    entries, noted = [*own_curves(view), *gpu_curves(view)], marks.of_curves(view, own_curves(view))
    subtitle = [" · ".join(parts.dates(view)), parts.medians(entries), *filter(None, [noted.legend, _sparse(view)])]
    title = f"{view.record['name']}: latency of the CPU itself over working-set size"
    return charts.over_size(entries, "latency", "ns", (title, subtitle), noted)


def _sparse(view):
    """A sentence on each curve that has fewer than half as many sizes as the one with most, empty where none has."""
    entries = own_curves(view)
    most = max(len(entry.points) for entry in entries)
    return " ".join(
        f"{entry.label}: only {len(entry.points)} sizes of {most} were measured, "
        f"{formats.size_span(*(entry.points[end].x['bytes'] for end in (0, -1)))}."
        for entry in entries
        if 2 * len(entry.points) < most
    )


def _legend(view):
    noted = marks.of_curves(view, own_curves(view)).legend
    return parts.described(
        [*own_curves(view), *gpu_curves(view)], noted, _sparse(view), "What huge pages save is address translation."
    )


def _tables(view):
    own = own_curves(view)
    caption = "Latency at telling sizes, ns: median, first to third quartile"
    return [
        *levels.tables(view, own),
        parts.telling_sizes(own, caption),
        *pivot.tables(heat_maps.of_latest(view, "cpu-latency", "ns")),
    ]


CPU_LATENCY = parts.section_of_curves(
    "cpu-latency", "Latency of the CPU itself", own_curves, axes.SIZE, "latency", "ns", "", None,
    summary=_summary, chart=_chart, legend=_legend, tables=_tables,
    further=lambda view: heat_maps.figures_of_nodes(view, "cpu-latency", "ns"),
)  # fmt: skip
