"""The picture of a duel: how much NEW differs from BASE over the working set, with its band, one line a curve."""

import math

from sonde_tools import axes, charts, formats, style
from sonde_tools.compare.duels_in_words import curve_name
from sonde_tools.compare.ratio_curves import UNITS

_HEIGHT_PIXELS = 340
# The bands of more curves in one picture are not told apart.
_MOST_CURVES = 3
# What scatters further is cut off at so many times the second to last tenth of the bands.
_ROOM = 1.6
_TITLES = {"ns": "latency of NEW against BASE, % (above 0: longer)",
           "GB/s": "bandwidth of NEW against BASE, % (above 0: higher)"}  # fmt: skip


def ratios(comparison):
    """(heading, Picture) for each few latencies and bandwidths that a duel has over the working set, the plainest first."""
    found = []
    for unit in UNITS:
        of_unit = [curve for curve in comparison.ratio_curves if curve.unit == unit] if comparison.duel else []
        for first in range(0, len(of_unit), _MOST_CURVES):
            drawn = of_unit[first : first + _MOST_CURVES]
            heading = f"{UNITS[unit].capitalize()}: NEW against BASE over the working set"
            found.append((heading, _picture(comparison, drawn, unit, heading)))
    return found


def _picture(comparison, drawn, unit, heading):
    names = [curve_name(comparison, curve) for curve in drawn]
    rows = [_row(name, at) for name, curve in zip(names, drawn, strict=True) for at in curve.points]
    palette = style.palette(names)
    low, high = _range(rows)
    x_axis, x_scale = axes.SIZE.axis([row["bytes"] for row in rows])
    x = {"field": "bytes", "type": "quantitative", "title": axes.SIZE.title, "axis": x_axis, "scale": x_scale}
    y = charts.channel("value", _TITLES[unit], low, high)
    series = {"color": charts.colour(palette)}
    titles = {"series": "curve", "at_text": "working set", "text": "NEW against BASE", "pairs": "pairs"}
    layers = [
        *charts.simulated_word({comparison.simulated}),
        {"data": {"values": [{}]}, "mark": {"type": "rule", "color": "#777"},
         "encoding": {"y": {"datum": 0}}},
        charts.layer("area", {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, **series}, opacity=0.2, clip=True),
        {"name": "curve", **charts.layer("line", {"x": x, "y": y, **series}, strokeWidth=1.8, clip=True)},
        charts.points({"x": x, "y": y, **series}, size=26, clip=True),
        {"name": "hovered", **charts.hovered({"x": x, "y": y, **series}, titles, clip=True)},
    ]  # fmt: skip
    framed = charts.frame((heading, []), layers, _HEIGHT_PIXELS, names=palette)
    return charts.Picture({**charts.interactive(framed, palette, []), "data": {"values": rows}})


def _row(name, at):
    low, value, high = (100 * math.expm1(each) for each in (at.low, at.value, at.high))
    return {"series": name, "bytes": at.bytes, "low": low, "value": value, "high": high, "pairs": at.pairs,
            "at_text": formats.size(at.bytes), "text": f"{value:+.1f} % ({low:+.1f} to {high:+.1f})"}  # fmt: skip


def _range(rows):
    """From where to where the axis goes: what nearly all bands need, and what every value needs."""
    ends = sorted(max(abs(row["low"]), abs(row["high"])) for row in rows)
    usual = _ROOM * ends[int(0.9 * (len(ends) - 1))]
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    values = [row["value"] for row in rows]
    return (1.05 * min(max(low, -usual), *values, -0.5), 1.05 * max(min(high, usual), *values, 0.5))
