"""The report's section on the CPU's own latency, with the GPU's where both are known."""

from dataclasses import replace

from sonde_tools import charts, devices, formats, levels, marks, nodes, parts, series
from sonde_tools.sections import Section


def own_curves(view):
    """The labelled cycles of the CPU: by pages, kind of core and whether memory was kept awake."""
    return [
        replace(entry, label=_label(entry))
        for entry in view.curves
        if entry.curve.probe == "cpu-latency"
        and entry.curve.unit == "ns"
        and series.order(entry.curve.series) == "cycle"
        and not nodes.is_of_nodes(entry.curve)
    ]


def _label(entry):
    """Pages in full: 'CPU, small pages, kept awake'."""
    words = entry.curve.series
    label = f"CPU, {words.get('pages', 'small')} pages"
    if words.get("core"):
        label += f", {words['core']} cores"
    if words.get("state") == "awake":
        label += ", kept awake"
    return label + entry.label.removeprefix(devices.series_name(entry.curve))


def gpu_curves(view):
    """The main latency curves of GPUs in the same files, to be held against the CPU's."""
    return [
        replace(entry, label=f"{other.title}, {entry.label}")
        for other in view.beside
        if other.record["type"] in ("discrete", "integrated")
        for entry in other.curves
        if entry.recording in view.recordings and _is_main_of_gpu(entry.curve)
    ]


def _is_main_of_gpu(curve):
    main = series.order(curve.series) == "cycle" and not series.by_another_path(curve.series)
    return curve.probe == "latency" and curve.unit == "ns" and main and not series.kept_awake(curve.series)


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(own_curves(view))


def summary(view):
    """One (colour, text) a curve: its levels, or the ends."""
    palette = charts.colours([*own_curves(view), *gpu_curves(view)])
    found = []
    for entry in own_curves(view):
        known = levels.levels_of(entry)
        last = entry.curve.points[-1]
        ends = f"{formats.latency(last.median)} in {formats.size(last.x['bytes'])}"
        found.append((palette[entry.label], f"{entry.label}: {levels.verdict(known) if known else ends}"))
    return found


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    entries = [*own_curves(view), *gpu_curves(view)]
    noted = marks.of_curves(view, own_curves(view))
    subtitle = [" · ".join(parts.dates(view)), parts.medians(entries), *filter(None, [noted.legend])]
    title = f"{view.record['name']}: latency of the CPU itself over working-set size"
    return charts.over_size(entries, "latency", "ns", (title, subtitle), noted)


def legend(view):
    """What the picture shows, in sentences."""
    text = [parts.medians([*own_curves(view), *gpu_curves(view)]), marks.of_curves(view, own_curves(view)).legend]
    return " ".join(filter(None, [*text, "What huge pages save is address translation."]))


def tables(view):
    """The levels, where some were found, and the latency at telling sizes."""
    own = own_curves(view)
    found = [
        levels.table(view, own),
        parts.telling_sizes(own, "Latency at telling sizes, ns: median, first to third quartile"),
    ]
    return [*(each for each in found if each), *nodes.tables(view, "cpu-latency", "ns")]


def further(view):
    """From node to node, where there are several."""
    return nodes.figures(view, "cpu-latency", "ns")


def method(_view):
    """How it was measured, in paragraphs."""
    return [
        "A thread that is kept on one core follows pointers through a random single cycle over cache lines: native code, no "
        "driver between, timed by the system's steady clock. Where the walk ended is looked up in the cycle after every run. "
        "Small and huge pages were asked for by madvise for the walk's own memory alone. Kept awake: another core read its "
        "own memory meanwhile, about one gigabyte a second.",
    ]


CPU_LATENCY = Section(
    "cpu-latency", "Latency of the CPU itself", applies, summary, chart, legend, tables, further, method
)
