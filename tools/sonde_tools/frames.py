"""The report's section on frames: milliseconds a frame, and gigabytes a second, over the resolution."""

from sonde_tools import axes, formats, moved, parts, pivot


def _width_axis(widths):
    """The widths that were measured, each with its height: all are 16 by 9."""
    axis = {"values": sorted(set(widths)), "labelExpr": "datum.value + '×' + round(datum.value * 9 / 16)"}
    return axis, {"type": "log", "base": 2, "domain": [min(widths) / 1.1, max(widths) * 1.1], "nice": False}


RESOLUTION = axes.Across("width", "resolution", _width_axis, "datum.width + '×' + datum.height")


def frame_times(view):
    """The labelled curves of milliseconds a frame."""
    return view.of("frames", "ms", "width", "height")


def _said(entry):
    ends = entry.points[:1] if len(entry.points) == 1 else [entry.points[0], entry.points[-1]]
    return ", ".join(f"{formats.quantity(point.median, 'ms')} at {formats.resolution(point.x)}" for point in ends)


def _tables(view):
    entries = [entry for unit in ("ms", "bytes", "GB/s") for entry in view.of("frames", unit, "width", "height")]
    return [*pivot.tables(entries), *moved.tables_of_frames(view, frame_times(view))]


def _further(view):
    text = "Bytes that the passes read and write, over the time of a frame. It falls where caches serve fewer of them."
    rates = view.of("frames", "GB/s", "width", "height")
    return [
        *moved.figures_of_frames(view, frame_times(view), RESOLUTION),
        *parts.figure_of_curves(
            "frames-bandwidth", "Bandwidth of frames", RESOLUTION, rates, "bandwidth", "GB/s", text
        ),
    ]


FRAMES = parts.section_of_curves(
    "frames", "Frames", frame_times, RESOLUTION, "time of a frame, by the device's clock", "ms", "time of a frame", _said,
    "Both axes are logarithmic: where a frame takes as long as its pixels are many, the curve climbs evenly.",
    tables=_tables, further=_further,
)  # fmt: skip
