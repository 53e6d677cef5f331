"""The report's section on latency under the GPU's own load: nanoseconds a load over what the rest moved meanwhile."""

from sonde_tools import axes, formats, parts, pivot
from sonde_tools.devices import series_name


def _of_gpu(view):
    # The CPU's own is another section's: its load is no part of the x.
    return [entry for entry in view.of("loaded-latency", "ns", "bytes", "gpu_gbps") if entry.curve.api != "cpu"]


def loaded_curves(view):
    """Labelled curves over the bandwidth that the load reached, one for each working set: 'OpenCL, 64 MiB'."""
    found = []
    for entry in _of_gpu(view):
        name = series_name(entry.curve, view.is_model)
        for size_bytes in sorted({point.x["bytes"] for point in entry.points if "delay" in point.x}):
            points = [point for point in entry.points if point.x["bytes"] == size_bytes]
            points.sort(key=lambda point: point.x["gpu_gbps"])
            found.append(entry.with_points(points, f"{name}, {formats.size_short(size_bytes)}"))
    return found


def _ends(entry):
    first, last = entry.points[0], entry.points[-1]
    beside = f"{formats.latency(last.median)} beside {formats.gbps(last.x['gpu_gbps'])}"
    if first.x["gpu_gbps"] > 0:
        return beside
    return f"{formats.latency(first.median)} alone, {beside}"


LOADED_LATENCY = parts.section_of_curves(
    "loaded-latency", "Latency under load", loaded_curves, axes.LOAD, "latency", "ns", "latency under its own load", _ends,
    "At the left the walk is alone; to the right the other work-groups read as much as the axis says.",
    tables=lambda view: pivot.tables(_of_gpu(view)),
)  # fmt: skip
