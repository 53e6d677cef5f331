"""The report's section on the copy probe: gigabytes a second over the size of a copy, by engine and direction."""

from dataclasses import replace

from sonde_tools import axes, findings, formats, parts, series

SIZE = replace(axes.SIZE, title="size of a copy")
DIRECTIONS = {
    "to-device": "to the device", "to-host": "to the host", "both": "both at once", "within": "within the device",
}  # fmt: skip


def _all_curves(view):
    """Copies on one queue alone, in GB/s: what two directions at once give is counted together."""
    found = []
    for entry in view.of("copy", "GB/s", "bytes"):
        points = [point for point in entry.points if "queues" not in point.x]
        if points and "beside" not in entry.series and entry.word("counted") == "total":
            direction = DIRECTIONS.get(entry.word("direction"), entry.word("direction"))
            label = ", ".join([view.api_name(entry.curve.api), *way(entry.series), direction])
            found.append(entry.with_points(points, label))
    return found


def way(words):
    """Engine and kind of host memory of a series: copies within the device have none."""
    engine = series.word(words, "engine")
    return [engine] if series.word(words, "direction") == "within" else [engine, series.word(words, "host")]


def _is_main(entry):
    between = entry.word("direction") != "within" and entry.word("engine") != "compute-shader"
    return between and entry.word("host") == "pinned"


def copy_curves(view):
    """The labelled curves of the main picture: pinned memory by the driver's and copy engines, or what there is."""
    found = _all_curves(view)
    return [entry for entry in found if _is_main(entry)] or found


def _further(view):
    main = copy_curves(view)
    shown = {entry.label for entry in main}
    others = [entry for entry in _all_curves(view) if entry.label not in shown]
    by_kernel = [entry for entry in others if entry.word("engine") == "compute-shader"]
    within = [entry for entry in others if entry not in by_kernel and entry.word("direction") == "within"]
    hosts = [entry for entry in others if entry not in by_kernel and entry not in within]
    by = {"unit": "GB/s", "beside": main}
    kernels = [*by_kernel, *within]
    return [
        *parts.figure_of_curves("host-memory", "From and to other memory of the host", SIZE, hosts, "bandwidth", **by),
        *parts.figure_of_curves("kernels", "By kernels, and within the device", SIZE, kernels, "bandwidth", **by),
    ]


COPY = parts.section_of_curves(
    "copy", "Copies", copy_curves, SIZE, "bandwidth", "GB/s", "copies between host and device",
    lambda entry: f"{formats.gbps(entry.points[-1].median)} in copies of {formats.size(entry.points[-1].x['bytes'])}",
    "Every byte is counted once, however often it is read and written; both at once: of both directions together.",
    tables=lambda view: findings.tables(view, "copy"), further=_further,
)  # fmt: skip
