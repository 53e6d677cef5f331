"""The report's section on the bandwidth probe: gigabytes a second over the working set."""

from dataclasses import replace

from sonde_tools import axes, bandwidth_method, charts, formats, launch, levels, parts
from sonde_tools.devices import series_name
from sonde_tools.latency import LATENCY
from sonde_tools.sections import Figure, Section, Table

FURTHER_HEIGHT_PIXELS = 300
MAIN_PATTERNS = {"read", "add"}
OTHER_PATHS = {"image": "through the texture unit", "local": "from memory of the work-groups"}


def all_curves(view):
    """The sweeps over the working set; not what was measured with fewer work-groups or by another path."""
    return [entry for entry in _labelled(view) if not _path(entry)]


def _labelled(view):
    found = [_with(entry, _fastest(_of_all_groups(entry))) for entry in _measured(view)]
    return [replace(entry, label=_label(entry, view.is_model)) for entry in found if entry.curve.points]


def _of_all_groups(entry):
    return [point for point in entry.curve.points if "groups" not in point.x]


def _fastest(points):
    """One point a size, in its fastest shape; the rest are in the record and the tables of all samples."""
    best = {}
    for point in points:
        size_bytes = point.x["bytes"]
        if size_bytes not in best or point.median > best[size_bytes].median:
            best[size_bytes] = point
    return [point for _, point in sorted(best.items())]


def _measured(view):
    return [entry for entry in view.curves if entry.curve.probe == "bandwidth" and entry.curve.unit == "GB/s"]


def _with(entry, points):
    return replace(entry, curve=replace(entry.curve, points=points))


def scaling_curves(view):
    """Labelled curves over the number of work-groups, one for each working set: 'OpenCL, 256 KiB'."""
    found = []
    for entry in _measured(view):
        scaled = [point for point in entry.curve.points if "groups" in point.x]
        suffix = entry.label.removeprefix(series_name(entry.curve, view.is_model))
        api = series_name(entry.curve, view.is_model).split(",")[0]
        for size_bytes in sorted({point.x["bytes"] for point in scaled}):
            points = sorted(
                (point for point in scaled if point.x["bytes"] == size_bytes), key=lambda each: each.x["groups"]
            )
            found.append(replace(_with(entry, points), label=f"{api}, {formats.size_short(size_bytes)}{suffix}"))
    return sorted(found, key=lambda entry: (entry.recording.path, entry.curve.api, entry.curve.points[0].x["bytes"]))


def _label(entry, is_model):
    """Pattern and sharing in full, as neither default is what a reader would expect: 'OpenCL, read, shared'."""
    name = series_name(entry.curve, is_model)
    words = [name.split(",")[0], _pattern(entry), *_path(entry), entry.curve.series.get("sharing", "shared")]
    if entry.curve.series.get("bytes-counted") == "bus":
        words.append("on the bus")
    return ", ".join(words) + entry.label.removeprefix(name)


def bandwidth_curves(view):
    """The labelled curves of the main picture: reading and adding, or what there is instead."""
    found = all_curves(view)
    main = [entry for entry in found if _pattern(entry) in MAIN_PATTERNS and "bytes-counted" not in entry.curve.series]
    return main or found


def _pattern(entry):
    return entry.curve.series.get("pattern", "read")


def _path(entry):
    """What is said of the way that loads took, if it is another than that to a buffer: image or local."""
    return [path for path in [entry.curve.series.get("path")] if path in OTHER_PATHS]


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(all_curves(view))


def summary(view):
    """One (colour, text) a series: the bandwidth in the smallest and largest working set."""
    palette = charts.colours(bandwidth_curves(view))
    return [(palette[entry.label], f"{entry.label}: {_ends(entry.curve)}") for entry in bandwidth_curves(view)]


def _ends(curve):
    first, last = curve.points[0], curve.points[-1]
    text = f"{formats.significant(first.median)} GB/s in {formats.size(first.x['bytes'])}"
    if last is not first:
        text += f", {formats.significant(last.median)} GB/s in {formats.size(last.x['bytes'])}"
    return text


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    entries = bandwidth_curves(view)
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    what = "simulated memory bandwidth" if view.is_model else "memory bandwidth"
    title = f"{view.record['name']}: {what} over working-set size"
    return charts.over_size(entries, "bandwidth", "GB/s", (title, subtitle))


def legend(view):
    """What the picture shows, in sentences."""
    return f"{parts.medians(bandwidth_curves(view))} {bandwidth_method.SHARING}"


def tables(view):
    """The bandwidth at telling sizes; the levels and what a launch takes, unless the section on latency has them."""
    what = "Simulated bandwidth" if view.is_model else "Bandwidth"
    caption = f"{what} at telling sizes, GB/s: median, first to third quartile"
    entries = all_curves(view)
    found = [] if LATENCY.applies(view) else [levels.table(view, entries), launch.table(view)]
    return [*filter(None, [*found, parts.telling_sizes(entries, caption), _other_paths(view)])]


def _other_paths(view):
    """A row for each working set that was read by another path; None where none was."""
    rows = [
        (f"{entry.label}, {formats.size(point.x['bytes'])}", [parts.cell(point)])
        for entry in _labelled(view)
        if _path(entry)
        for point in entry.curve.points
    ]
    if not rows:
        return None
    what = " or ".join(f"{OTHER_PATHS[path]} ({path})" for path in OTHER_PATHS)
    caption = f"Read {what}, GB/s: median, first to third quartile"
    return Table(caption, ["Path and working set", "GB/s"], rows)


def further(view):
    """Smaller pictures: the patterns that the main one leaves out, and fewer work-groups; where there are any."""
    return [*_patterns(view), *_scaling(view)]


def _scaling(view):
    entries = scaling_curves(view)
    if not entries:
        return []
    heading = "With fewer work-groups: how many it takes to get all of each level"
    picture = charts.over(axes.GROUPS, entries, "bandwidth", "GB/s", (heading, []), height=FURTHER_HEIGHT_PIXELS)
    return [Figure("scaling", heading, picture, parts.medians(entries), bandwidth_method.SCALING)]


def _patterns(view):
    main = bandwidth_curves(view)
    entries = [entry for entry in all_curves(view) if entry not in main]
    if not entries:
        return []
    heading = "By other patterns: write, copy, triad"
    picture = charts.over_size(
        entries, "bandwidth", "GB/s", (heading, []), height=FURTHER_HEIGHT_PIXELS, beside=main
    )  # fmt: skip
    return [Figure("patterns", heading, picture, parts.medians(entries), bandwidth_method.PATTERNS)]


def method(view):
    """How it was measured, in paragraphs."""
    found = bandwidth_method.paragraphs(view, all_curves(view))
    if any(_path(entry) for entry in _labelled(view)):
        found.append(bandwidth_method.PATHS)
    return found


BANDWIDTH = Section("bandwidth", "Memory bandwidth", applies, summary, chart, legend, tables, further, method)
