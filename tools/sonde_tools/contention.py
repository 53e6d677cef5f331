"""The report's section on contention: the CPU's latency over what the GPU moves meanwhile."""

from dataclasses import replace

from sonde_tools import charts, contention_method, formats, parts, windows
from sonde_tools.devices import API_NAMES
from sonde_tools.pictures import Picture
from sonde_tools.sections import Cell, Section, Table

# Blue for what the GPU's memory traffic does, grey for the control, which has none.
CONTROL_COLOUR = "#777777"


def _curves(view):
    """The labelled curves of the CPU's latency: under load, and the control."""
    return [
        entry
        for entry in view.curves
        if entry.curve.probe == "contention" and entry.curve.unit == "ns" and entry.curve.series.get("side") == "cpu"
    ]


def _pairs(view):
    """The curves of ratios: each load against the idle stretches between."""
    return [
        entry
        for entry in view.curves
        if entry.curve.probe == "contention" and entry.curve.unit == "ratio" and not _is_control(entry)
    ]


def _of_idle(point):
    if point is None:
        return Cell("-")
    return Cell(f"{point.median:.2f}", f"{min(point.values):.2f} to {max(point.values):.2f}", point.disturbed)


def _is_control(entry):
    return entry.curve.series.get("fabric", "idle") == "idle"


def lines(view):
    """{name: points in the order of bandwidth}: one line an API and number of CPU threads that read."""
    found = {}
    for entry in _curves(view):
        if _is_control(entry):
            continue
        for point in entry.curve.points:
            found.setdefault(_name(view, entry, point), []).append(point)
    return {name: sorted(points, key=lambda point: point.x.get("gpu_gbps", 0)) for name, points in found.items()}


def loaded_curves(view):
    """The labelled curves over the GPU's bandwidth with no thread of the CPU beside, for pictures of several devices."""
    found = []
    for entry in _curves(view):
        points = [point for point in entry.curve.points if not point.x.get("cpu_threads") and "gpu_gbps" in point.x]
        if points and not _is_control(entry):
            points.sort(key=lambda point: point.x["gpu_gbps"])
            found.append(replace(entry, curve=replace(entry.curve, points=points)))
    return found


def _name(view, entry, point):
    api = API_NAMES["model"] if view.is_model else API_NAMES.get(entry.curve.api, entry.curve.api)
    threads = int(point.x.get("cpu_threads", 0))
    several = f", {threads} CPU threads reading" if threads > 1 else ", 1 CPU thread reading" if threads else ""
    file = f" ({entry.recording.path.stem})" if len(view.recordings) > 1 else ""
    return f"{api}{several}{file}"


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(lines(view))


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
        found.append((palette[name], f"{text}{formats.significant(full.x.get('gpu_gbps', 0))} GB/s"))
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
        for point in entry.curve.points
    ]
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), legend(view), *_beyond_the_picture(rows)]
    what = "simulated CPU latency" if view.is_model else "CPU latency"
    title = f"{view.record['name']}: {what} while the GPU uses memory"
    palette = _palette(view)
    layers = [*charts.simulated_mark(_curves(view)), *_layers(rows, palette)]
    return Picture({**charts.frame((title, subtitle), layers, names=palette), "data": {"values": rows}})


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
    return text


def tables(view):
    """Every load: what the GPU reached, and the percentiles."""
    found = []
    pairs = {
        (_name(view, entry, point), point.x.get("load")): point
        for entry in _pairs(view)
        for point in entry.curve.points
    }
    for name, points in lines(view).items():
        rows = []
        for point in points:
            gbps = point.x.get("gpu_gbps")
            rows.append(
                (
                    f"{formats.significant(gbps) if gbps else '0'} GB/s",
                    [*_cells(point), _of_idle(pairs.get((name, point.x.get("load"))))],
                )
            )
        caption = (
            f"{name}: CPU latency, ns; and p50 over that right before with the GPU idle, median and range of the pairs"
        )
        found.append(Table(caption, ["GPU moved", "p50", "p90", "p99", "over idle"], rows))
    return found + _reverse_tables(view)


# What the CPU's threads did, by the word of the series, in the order of the table.
_TRAFFIC = {"read": "reading", "write": "writing", "copy": "reading and writing"}


def reverse(view):
    """{(API, file's number): {(traffic, CPU threads): {unit: point}}}: what threads of the CPU cost the GPU."""
    found = {}
    for entry in view.curves:
        words = entry.curve.series
        if (
            entry.curve.probe != "contention"
            or words.get("side", "gpu") != "gpu"
            or words.get("pattern") not in _TRAFFIC
        ):
            continue
        for point in entry.curve.points:
            name = (API_NAMES.get(entry.curve.api, entry.curve.api), view.recordings.index(entry.recording))
            # Alone is alone, whatever the threads would have done.
            key = (words["pattern"], int(point.x.get("cpu_threads", 0)))
            found.setdefault(name, {}).setdefault(key, {})[entry.curve.unit] = point
    return found


def _reverse_tables(view):
    found = []
    for (api, file), measured in reverse(view).items():
        rows = []
        for traffic, what in _TRAFFIC.items():
            for (word, threads), points in sorted(measured.items()):
                if word == traffic:
                    heading = (
                        f"{threads} CPU thread{'s' if threads > 1 else ''} {what}" if threads else f"none yet {what}"
                    )
                    rows.append((heading, [_reverse_cell(points.get(unit)) for unit in ("ns", "GB/s")]))
        name = f"{api} ({view.recordings[file].path.stem})" if len(view.recordings) > 1 else api
        caption = f"{name}: what threads of the CPU at full speed cost the GPU, medians"
        found.append(Table(caption, ["The CPU", "a load of the GPU, ns", "GPU add, GB/s"], rows))
    return found


def _reverse_cell(point):
    return Cell(formats.significant(point.median), "", point.disturbed) if point else Cell("-")


def _cells(point):
    values = windows.percentiles(point).values()
    return [Cell(formats.significant(value), "", point.disturbed) for value in values]


def further(_view):
    """No further picture."""
    return []


def method(view):
    """How it was measured, in paragraphs."""
    return contention_method.paragraphs(view)


CONTENTION = Section(
    "contention", "CPU latency while the GPU uses memory", applies, summary, chart, legend, tables, further, method
)
