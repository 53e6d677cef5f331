"""The report's section on what really moves: bytes at the fabric and at memory for each byte that a kernel asked for."""

from types import SimpleNamespace

from sonde_tools import axes, charts, formats, parts, series, style
from sonde_tools.sections import Cell, Figure, Section, Table

# The probes whose own sections show what was counted beside them.
_OWN_SECTIONS = ("hit-rate", "frames")
_PLACES = {"fabric_per_byte": "fabric", "memory_per_byte": "memory"}


def _counted(view):
    """{label: counter records by working set} of the curves whose bytes are known."""
    found = {}
    several = len({id(recording) for recording, _ in view.counted}) > 1
    for recording, one in view.counted:
        if one["probe"] in _OWN_SECTIONS or one.get("memory_per_byte") is None or "bytes" not in (one.get("x") or {}):
            continue
        api = [] if view.is_model else [view.api_name(one.get("api") or "")]
        where = [recording.path.stem] if several else []
        label = ", ".join([one["probe"], *api, *series.words(one.get("series")), *where])
        found.setdefault(label, []).append(one)
    return {label: sorted(each, key=lambda one: one["x"]["bytes"]) for label, each in found.items()}


def _labelled(view):
    """What charts.simulated_mark asks of labelled curves."""
    apis = {label: each[0].get("api") or "" for label, each in _counted(view).items()}
    return [SimpleNamespace(label=label, curve=SimpleNamespace(api=api)) for label, api in apis.items()]


def _summary(view):
    palette = style.palette(_counted(view))
    return [
        (palette[label], f"{label}: {_number(each[-1]['memory_per_byte'])} bytes at memory for each byte, in {_size(each[-1])}")
        for label, each in _counted(view).items()
    ]  # fmt: skip


def _chart(view):
    palette = style.palette(_counted(view))
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
    curve = {"x": x, "y": y, "color": charts.colour(palette)}
    titles = {"series": "series", "place": "at", "size_text": "working set", "moved_text": "bytes for each byte",
              "rate_text": "hit rate"}  # fmt: skip
    layers = [
        *charts.simulated_mark(_labelled(view)),
        charts.layer("line", curve, "datum.place == 'memory'", strokeWidth=1.6),
        charts.layer("line", curve, "datum.place == 'fabric'", strokeWidth=1.2, strokeDash=[5, 3]),
        charts.points(curve, size=34),
        charts.hovered(curve, titles),
    ]
    return charts.of_rows(parts.head(view, "traffic beside each measured point", _legend(view)), rows, layers, palette)


def _legend(_view):
    return "Solid: bytes at memory; dashed: at the fabric before it, for each byte that the kernel asked for."


def _tables(view):
    rows = [
        (f"{label}, {_size(one)}", [*(Cell(_number(one.get(name))) for name in _PLACES), Cell(_rate(one))])
        for label, each in _counted(view).items()
        for one in each
    ]
    return [
        Table(
            f"{'Simulated bytes' if view.is_model else 'Bytes'} for each byte that was asked for",
            ["Point", "At the fabric", "At memory", "Hit rate"],
            rows,
        )
    ]


def _size(one):
    return formats.size(one["x"]["bytes"])


def _number(value):
    return "unknown" if value is None else f"{round(value, 2) + 0.0:.2f}"


def _rate(one):
    return "unknown" if one.get("hit_rate") is None else f"{round(100 * one['hit_rate'])} %"


MOVED = Section(
    "traffic-beside", "What really moves", lambda view: bool(_counted(view)), _summary, _chart, _legend, _tables,
    pages=("counters",),
)  # fmt: skip


def _frames(view, times):
    """{label: counter records by width} of the frames whose hit rate is known; times: their labelled curves."""
    found = {}
    for recording, one in view.counted:
        has_size = {"width", "height"} <= (one.get("x") or {}).keys()
        if one["probe"] == "frames" and one.get("hit_rate") is not None and has_size:
            for entry in times:
                if entry.recording is recording and entry.curve.api == one.get("api"):
                    found.setdefault(entry.label, []).append(one)
    return {label: sorted(each, key=lambda one: one["x"]["width"]) for label, each in found.items()}


def figures_of_frames(view, times, across):
    """The share of requests that a memory-side cache kept from memory, over the resolution of frames."""
    found = _frames(view, times)
    if not found:
        return []
    palette = style.palette(found)
    rows = [
        {"series": label, "width": one["x"]["width"], "share": one["hit_rate"], "at_text": formats.resolution(one["x"]),
         "share_text": formats.percent(one["hit_rate"]), "memory_text": _number(one.get("memory_per_byte"))}
        for label, each in found.items()
        for one in each
    ]  # fmt: skip
    x_axis, x_scale = across.axis([row["width"] for row in rows])
    shares = [row["share"] for row in rows]
    curve = {
        "x": {"field": "width", "type": "quantitative", "title": across.title, "axis": x_axis, "scale": x_scale},
        "y": {"field": "share", "type": "quantitative", "title": "share of requests kept from memory",
              "axis": {"format": ".0%"}, "scale": {"domain": [min(0, *shares), max(1, *shares)], "nice": False}},
        "color": charts.colour(palette),
    }  # fmt: skip
    titles = {"series": "series", "at_text": "resolution", "share_text": "hit rate",
              "memory_text": "bytes at memory for each byte"}  # fmt: skip
    layers = [
        *charts.simulated_mark(times),
        charts.layer("line", curve, strokeWidth=1.6),
        charts.points(curve, size=34),
        charts.hovered(curve, titles),
    ]
    heading = "Simulated hit rate of frames, by counters" if view.is_model else "Hit rate of frames, by counters"
    head = parts.head(view, "hit rate of frames, by counters")
    picture = charts.of_rows(head, rows, layers, palette, parts.FURTHER_HEIGHT_PIXELS)
    text = "What the fabric asked for and memory did not move, reads and writes together, over whole frames."
    return [Figure("frames-hit-rate", heading, picture, text)]


def tables_of_frames(view, times):
    """A row a resolution: the hit rate, and bytes for each byte that the passes read and write."""
    what = "Simulated traffic of frames" if view.is_model else "Traffic of frames that counters saw"
    rows = [
        (f"{label}, {formats.resolution(one['x'])}",
         [Cell(formats.percent(one["hit_rate"])), *(Cell(_number(one.get(name))) for name in _PLACES)])
        for label, each in _frames(view, times).items()
        for one in each
    ]  # fmt: skip
    headings = ["Resolution", "Hit rate", "Bytes at the fabric for each", "Bytes at memory for each"]
    return [Table(f"{what}, for each byte that passes read or write", headings, rows)] if rows else []
