"""What counters saw of frames: how large a share of what the fabric asked for a memory-side cache kept from memory, over
the resolution."""

from sonde_tools import charts, formats, parts
from sonde_tools.pictures import Picture
from sonde_tools.sections import Cell, Figure, Table


def counted(view, times):
    """{label: counter records by width} of the frames whose hit rate is known; times: their labelled curves."""
    found = {}
    for recording, one in view.counted:
        x = one.get("x") or {}
        if one["probe"] != "frames" or one.get("hit_rate") is None or not {"width", "height"} <= x.keys():
            continue
        for entry in times:
            if entry.recording is recording and entry.curve.api == one.get("api"):
                found.setdefault(entry.label, []).append(one)
    return {label: sorted(each, key=lambda one: one["x"]["width"]) for label, each in found.items()}


def figures(view, times, across, height):
    """The picture, where counters saw any frame."""
    found = counted(view, times)
    if not found:
        return []
    palette = charts.colours([entry for entry in times if entry.label in found])
    rows = [
        {"series": label, "width": one["x"]["width"], "share": one["hit_rate"], "at_text": _name(one),
         "share_text": _percent(one), "memory_text": _per_byte(one, "memory_per_byte")}
        for label, each in found.items()
        for one in each
    ]  # fmt: skip
    x_axis, x_scale = across.axis([row["width"] for row in rows])
    shares = [row["share"] for row in rows]
    domain = [min(0, *shares), max(1, *shares)]
    encoding = {
        "x": {"field": "width", "type": "quantitative", "title": across.title, "axis": x_axis, "scale": x_scale},
        "y": {"field": "share", "type": "quantitative", "title": "share of requests kept from memory",
              "axis": {"format": ".0%"}, "scale": {"domain": domain, "nice": False}},
        "color": charts.colour(palette),
    }  # fmt: skip
    titles = {"series": "series", "at_text": "resolution", "share_text": "hit rate",
              "memory_text": "bytes at memory for each byte"}  # fmt: skip
    layers = [
        *charts.simulated_mark(times),
        {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": encoding},
        {"mark": {"type": "point", "filled": True, "opacity": 1, "size": 34}, "encoding": encoding},
        {"mark": {"type": "circle", "size": 190, "opacity": 0},
         "encoding": {**encoding, "tooltip": charts.tooltip(titles)}},
    ]  # fmt: skip
    what = "Simulated hit rate of frames" if view.is_model else "Hit rate of frames"
    head = parts.head(view, "hit rate of frames, by counters")
    picture = Picture({**charts.frame(head, layers, height, names=palette), "data": {"values": rows}})
    text = "What the fabric asked for and memory did not move, reads and writes together, over whole frames."
    return [Figure("frames-hit-rate", f"{what}, by counters", picture, text)]


def tables(view, times):
    """A row a resolution: the hit rate, and bytes for each byte that the passes read and write."""
    rows = [
        (f"{label}, {_name(one)}",
         [Cell(_percent(one)), Cell(_per_byte(one, "fabric_per_byte")), Cell(_per_byte(one, "memory_per_byte"))])
        for label, each in counted(view, times).items()
        for one in each
    ]  # fmt: skip
    what = "Simulated traffic of frames" if view.is_model else "Traffic of frames that counters saw"
    headings = ["Resolution", "Hit rate", "Bytes at the fabric for each", "Bytes at memory for each"]
    return [Table(f"{what}, for each byte that passes read or write", headings, rows)] if rows else []


def _name(one):
    return formats.resolution(one["x"])


def _percent(one):
    return f"{100 * one['hit_rate']:.1f} %"


def _per_byte(one, name):
    return "unknown" if one.get(name) is None else formats.significant(one[name])
