"""The report's section on latency under the GPU's own load: nanoseconds a load over what the rest moved meanwhile."""

from dataclasses import replace

from sonde_tools import axes, charts, formats, parts
from sonde_tools.devices import series_name
from sonde_tools.sections import Cell, Section, Table


def loaded_curves(view):
    """Labelled curves over the bandwidth that the load reached, one for each working set: 'OpenCL, 64 MiB'."""
    found = []
    for entry in view.curves:
        # The CPU's own is another section's: its load is no part of the x.
        if entry.curve.probe != "loaded-latency" or entry.curve.unit != "ns" or entry.curve.api == "cpu":
            continue
        name = series_name(entry.curve, view.is_model)
        known = [point for point in entry.curve.points if "gpu_gbps" in point.x]
        loaded = {point.x["bytes"] for point in known if "delay" in point.x}
        for size_bytes in sorted(loaded):
            points = [point for point in known if point.x["bytes"] == size_bytes]
            points.sort(key=lambda point: point.x["gpu_gbps"])
            label = f"{name}, {formats.size_short(size_bytes)}{entry.label.removeprefix(name)}"
            found.append(replace(entry, label=label, curve=replace(entry.curve, points=points)))
    return found


def applies(view):
    """Whether anything was measured beside a load."""
    return bool(loaded_curves(view))


def summary(view):
    """One (colour, text) a working set: its latency alone and under the most load."""
    palette = charts.colours(loaded_curves(view))
    return [(palette[entry.label], f"{entry.label}: {_ends(entry.curve)}") for entry in loaded_curves(view)]


def _ends(curve):
    first, last = curve.points[0], curve.points[-1]
    beside = f"{formats.latency(last.median)} beside {formats.significant(last.x['gpu_gbps'])} GB/s"
    if first.x["gpu_gbps"] > 0:
        return beside
    return f"{formats.latency(first.median)} alone, {beside}"


def chart(view):
    """The picture, with a title and subtitle that let it stand alone."""
    entries = loaded_curves(view)
    what = "simulated latency" if view.is_model else "latency"
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    return charts.over(
        axes.LOAD, entries, "latency", "ns", (f"{view.record['name']}: {what} under its own load", subtitle)
    )


def legend(view):
    """What the picture shows, in sentences."""
    text = "At the left the walk is alone; to the right the other work-groups read as much as the axis says."
    return f"{parts.medians(loaded_curves(view))} {text}"


def tables(view):
    """Every point: what the load moved, and the latency beside it."""
    what = "Simulated latency" if view.is_model else "Latency"
    rows = [
        (f"{entry.label}, {_load(point)}", [_cell(point)])
        for entry in loaded_curves(view)
        for point in entry.curve.points
    ]
    return [
        Table(f"{what} beside a load, ns: median, first to third quartile", ["Working set and load", "Latency"], rows)
    ]


def _load(point):
    gbps = point.x["gpu_gbps"]
    return f"{formats.significant(gbps)} GB/s" if gbps > 0 else "alone"


def _cell(point):
    quartiles = f"{formats.significant(point.low_quartile)} to {formats.significant(point.high_quartile)}"
    return Cell(formats.significant(point.median), quartiles, point.disturbed)


def further(_view):
    """No further pictures."""
    return []


def method(view):
    """How it was measured, in paragraphs."""
    found = [
        "One work-group follows a random cycle through the working set, each load waiting for the one before. In the same "
        "dispatch the other groups read random words over as much memory, until the walk has ended; the dispatch ends with "
        "the walk, so its time is the walk's. A delay between their reads sets how much they move; delays were chosen so "
        "that the points are spread over the bandwidth that was reached.",
        "The groups count in memory what they read, and sums over all of it are compared with what was put there. Latency "
        "and bandwidth are differences of a long and a short dispatch, so neither the launch nor the start of the groups is "
        "in them.",
    ]
    if view.is_model:
        found.insert(0, "All values are simulated: a rule of the model makes the walk wait, not hardware.")
    return found


LOADED_LATENCY = Section(
    "loaded-latency", "Latency under load", applies, summary, chart, legend, tables, further, method
)  # fmt: skip
