"""What launching a kernel takes: measured with an empty one, and as the finding `launch` says."""

from sonde_tools import formats
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Table
from sonde_tools.series import canonical

# Of the curve that tells levels.
_SERIES = {"path": "buffer"}


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
        "Launching a kernel, by the device's clock: an empty one, and what a dispatch takes beside its bytes, a in "
        "t = a + n / b, with what another run may find"
    )
    return Table(caption, ["", "Empty kernel", "a"], rows)


def _cells(view, recording, api):
    empty = next((point.median for curve in _curves(view, recording, api) for point in curve.points), None)
    found = _finding(view, recording, api)
    if empty is None and found is None:
        return None
    return [Cell("–" if empty is None else formats.quantity(empty, "us")), _cell(found)]


def _curves(view, recording, api):
    return [
        entry.curve
        for entry in view.curves
        if entry.recording is recording
        and (entry.curve.api, entry.curve.probe, entry.curve.unit) == (api, "bandwidth", "us")
        and canonical(entry.curve.series) == _SERIES
    ]


def _finding(view, recording, api):
    for other, found in view.findings:
        place = found.get("api"), found.get("probe"), found["finding"]
        if other is recording and place == (api, "bandwidth", "launch") and found.get("value") is not None:
            return found
    return None


def _cell(found):
    if not found:
        return Cell("–")
    ends = [found.get(end) for end in ("low", "high")]
    between = "" if None in ends else " to ".join(formats.quantity(end, found.get("unit")) for end in ends)
    return Cell(formats.quantity(found["value"], found.get("unit")), between)
