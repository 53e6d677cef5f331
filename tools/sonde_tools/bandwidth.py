"""The report's section on the bandwidth probe: gigabytes a second over the working set."""

from sonde_tools import axes, formats, levels, parts, pivot
from sonde_tools.curves import fastest
from sonde_tools.latency import LATENCY

MAIN_PATTERNS = {"read", "write", "copy", "add"}
SHARING = "Private: each work-group has a part of the working set of its own. Otherwise all walk over all of it."


def all_curves(view):
    """The sweeps over the working set; not what was measured with fewer work-groups or by another path."""
    found = []
    for entry in view.of("bandwidth", "GB/s", "bytes"):
        points = fastest([point for point in entry.points if "groups" not in point.x])
        if points and entry.word("path") not in ("image", "local"):
            found.append(entry.with_points(points, _label(view, entry)))
    return found


def _label(view, entry):
    """Pattern and sharing in full, as neither default is what a reader would expect: 'OpenCL, read, shared'."""
    words = [view.api_name(entry.curve.api), entry.word("pattern"), entry.word("sharing")]
    return ", ".join(words + ["on the bus"] * (entry.word("bytes-counted") == "bus"))


def scaling_curves(view):
    """Labelled curves over the number of work-groups, one for each working set: 'OpenCL, 256 KiB'."""
    found = []
    for entry in view.of("bandwidth", "GB/s", "bytes", "groups"):
        for size_bytes in sorted({point.x["bytes"] for point in entry.points}):
            points = [point for point in entry.points if point.x["bytes"] == size_bytes]
            points.sort(key=lambda point: point.x["groups"])
            label = f"{view.api_name(entry.curve.api)}, {formats.size_short(size_bytes)}"
            found.append(entry.with_points(points, label))
    return sorted(found, key=lambda entry: (entry.recording.path, entry.curve.api, entry.points[0].x["bytes"]))


def bandwidth_curves(view):
    """The labelled curves of the main picture: reading, writing, copying and adding, or what there is instead."""
    found = all_curves(view)
    main = [entry for entry in found if entry.word("pattern") in MAIN_PATTERNS]
    return [entry for entry in main if entry.word("bytes-counted") == "program"] or found


def _tables(view):
    what = "Simulated bandwidth" if view.is_model else "Bandwidth"
    caption = f"{what} at telling sizes, GB/s: median, first to third quartile"
    entries = all_curves(view)
    found = [] if LATENCY.applies(view) else levels.tables(view, entries)
    others = [entry for entry in view.of("bandwidth", "GB/s", "bytes") if entry.word("path") in ("image", "local")]
    return [*found, parts.telling_sizes(entries, caption), *pivot.tables(others)]


def _further(view):
    main = bandwidth_curves(view)
    others = [entry for entry in all_curves(view) if entry.label not in {each.label for each in main}]
    scaling = "With fewer work-groups: how many it takes to get all of each level"
    return [
        *parts.figure_of_curves("patterns", "By other patterns, and counted on the bus", axes.SIZE, others, "bandwidth",
                                "GB/s", beside=main),
        *parts.figure_of_curves("scaling", scaling, axes.GROUPS, scaling_curves(view), "bandwidth", "GB/s"),
    ]  # fmt: skip


BANDWIDTH = parts.section_of_curves(
    "bandwidth", "Memory bandwidth", bandwidth_curves, axes.SIZE, "bandwidth", "GB/s",
    "memory bandwidth over working-set size", parts.ends(formats.gbps), SHARING, tables=_tables, further=_further,
)  # fmt: skip
