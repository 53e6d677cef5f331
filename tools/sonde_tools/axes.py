"""The axes of pictures: what the horizontal one shows, and logarithmic scales with readable ticks."""

import math
from collections.abc import Callable
from dataclasses import dataclass

_BINARY_UNITS = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]


@dataclass(frozen=True)
class Across:
    """What the horizontal axis shows: a coordinate of the points, its name in words, its axis and scale.

    text is the Vega expression that says the coordinate of a row in words.
    """

    coordinate: str
    title: str
    axis: Callable  # values of the coordinate -> (axis, scale)
    text: str

    def of(self, labelled):
        """Each (labelled curve, point) that has the coordinate."""
        return [(entry, point) for entry in labelled for point in entry.curve.points if self.coordinate in point.x]


@dataclass(frozen=True)
class Axes:
    """Both axes of a picture as channels of its layers: the first layer says in full what the others share."""

    whole_x: dict
    whole_y: dict

    def x(self, field, full=False):
        """The channel x (object) of a layer."""
        shared = self.whole_x if full else {"title": self.whole_x["title"]}
        return {"field": field, "type": "quantitative", **shared}

    def y(self, field, full=False):
        """The channel y (object) of a layer."""
        return Axes(self.whole_y, {}).x(field, full)


def axes_of(across, placed, y_title, foot_share):
    """The Axes of (labelled curve, point) pairs; a share of the height is left free below the curves."""
    values = [value for _, point in placed for value in (point.low, point.median, point.high)]
    ticks, domain = _log_scale(values, foot_share)
    # A cost of nothing has no place on a logarithmic axis: it is drawn at the foot.
    scale = {"type": "log", "domain": domain, "nice": False, "clamp": min(values) <= 0}
    y_axis = {"values": ticks, "labelExpr": "format(datum.value, '~r')", "labelOverlap": "parity"}
    x_axis, x_scale = across.axis([point.x[across.coordinate] for _, point in placed])
    return Axes(
        {"title": across.title, "axis": x_axis, "scale": x_scale}, {"title": y_title, "axis": y_axis, "scale": scale}
    )


def log_ticks(low, high):
    """The numbers 1, 2, 5, 10, 20, 50, … from the last at or below low to the first at or above high."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 2)
    # A negative power of 10.0 would not be the number nearest to the decimal one.
    steps = [float(f"{factor}e{power}") for power in powers for factor in (1, 2, 5)]
    first = max(index for index, step in enumerate(steps) if step <= low)
    last = min(index for index, step in enumerate(steps) if step >= high)
    return steps[first : last + 1]


def _log_scale(values, foot_share):
    """Ticks and domain that hold the values, with a share of the height left free below them."""
    values = [value for value in values if value > 0] or [1.0]
    ticks = log_ticks(min(values), max(values))
    if len(ticks) == 1:
        ticks = log_ticks(ticks[0] / 1.5, ticks[0] * 1.5)
    # A point on the frame would be cut in half.
    low, high = min(ticks[0], min(values) / 1.06), max(ticks[-1], max(values) * 1.06)
    return ticks, [min(low, high * (min(values) / high) ** (1 / (1 - foot_share))), high]


def _binary(number):
    """A Vega expression that says a number of bytes in the largest unit that it reaches; number: expression -> text."""
    larger = "".join(
        f"datum.value >= {factor} ? {number(f'datum.value / {factor}')} + ' {unit}' : "
        for factor, unit in _BINARY_UNITS
    )
    return f"({larger}{number('datum.value')} + ' B')"


def _size_axis(sizes_bytes):
    low, high = min(sizes_bytes) / 1.12, max(sizes_bytes) * 1.12
    # Powers of four; of two where a reader has zoomed in, of sixteen where the page is narrow.
    doubling_pixels = "width * LN2 / log(domain('x')[1] / domain('x')[0])"
    step = f"({doubling_pixels} > 62 ? 1 : {doubling_pixels} > 28 ? 2 : 4)"
    marked = f"(round(log(datum.value) / LN2) - 10) % {step} == 0"
    shown = {"condition": {"test": marked, "value": 1}, "value": 0}
    axis = {
        "values": [2**power for power in range(64) if low <= 2**power <= high], "labelOverlap": False,
        "labelExpr": f"{marked} ? {_binary(lambda number: number)} : ''", "gridOpacity": shown, "tickOpacity": shown,
    }  # fmt: skip
    return axis, {"type": "log", "base": 2, "domain": [low, high], "nice": False}


def _count_axis(counts):
    """Numbers that double."""
    values = [2**power for power in range(24) if 2**power <= max(counts)]
    scale = {"type": "log", "base": 2, "domain": [min(counts) / 1.12, max(counts) * 1.12], "nice": False}
    return {"values": values, "labelExpr": "format(datum.value, 'd')"}, scale


def _linear_axis(values):
    """An axis from zero on."""
    highest = max(values, default=0) or 1
    return {"tickCount": 8}, {"domain": [-0.015 * highest, 1.04 * highest], "nice": False}


_SIZE_TEXT = _binary(lambda number: f"format({number}, '.4~r')").replace("datum.value", "datum.bytes")

SIZE = Across("bytes", "working-set size", _size_axis, _SIZE_TEXT)
LINES = Across("lines", "lines walked", _count_axis, "format(datum.lines, '.0f')")
GROUPS = Across("groups", "work-groups", _count_axis, "format(datum.groups, '.0f')")
THREADS = Across("cpu_threads", "threads", _count_axis, "format(datum.cpu_threads, '.0f')")
LOAD = Across("gpu_gbps", "bandwidth of the load, GB/s", _linear_axis, "format(datum.gpu_gbps, '.3~r') + ' GB/s'")


def across(coordinate):
    """The Across of a coordinate that a curve declares as its axis."""
    known = {each.coordinate: each for each in (SIZE, GROUPS, THREADS, LOAD)}
    text = f"format(datum['{coordinate}'], '.4~r')"
    return known.get(coordinate) or Across(coordinate, coordinate.replace("_", " "), _linear_axis, text)
