"""The report's section on the CPU's own latency under load: nanoseconds a load over what other cores moved meanwhile."""

from dataclasses import dataclass

from sonde_tools import charts, formats, parts, pivot, windows
from sonde_tools.pictures import Picture
from sonde_tools.sections import Figure, Section

_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#332288", "#882255", "#3aa0dc", "#661100"]
_KINDS = {"read": "reading", "write": "writing past the caches", "read-modify-write": "reading and writing"}


@dataclass(frozen=True)
class Beside:
    """A point of the walk and what its load moved in GB/s: 0 where no core loaded."""

    point: object
    gbps: float

    @property
    def threads(self):
        """Cores that loaded."""
        return int(self.point.x["cpu_threads"])


def _of_the_cpu(view, unit):
    return [entry for entry in view.of("loaded-latency", unit, "bytes", "cpu_threads") if entry.curve.api == "cpu"]


def _place(point):
    return tuple(sorted(point.x.items()))


def _name(view, entry):
    kind = entry.word("pattern")
    file = f" ({entry.recording.path.stem})" if len(view.recordings) > 1 else ""
    return f"{entry.word('placement').replace('-', ' ')} {_KINDS.get(kind, kind)}{file}"


def lines(view):
    """{working set in bytes: {name of the load: its Beside in the order of what was moved}}, the largest set first."""
    moved = {}
    for entry in _of_the_cpu(view, "GB/s"):
        for point in entry.points:
            moved[_name(view, entry), _place(point)] = point.median
    found = {}
    for entry in _of_the_cpu(view, "ns"):
        name = _name(view, entry)
        for point in entry.points:
            gbps = 0 if not point.x.get("cpu_threads") else moved.get((name, _place(point)))
            if gbps is not None:
                found.setdefault(point.x["bytes"], {}).setdefault(name, []).append(Beside(point, gbps))
    for of_set in found.values():
        for name, besides in of_set.items():
            of_set[name] = sorted(besides, key=lambda beside: beside.gbps)
    return dict(sorted(found.items(), reverse=True))


def applies(view):
    """Whether the CPU itself was measured beside any load."""
    return any(beside.threads for of_set in lines(view).values() for besides in of_set.values() for beside in besides)


def _largest(view):
    return next(iter(lines(view).values()))


def _palette(names):
    return dict(zip(names, _COLOURS * (1 + len(names) // len(_COLOURS)), strict=False))


def summary(view):
    """One (colour, text) a kind of load: the latency alone and beside the most that it moved."""
    of_set = _largest(view)
    palette = _palette(of_set)
    found = []
    for name, besides in of_set.items():
        full = besides[-1]
        text = f"{formats.latency(full.point.median)} beside {formats.gbps(full.gbps)}"
        if besides[0].gbps == 0:
            text = f"{formats.latency(besides[0].point.median)} alone, {text}"
        found.append((palette[name], f"{name}: {text}"))
    return found


def chart(view):
    """The picture of the largest working set, with a title and subtitle that let it stand alone."""
    size_bytes, of_set = next(iter(lines(view).items()))
    subtitle = [" · ".join([f"working set {formats.size(size_bytes)}", *parts.dates(view)]), legend(view)]
    title = f"{view.record['name']}: the CPU's own latency while other cores load memory"
    return _picture(of_set, (title, subtitle), charts.HEIGHT_PIXELS)


def _picture(of_set, head, height):
    most = {name: max(beside.threads for beside in besides) for name, besides in of_set.items()}
    rows = [_row(name, beside, most[name]) for name, besides in of_set.items() for beside in besides]
    palette = _palette(of_set)
    layers = _layers(rows, palette)
    return Picture({**charts.frame(head, layers, height, names=palette), "data": {"values": rows}})


def _row(name, beside, most_threads):
    kind = "idle" if beside.threads == 0 else "load" if beside.threads == most_threads else "fewer"
    return {"series": name, "kind": kind, "gbps": beside.gbps, "gbps_text": formats.significant(beside.gbps),
            "threads": str(beside.threads), "disturbed": beside.point.disturbed, **windows.said(beside.point)}  # fmt: skip


def _layers(rows, palette):
    coloured, y, y_of_p90 = windows.channels(rows, palette, "bandwidth of the load, GB/s", "latency, ns")
    titles = {"series": "load", "threads": "loading cores", "gbps_text": "load, GB/s", "p50_text": "p50, ns",
              "p90_text": "p90, ns", "p99_text": "p99, ns", "windows": "windows"}  # fmt: skip
    of_all = [{"filter": "datum.kind != 'fewer'"}]

    def points(kind, **mark):
        return {"mark": {"type": "point", "filled": True, "opacity": 1, "clip": True, **mark},
                "encoding": {**coloured, "y": y}, "transform": [{"filter": f"datum.kind == '{kind}'"}]}  # fmt: skip

    return [
        {"mark": {"type": "area", "opacity": 0.1, "clip": True}, "transform": of_all,
         "encoding": {**coloured, "y": y_of_p90, "y2": {"field": "p99"}}},
        {"mark": {"type": "area", "opacity": 0.18, "clip": True}, "transform": of_all,
         "encoding": {**coloured, "y": y, "y2": {"field": "p90"}}},
        {"mark": {"type": "line", "strokeWidth": 1.8, "clip": True}, "encoding": {**coloured, "y": y}, "transform": of_all},
        points("load", size=30),
        points("idle", size=110, shape="diamond"),
        points("fewer", size=70, shape="square", filled=False, strokeWidth=1.6),
        {"mark": {"type": "circle", "size": 190, "opacity": 0, "clip": True},
         "encoding": {**coloured, "y": y, "tooltip": charts.tooltip(titles)}},
    ]  # fmt: skip


def legend(view):
    """What the picture shows, in sentences."""
    text = "Line: half of the windows took less (p50). Bands: up to p90 and p99. Diamond: no other core loaded."
    if any(beside.threads not in (0, most) for most, beside in _with_most(view)):
        text += " Squares: fewer cores, as fast as they can."
    return text


def _with_most(view):
    for besides in _largest(view).values():
        most = max(beside.threads for beside in besides)
        yield from ((most, beside) for beside in besides)


def tables(view):
    """Every point with delay, latency and bandwidth."""
    return pivot.tables([*_of_the_cpu(view, "ns"), *_of_the_cpu(view, "GB/s")])


def further(view):
    """A smaller picture for each working set in a cache."""
    found = []
    for size_bytes, of_set in list(lines(view).items())[1:]:
        heading = f"In {formats.size(size_bytes)}, which a cache holds"
        picture = _picture(of_set, (heading, []), parts.FURTHER_HEIGHT_PIXELS)
        found.append(Figure(f"set-{size_bytes:.0f}", heading, picture, legend(view)))
    return found


LOADED_LATENCY_OF_CPU = Section(
    "loaded-latency-of-cpu", "The CPU's own latency under load", applies, summary, chart, legend, tables, further,
    ("loaded-latency",),
)  # fmt: skip
