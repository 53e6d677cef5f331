"""The report's section on contention: the CPU's latency over what the GPU moves meanwhile."""

from sonde_tools import charts, formats, parts, pivot, windows
from sonde_tools.pictures import Picture
from sonde_tools.sections import Section

# Blue for what the GPU's memory traffic does, grey for the control, which has none.
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
    return dict(zip(lines(view), ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#332288"] * 4, strict=False))


def summary(view):
    """One (colour, text) a line: idle and full load."""
    palette = _palette(view)
    found = []
    for name, points in lines(view).items():
        idle, full = points[0], points[-1]
        text = (
            f"{name}: {formats.latency(idle.median)} with the GPU idle, {formats.latency(full.median)} while it moves "
        )
        found.append((palette[name], text + formats.gbps(full.x.get("gpu_gbps", 0))))
    return found


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    rows = [
        _row(name, point, "idle" if point.x.get("load") == 0 else "load")
        for name, points in lines(view).items()
        for point in points
    ]
    rows += [
        _row(_name(view, entry, point), point, "control")
        for entry in _curves(view)
        if _is_control(entry)
        for point in entry.points
    ]
    palette = _palette(view)
    layers = [*charts.simulated_mark(_curves(view)), *_layers(rows, palette)]
    head = parts.head(view, "CPU latency while the GPU uses memory", legend(view), *_beyond_the_picture(rows))
    return Picture({**charts.frame(head, layers, names=palette), "data": {"values": rows}})


def _layers(rows, palette):
    coloured, y, y_of_p90 = windows.channels(rows, palette, "bandwidth that the GPU reached, GB/s", "CPU latency, ns")
    titles = {"series": "series", "kind": "windows", "gbps_text": "GPU, GB/s", "p50_text": "p50, ns",
              "p90_text": "p90, ns", "p99_text": "p99, ns", "windows": "number"}  # fmt: skip
    traffic = [{"filter": "datum.kind != 'control'"}]

    def points(kind, encoding, **mark):
        drawn = {"type": "point", "filled": True, "opacity": 1, **mark}
        return {"mark": drawn, "encoding": encoding, "transform": [{"filter": f"datum.kind == '{kind}'"}]}

    return [
        {"mark": {"type": "area", "opacity": 0.12, "clip": True}, "transform": traffic,
         "encoding": {**coloured, "y": y_of_p90, "y2": {"field": "p99"}}},
        {"mark": {"type": "area", "opacity": 0.22, "clip": True}, "transform": traffic,
         "encoding": {**coloured, "y": y, "y2": {"field": "p90"}}},
        {"mark": {"type": "line", "strokeWidth": 1.8}, "encoding": {**coloured, "y": y}, "transform": traffic},
        points("load", {**coloured, "y": y}, size=30),
        points("idle", {**coloured, "y": y}, size=110, shape="diamond"),
        points("control", {"x": coloured["x"], "y": y}, filled=False, size=90, shape="square", strokeWidth=1.8,
               color=CONTROL_COLOUR),
        {"mark": {"type": "circle", "size": 190, "opacity": 0},
         "encoding": {**coloured, "y": y, "tooltip": charts.tooltip(titles)}},
    ]  # fmt: skip


def _beyond_the_picture(rows):
    """A sentence on what is not drawn, where there is anything."""
    highest = max(rows, key=lambda row: row["p99"])
    if highest["p99"] <= windows.highest_shown(rows):
        return []
    return [f"Beyond the picture: p99 of up to {highest['p99_text']} ns, at {highest['gbps_text']} GB/s."]


def _row(name, point, kind):
    gbps = 0 if kind == "control" else point.x.get("gpu_gbps", 0)
    return {
        "series": name, "kind": kind, "gbps": gbps, "gbps_text": formats.significant(gbps) if gbps else "0",
        **windows.said(point),
    }  # fmt: skip


def legend(view):
    """What the picture shows, in sentences."""
    text = "Line: half of the windows took less (p50). Bands: up to p90 and p99. Diamond: the GPU was idle."
    if any(_is_control(entry) for entry in _curves(view)):
        text += " Square: the same arithmetic without memory."
    if view.is_cpu:
        text += " GPU and CPU are the same silicon here: the driver's threads run on the CPU's other cores."
    return text


def tables(view):
    """Every load: what the GPU reached and the CPU's latency; and what threads of the CPU cost the GPU."""
    return pivot.tables([entry for unit in ("ns", "ratio", "GB/s") for entry in view.of("contention", unit)])


CONTENTION = Section(
    "contention",
    "CPU latency while the GPU uses memory",
    lambda view: bool(lines(view)),
    summary,
    chart,
    legend,
    tables,
)
