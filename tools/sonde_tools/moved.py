"""The report's section on what really moves: bytes at the fabric and at memory for each byte that a kernel asked for."""

from dataclasses import dataclass

from sonde_tools import axes, charts, formats, parts, series
from sonde_tools.devices import API_NAMES
from sonde_tools.pictures import Picture
from sonde_tools.sections import Cell, Section, Table

# The probe whose own section shows what was counted beside it.
_OWN_SECTION = "hit-rate"
_PLACES = {"fabric_per_byte": "fabric", "memory_per_byte": "memory"}


@dataclass(frozen=True)
class _Curve:
    """What charts.simulated_mark and charts.colours ask of a curve."""

    api: str


@dataclass(frozen=True)
class _Labelled:
    label: str
    curve: _Curve


def _counted(view):
    """{label: counter records by working set} of the curves whose bytes are known."""
    found = {}
    several = len({id(recording) for recording, _ in view.counted}) > 1
    for recording, one in view.counted:
        if one["probe"] == _OWN_SECTION or one.get("memory_per_byte") is None or "bytes" not in (one.get("x") or {}):
            continue
        api = [] if view.is_model else [API_NAMES.get(one.get("api"), one.get("api") or "")]
        where = [recording.path.stem] if several else []
        label = ", ".join([one["probe"], *api, *series.words(one.get("series")), *where])
        found.setdefault(label, []).append(one)
    return {label: sorted(each, key=lambda one: one["x"]["bytes"]) for label, each in found.items()}


def _labelled(view):
    return [_Labelled(label, _Curve(each[0].get("api") or "")) for label, each in _counted(view).items()]


def summary(view):
    """One (colour, text) a curve: the bytes at memory in its largest working set."""
    palette = charts.colours(_labelled(view))
    return [
        (palette[label], f"{label}: {_number(each[-1]['memory_per_byte'])} bytes at memory for each byte, in {_size(each[-1])}")
        for label, each in _counted(view).items()
    ]  # fmt: skip


def chart(view):
    """The picture, with a title and subtitle that let it stand alone."""
    labelled = _labelled(view)
    palette = charts.colours(labelled)
    rows = [
        {"series": label, "bytes": one["x"]["bytes"], "place": place, "moved": one[name], "size_text": _size(one),
         "moved_text": _number(one[name]), "rate_text": _rate(one)}
        for label, each in _counted(view).items()
        for one in each
        for name, place in _PLACES.items()
        if one.get(name) is not None
    ]  # fmt: skip
    x_axis, x_scale = axes.SIZE.axis([row["bytes"] for row in rows])
    x = {"field": "bytes", "type": "quantitative", "title": "working set", "axis": x_axis, "scale": x_scale}
    y = {"field": "moved", "type": "quantitative", "title": "bytes for each byte that was asked for"}
    coloured = {"x": x, "y": y, "color": charts.colour(palette)}
    titles = {"series": "series", "place": "at", "size_text": "working set", "moved_text": "bytes for each byte",
              "rate_text": "hit rate"}  # fmt: skip
    layers = [
        *charts.simulated_mark(labelled),
        {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": coloured,
         "transform": [{"filter": "datum.place == 'memory'"}]},
        {"mark": {"type": "line", "strokeWidth": 1.2, "strokeDash": [5, 3]}, "encoding": coloured,
         "transform": [{"filter": "datum.place == 'fabric'"}]},
        {"mark": {"type": "point", "filled": True, "opacity": 1, "size": 34}, "encoding": coloured},
        {"mark": {"type": "circle", "size": 190, "opacity": 0},
         "encoding": {**coloured, "tooltip": charts.tooltip(titles)}},
    ]  # fmt: skip
    head = parts.head(view, "traffic beside each measured point", legend(view))
    return Picture({**charts.frame(head, layers, names=palette), "data": {"values": rows}})


def legend(_view):
    """What the picture shows, in sentences."""
    return "Solid: bytes at memory; dashed: at the fabric before it, for each byte that the kernel asked for."


def tables(view):
    """A row a point."""
    rows = [
        (f"{label}, {_size(one)}", [Cell(_number(one.get(name))) for name in _PLACES] + [Cell(_rate(one))])
        for label, each in _counted(view).items()
        for one in each
    ]
    what = "Simulated bytes" if view.is_model else "Bytes"
    return [
        Table(f"{what} for each byte that was asked for", ["Point", "At the fabric", "At memory", "Hit rate"], rows)
    ]


def _size(one):
    return formats.size(one["x"]["bytes"])


def _number(value):
    return "unknown" if value is None else f"{round(value, 2) + 0.0:.2f}"


def _rate(one):
    return "unknown" if one.get("hit_rate") is None else f"{round(100 * one['hit_rate'])} %"


MOVED = Section(
    "traffic-beside", "What really moves", lambda view: bool(_counted(view)), summary, chart, legend, tables,
    pages=("counters",),
)  # fmt: skip
