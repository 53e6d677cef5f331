"""The report's section on frames: milliseconds a frame, and gigabytes a second, over the resolution."""

from sonde_tools import axes, charts, formats, frames_by_counters, parts
from sonde_tools.sections import Cell, Figure, Section, Table

FURTHER_HEIGHT_PIXELS = 300


def _width_axis(widths):
    """The widths that were measured, each with its height: all are 16 by 9."""
    axis = {"values": sorted(set(widths)), "labelExpr": "datum.value + '×' + round(datum.value * 9 / 16)"}
    return axis, {"type": "log", "base": 2, "domain": [min(widths) / 1.1, max(widths) * 1.1], "nice": False}


RESOLUTION = axes.Across("width", "resolution", _width_axis, "datum.width + '×' + datum.height")


def frame_times(view):
    """The labelled curves of milliseconds a frame."""
    return _curves(view, "ms")


def _curves(view, unit):
    found = [entry for entry in view.curves if entry.curve.probe == "frames" and entry.curve.unit == unit]
    return [entry for entry in found if any(RESOLUTION.of([entry]))]


def _values(entries):
    """{(label, width, height): point} of labelled curves."""
    return {
        (entry.label, point.x["width"], point.x["height"]): point for entry in entries for point in entry.curve.points
    }


def applies(view):
    """Whether any frame was timed."""
    return bool(frame_times(view))


def summary(view):
    """One (colour, text) a curve: its smallest and its largest frame."""
    palette = charts.colours(frame_times(view))
    return [(palette[entry.label], f"{entry.label}: {_ends(entry.curve.points)}") for entry in frame_times(view)]


def _ends(points):
    ends = points[:1] if len(points) == 1 else [points[0], points[-1]]
    return ", ".join(f"{formats.quantity(point.median, 'ms')} at {_name(point.x)}" for point in ends)


def _name(x):
    return f"{x['width']:g}×{x['height']:g}"


def chart(view):
    """The picture of frame times, with a title and subtitle that let it stand alone."""
    what = "simulated time of a frame" if view.is_model else "time of a frame"
    return _picture(view, frame_times(view), (what, "time of a frame, by the device's clock", "ms"))


def _picture(view, entries, about, **further):
    what, quantity, unit = about
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    return charts.over(RESOLUTION, entries, quantity, unit, (f"{view.record['name']}: {what}", subtitle), **further)


def legend(view):
    """What the picture shows, in sentences."""
    text = "Both axes are logarithmic: where a frame takes as long as its pixels are many, the curve climbs evenly."
    return f"{parts.medians(frame_times(view))} {text}"


def tables(view):
    """A row a resolution: milliseconds, megabytes and gigabytes a second."""
    moved, rates = _values(_curves(view, "bytes")), _values(_curves(view, "GB/s"))
    rows = []
    for (label, width, height), point in _values(frame_times(view)).items():
        others = [each.get((label, width, height)) for each in (moved, rates)]
        megabytes = Cell(formats.significant(others[0].median / 1e6)) if others[0] else Cell("–")
        rate = parts.cell(others[1]) if others[1] else Cell("–")
        rows.append((f"{label}, {_name(point.x)}", [parts.cell(point), megabytes, rate]))
    what = "Simulated frames" if view.is_model else "Frames"
    headings = ["Resolution", "ms a frame", "MB a frame", "GB/s"]
    found = [Table(f"{what}: time, what the passes read and write, and the one over the other", headings, rows)]
    return found + frames_by_counters.tables(view, frame_times(view))


def further(view):
    """What counters saw of frames, and the bandwidth that they reach, from caches and memory together."""
    found = frames_by_counters.figures(view, frame_times(view), RESOLUTION, FURTHER_HEIGHT_PIXELS)
    entries = _curves(view, "GB/s")
    if not entries:
        return found
    picture = _picture(view, entries, ("bandwidth of frames", "bandwidth", "GB/s"), height=FURTHER_HEIGHT_PIXELS)
    text = "Bytes that the passes read and write, over the time of a frame. It falls where caches serve fewer of them."
    return [*found, Figure("frames-bandwidth", "Bandwidth of frames", picture, f"{parts.medians(entries)} {text}", [])]


def method(view):
    """How it was measured, in paragraphs."""
    found = [
        "A frame is a list of passes as a renderer makes them. Each reads textures, and targets that passes before it have "
        "written, and writes a target of its own. A file says how many bytes a pixel each of them has; nothing else is "
        "computed, so that the time is the memory's. Whole frames are rendered one after the other, and the time is the sum "
        "over their passes by the device's clock, in which each pass begins and ends.",
        "After every run samples of each pass's target are compared with what it has to make of the contents that it read.",
    ]
    if view.is_model:
        found.insert(0, "All values are simulated: the caches are a model's, not hardware.")
    return found


FRAMES = Section("frames", "Frames", applies, summary, chart, legend, tables, further, method)
