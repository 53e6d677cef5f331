"""The report's section on contention: the CPU's latency over what the GPU moves meanwhile."""

from sonde_tools import formats, parts, pivot, style, windows
from sonde_tools.sections import Section

# The control has no memory traffic, and is grey for it.
CONTROL_COLOUR = "#777777"


def _curves(view):
    """The labelled curves of the CPU's latency: under load, and the control."""
    return [entry for entry in view.of("contention", "ns") if entry.word("side") == "cpu"]


def _is_control(entry):
    return entry.word("beside") == "nothing"


def lines(view):
    """{name: points in the order of bandwidth}: one line an API and number of CPU threads that read."""
    found = {}
    for entry in _curves(view):
        if _is_control(entry):
            continue
        for point in entry.points:
            found.setdefault(_name(view, entry, point), []).append(point)
    return {name: sorted(points, key=lambda point: point.x.get("gpu_gbps", 0)) for name, points in found.items()}


def loaded_curves(view):
    """The labelled curves over the GPU's bandwidth with no thread of the CPU beside, for pictures of several devices."""
    found = []
    for entry in _curves(view):
        points = [point for point in entry.points if not point.x.get("cpu_threads") and "gpu_gbps" in point.x]
        if points and not _is_control(entry):
            found.append(entry.with_points(sorted(points, key=lambda point: point.x["gpu_gbps"])))
    return found


def _name(view, entry, point):
    threads = int(point.x.get("cpu_threads", 0))
    reading = f", {threads} CPU thread{'s' if threads > 1 else ''} reading" if threads else ""
    file = f" ({entry.recording.path.stem})" if len(view.recordings) > 1 else ""
    return f"{view.api_name(entry.curve.api)}{reading}{file}"


def _palette(view):
    return style.palette(lines(view))


def _summary(view):
    palette = _palette(view)
    found = []
    for name, points in lines(view).items():
        idle, full = points[0], points[-1]
        text = (
            f"{name}: {formats.latency(idle.median)} with the GPU idle, {formats.latency(full.median)} while it moves"
        )
        found.append((palette[name], f"{text} {formats.gbps(full.x.get('gpu_gbps', 0))}"))
    return found


def _chart(view):
    rows = [
        windows.row(name, point, "idle" if point.x.get("load") == 0 else "load", point.x.get("gpu_gbps", 0))
        for name, points in lines(view).items()
        for point in points
    ]
    control = [(entry, point) for entry in _curves(view) if _is_control(entry) for point in entry.points]
    rows += [windows.row(_name(view, entry, point), point, "control", 0) for entry, point in control]
    kinds = {"load": {"size": 30}, "idle": {"size": 110, "shape": "diamond"},
             "control": {"filled": False, "size": 90, "shape": "square", "strokeWidth": 1.8, "color": CONTROL_COLOUR}}  # fmt: skip
    return windows.picture(
        parts.head(view, "CPU latency while the GPU uses memory", _legend(view), _beyond_the_picture(rows)), rows,
        _palette(view), ("bandwidth that the GPU reached, GB/s", "CPU latency, ns"),
        {"series": "series", "kind": "kind", "gbps_text": "GPU, GB/s"}, kinds, "control",
        simulated={view.is_model},
    )  # fmt: skip


def _beyond_the_picture(rows):
    """A sentence on what is not drawn, where there is anything."""
    highest = max(rows, key=lambda row: row["p99"])
    if highest["p99"] <= windows.highest_shown(rows):
        return ""
    return f"Beyond the picture: p99 of up to {highest['p99_text']} ns, at {highest['gbps_text']} GB/s."


def _legend(view):
    text = "Points: half of the windows took less (p50). Bands: up to p90 and p99. Diamond: the GPU was idle."
    if any(_is_control(entry) for entry in _curves(view)):
        text += " Square: the same arithmetic without memory."
    if view.is_cpu:
        text += " GPU and CPU are the same silicon here: the driver's threads run on the CPU's other cores."
    return text


CONTENTION = Section(
    "contention", "CPU latency while the GPU uses memory", lambda view: bool(lines(view)), _summary, _chart, _legend,
    lambda view: pivot.tables([entry for unit in ("ns", "ratio", "GB/s") for entry in view.of("contention", unit)]),
)  # fmt: skip
