"""The report's sections on latency under load: of a GPU beside the rest of it, and of the CPU beside its other cores."""

from sonde_tools import axes, charts, formats, panels, parts, pivot, style, windows
from sonde_tools.devices import series_name
from sonde_tools.sections import Figure, Section

_KINDS = {"read": "reading", "write": "writing past the caches", "read-modify-write": "reading and writing"}


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


def _in_panels(view):
    """A panel a working set, as one axis for a cache and for memory would press both flat."""
    sets = {}
    for entry in loaded_curves(view):
        sets.setdefault(entry.points[0].x["bytes"], []).append(entry)
    titled = [(formats.size(size_bytes), own) for size_bytes, own in sorted(sets.items(), reverse=True)]
    head = parts.head(view, "latency under its own load", parts.medians(loaded_curves(view)))
    if len(titled) == 1 or charts.are_few(axes.LOAD, loaded_curves(view)):
        return charts.over(axes.LOAD, loaded_curves(view), "latency", "ns", head)
    return panels.over(axes.LOAD, titled, "latency", "ns", head)


LOADED_LATENCY = parts.section_of_curves(
    "loaded-latency", "Latency under load", loaded_curves, axes.LOAD, "latency", "ns", "latency under its own load", _ends,
    "At the left the walk is alone; to the right the other work-groups read as much as the axis says.",
    chart=_in_panels, tables=lambda view: pivot.tables(_of_gpu(view)),
)  # fmt: skip


def _of_the_cpu(view, unit):
    return [entry for entry in view.of("loaded-latency", unit, "bytes", "cpu_threads") if entry.curve.api == "cpu"]


def _place(point):
    return tuple(sorted(point.x.items()))


def _name(view, entry):
    kind = entry.word("pattern")
    file = f" ({entry.recording.path.stem})" if len(view.recordings) > 1 else ""
    return f"{entry.word('placement').replace('-', ' ')} {_KINDS.get(kind, kind)}{file}"


def lines(view):
    """{working set in bytes: {name of the load: [(GB/s, point)], the least first}}, the largest set first."""
    moved = {}
    for entry in _of_the_cpu(view, "GB/s"):
        moved |= {(_name(view, entry), _place(point)): point.median for point in entry.points}
    found = {}
    for entry in _of_the_cpu(view, "ns"):
        name = _name(view, entry)
        for point in entry.points:
            gbps = moved.get((name, _place(point))) if point.x["cpu_threads"] else 0
            if gbps is not None:
                found.setdefault(point.x["bytes"], {}).setdefault(name, []).append((gbps, point))
    for of_set in found.values():
        for besides in of_set.values():
            besides.sort(key=lambda beside: beside[0])
    return dict(sorted(found.items(), reverse=True))


def _threads(besides):
    return [int(point.x["cpu_threads"]) for _, point in besides]


def _summary_of_cpu(view):
    of_set = next(iter(lines(view).values()))
    palette = style.palette(of_set)
    found = []
    for name, besides in of_set.items():
        (least, first), (most, last) = besides[0], besides[-1]
        text = f"{formats.latency(last.median)} beside {formats.gbps(most)}"
        alone = f"{formats.latency(first.median)} alone, " if least == 0 else ""
        found.append((palette[name], f"{name}: {alone}{text}"))
    return found


def _chart(view):
    size_bytes, of_set = next(iter(lines(view).items()))
    subtitle = [" · ".join([f"working set {formats.size(size_bytes)}", *parts.dates(view)]), _legend(view)]
    title = f"{view.record['name']}: the CPU's own latency while other cores load memory"
    return _picture(of_set, (title, subtitle), charts.HEIGHT_PIXELS)


def _picture(of_set, head, height):
    rows = []
    for name, besides in of_set.items():
        most = max(_threads(besides))
        for gbps, point in besides:
            threads = int(point.x["cpu_threads"])
            kind = "idle" if threads == 0 else "load" if threads == most else "fewer"
            rows.append(windows.row(name, point, kind, gbps, threads=str(threads), disturbed=point.disturbed))
    kinds = {"load": {"size": 30}, "idle": {"size": 110, "shape": "diamond"},
             "fewer": {"size": 70, "shape": "square", "filled": False, "strokeWidth": 1.6}}  # fmt: skip
    titles = {"series": "load", "threads": "loading cores", "gbps_text": "load, GB/s"}
    axes = "bandwidth of the load, GB/s", "latency, ns"
    return windows.picture(head, rows, style.palette(of_set), axes, titles, kinds, "fewer", height=height)


def _legend(view):
    text = "Points: half of the windows took less (p50). Bands: up to p90 and p99. Diamond: no other core loaded."
    if any(len({0, *_threads(besides)}) > 2 for besides in next(iter(lines(view).values())).values()):
        text += " Squares: fewer cores, as fast as they can."
    return text


def _further(view):
    """A smaller picture for each working set in a cache."""
    found = []
    for size_bytes, of_set in list(lines(view).items())[1:]:
        heading = f"In {formats.size(size_bytes)}, which a cache holds"
        picture = _picture(of_set, (heading, []), parts.FURTHER_HEIGHT_PIXELS)
        found.append(Figure(f"set-{size_bytes:.0f}", heading, picture, _legend(view)))
    return found


LOADED_LATENCY_OF_CPU = Section(
    "loaded-latency-of-cpu", "The CPU's own latency under load",
    lambda view: any(any(_threads(besides)) for of_set in lines(view).values() for besides in of_set.values()),
    _summary_of_cpu, _chart, _legend, lambda view: pivot.tables([*_of_the_cpu(view, "ns"), *_of_the_cpu(view, "GB/s")]), _further,
    ("loaded-latency",),
)  # fmt: skip
