"""What launching a kernel takes: measured with an empty one, and as the part of small dispatches that does not grow."""

import statistics

from sonde_tools import formats
from sonde_tools.curves import quartiles
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Table
from sonde_tools.series import canonical

# Where moving the working set takes little.
SMALL_BYTES = 256 << 10


def table(view):
    """A row an API (and file, where there are several); None where nothing tells a launch."""
    rows = []
    for recording in view.recordings:
        for api in API_NAMES:
            cells = _cells(view, recording, api)
            if cells:
                name = "simulated" if view.is_model else API_NAMES[api]
                rows.append((f"{name}, {recording.path.name}" if len(view.recordings) > 1 else name, cells))
    if not rows:
        return None
    caption = (
        "Launching a kernel, by the device's clock: an empty one, and t = a + n / b for a dispatch that reads n bytes, "
        f"over working sets up to {formats.size(SMALL_BYTES)}"
    )
    return Table(caption, ["", "Empty kernel", "a", "b"], rows)


def _cells(view, recording, api):
    curves = [
        entry.curve
        for entry in view.curves
        if entry.recording is recording and (entry.curve.api, entry.curve.probe) == (api, "bandwidth")
        and canonical(entry.curve.series) == {"path": "buffer"}
    ]  # fmt: skip
    empty = [point.median for curve in curves if curve.unit == "us" for point in curve.points]
    small = [point for curve in curves if curve.unit == "GB/s" for point in curve.points if _is_small(point)]
    if not empty and len(small) < 3:
        return None
    cells = [Cell(formats.quantity(empty[0], "us")) if empty else Cell("–")]
    if len(small) < 3:
        return [*cells, Cell("–"), Cell("–")]
    low, median, high = (formats.quantity(us, "us") for us in quartiles([p.state["launch_ns"] / 1000 for p in small]))
    gbps = statistics.median(point.median for point in small)
    return [*cells, Cell(median, f"{low} to {high}"), Cell(f"{formats.significant(gbps)} GB/s")]


def _is_small(point):
    return list(point.x) == ["bytes"] and point.x["bytes"] <= SMALL_BYTES and point.state.get("launch_ns") is not None
