"""Pictures as Altair specifications: pure functions from curves to a chart, the same for page, PNG and SVG."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import altair as alt
import vl_convert

from sonde_tools import formats, marks
from sonde_tools.series import order

STATIC_WIDTH_PIXELS = 1000
HEIGHT_PIXELS = 460
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"

# Okabe and Ito's colours, which stay apart for colour-blind readers; those too pale for a line are darkened.
_API_COLOURS = {"opencl": "#0072b2", "vulkan": "#d55e00", "cpu": "#4d4d4d", "model": "#8e3a80"}
_MORE_COLOURS = ["#009e73", "#cc79a7", "#b8860b", "#3aa0dc", "#332288", "#882255", "#117733", "#000000"]
_SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]

# The version of Vega-Lite that Altair writes; whatever renders the chart must speak the same one.
VEGA_LITE_VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


@dataclass(frozen=True)
class Across:
    """What the horizontal axis shows: a coordinate of the points, its name in words, its axis, how a value is said."""

    coordinate: str
    title: str
    axis: Callable  # title, values -> function: field -> the x of a layer
    text: Callable

    def of(self, labelled):
        """Each (labelled curve, point) that has the coordinate."""
        return [(entry, point) for entry in labelled for point in entry.curve.points if self.coordinate in point.x]


def colours(labelled):
    """A colour for each label: the first curve of an API has that API's colour in every picture."""
    more, found = list(_MORE_COLOURS), {}
    for entry in labelled:
        if entry.label not in found:
            own = _API_COLOURS.get(entry.curve.api)
            if own is None or own in found.values():
                own = more.pop(0)
                more.append(own)
            found[entry.label] = own
    return found


def over_size(labelled, quantity, unit, head, noted=None, **further):
    """Curves over the working set (x bytes); the arguments of over()."""
    return over(SIZE, labelled, quantity, unit, head, noted, **further)


def over(across, labelled, quantity, unit, head, noted=None, palette=None, height=HEIGHT_PIXELS, beside=()):
    """Curves over an Across, the quantity on a logarithmic axis, quartiles as a band, disturbed points hollow.

    head: title and subtitle's lines; noted: Marks; beside: labelled curves of another chart whose axes these share.
    """
    title, subtitle = head
    palette = palette or colours(labelled)
    noted = noted or marks.Marks()
    placed = across.of(labelled)
    axes = _axes(across, across.of([*labelled, *beside]), f"{quantity}, {unit}", noted.foot_pixels / height)
    shown = alt.selection_point(
        name="shown", fields=["series"], bind="legend", toggle="true", value=[{"series": label} for label in palette]
    )
    layers = [layer.transform_filter(shown) for layer in noted.layers(palette, axes[0], height)]
    cycles = any(point.cycles is not None for _, point in placed)
    layers += _curve_layers(across, palette, axes, shown, _tooltip(across, unit, cycles))
    return (
        alt.layer(*layers, data=alt.Data(values=[_row(across, *each) for each in placed]))
        .transform_filter(shown)
        .properties(
            width=STATIC_WIDTH_PIXELS,
            height=height,
            title=alt.TitleParams(title, subtitle=subtitle),
            background="white",
            # The page reads it, to set the legend's columns where it is narrower.
            usermeta={"legend_name_pixels": _name_pixels(palette)},
            padding={"left": 18, "right": 24, "top": 18, "bottom": 16},
        )
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_title(
            anchor="start", frame="group", fontSize=21, subtitleFontSize=13, subtitleColor="#555",
            subtitleLineHeight=18, subtitlePadding=7, offset=14,
        )
        .configure_axis(
            labelFontSize=12, titleFontSize=13, titleFontWeight="normal", labelColor="#333", titleColor="#333",
            gridColor="#e4e4e4", domainColor="#888", tickColor="#888", titlePadding=10,
        )
        .configure_legend(
            labelFontSize=14, offset=8 + noted.head_pixels, columnPadding=22, symbolOpacity=1,
            columns=max(1, STATIC_WIDTH_PIXELS // _name_pixels(palette)),
        )
    )  # fmt: skip


def _curve_layers(across, palette, axes, shown, tooltip):
    x, y = axes
    # A plain wheel must scroll the page, and a pinch on a touchpad arrives as a wheel with Ctrl.
    view = alt.selection_interval(name="view", bind="scales", encodings=["x"], zoom="wheel![event.ctrlKey]")
    base = alt.Chart().encode(x=x(f"{across.coordinate}:Q"), color=_colour(palette))
    curve = base.encode(y=y("median:Q"))
    line = curve.mark_line(strokeWidth=1.8, clip=True, strokeJoin="round")
    points = curve.encode(shape=_shape(palette))
    return [
        base.mark_area(opacity=0.22, clip=True).encode(y=y("low_quartile:Q"), y2="high_quartile:Q"),
        line.transform_filter("!datum.dashed").add_params(shown),
        # A stroke that depended on the series would put dashes around the legend's symbols.
        curve.mark_line(strokeWidth=1.8, clip=True, strokeDash=[5, 3]).transform_filter("datum.dashed"),
        points.mark_point(filled=True, opacity=1, size=26, clip=True).transform_filter("!datum.disturbed"),
        points.mark_point(filled=False, fill="white", opacity=1, size=34, strokeWidth=1.5, clip=True).transform_filter(
            "datum.disturbed"
        ),
        # Larger than the points and invisible, so that a pointer need not hit a point exactly.
        curve.mark_circle(size=190, opacity=0, clip=True).encode(tooltip=tooltip).add_params(view),
    ]


def _specification(chart):
    """The chart as an object in which every text may be shown: the renderer ends the process at a control character."""
    return _visible(chart.to_dict())


def _visible(value):
    if isinstance(value, dict):
        return {formats.visible(name): _visible(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_visible(each) for each in value]
    return formats.visible(value) if isinstance(value, str) else value


def for_page(chart):
    """The chart as a specification (object) that fills its place in a page, which has its own heading."""
    spec = _specification(chart)
    spec.pop("title")
    spec["width"] = "container"
    spec["padding"] = {"left": 8, "right": 14, "top": 6, "bottom": 4}
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def png(chart):
    """The chart as PNG bytes, at twice the pixel size."""
    return vl_convert.vegalite_to_png(_specification(chart), vl_version=VEGA_LITE_VERSION, scale=2)


def svg(chart):
    """The chart as SVG text."""
    return vl_convert.vegalite_to_svg(_specification(chart), vl_version=VEGA_LITE_VERSION)


def log_ticks(low, high):
    """The numbers 1, 2, 5, 10, 20, 50, … from the last at or below low to the first at or above high."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 2)
    # Not 10.0**power: of a negative power it is not the number nearest to the decimal one.
    steps = [float(f"{factor}e{power}") for power in powers for factor in (1, 2, 5)]
    first = max(index for index, step in enumerate(steps) if step <= low)
    last = min(index for index, step in enumerate(steps) if step >= high)
    return steps[first : last + 1]


def _row(across, entry, point):
    texts = {name: formats.significant(getattr(point, name)) for name in ("median", "minimum", "maximum")}
    quartiles = f"{formats.significant(point.low_quartile)} to {formats.significant(point.high_quartile)}"
    return {
        "series": entry.label,
        # One line a page has the colour of the other curves of its API.
        "dashed": order(entry.curve.series) == "page",
        across.coordinate: point.x[across.coordinate],
        "median": point.median,
        "low_quartile": point.low_quartile,
        "high_quartile": point.high_quartile,
        "disturbed": point.disturbed,
        "at_text": across.text(point.x[across.coordinate]),
        "median_text": texts["median"],
        "quartiles_text": quartiles,
        "extremes_text": f"{texts['minimum']} to {texts['maximum']}",
        "cycles_text": "–" if point.cycles is None else formats.significant(point.cycles),
        "clock_text": formats.clock(point.state.get("clock_mhz")),
        "repetitions": len(point.values),
        "foreign_cpu_text": formats.percent(point.foreign_cpu) + (" (disturbed)" if point.disturbed else ""),
    }


def _tooltip(across, unit, cycles):
    fields = {
        "series": "series", "at_text": across.title, "median_text": f"median, {unit}",
        "quartiles_text": f"quartiles, {unit}", "extremes_text": f"lowest to highest, {unit}", "repetitions": "repetitions",
        "foreign_cpu_text": "CPU taken by others",
    }  # fmt: skip
    if cycles:
        fields |= {"cycles_text": "median, cycles", "clock_text": "core clock"}
    return [alt.Tooltip(name, type="nominal", title=title) for name, title in fields.items()]


def _colour(palette):
    scale = alt.Scale(domain=list(palette), range=list(palette.values()))
    return alt.Color("series:N", scale=scale, legend=_legend())


def _shape(palette):
    shapes = [_SHAPES[index % len(_SHAPES)] for index in range(len(palette))]
    return alt.Shape("series:N", scale=alt.Scale(domain=list(palette), range=shapes), legend=_legend())


def _legend():
    return alt.Legend(title=None, orient="top", symbolSize=110, labelLimit=420)


def _name_pixels(labels):
    """The width in pixels that one name takes in the legend."""
    return 45 + 8 * max(map(len, labels), default=0)


def _axes(across, placed, y_title, foot_share):
    """Both axes, each as a function: field -> the x or y of a layer."""
    values = [value for _, point in placed for value in (point.low_quartile, point.median, point.high_quartile)]
    ticks, domain = _log_scale(values, foot_share)
    axis = alt.Axis(values=ticks, labelExpr="format(datum.value, '~r')", labelOverlap="parity")
    # A cost of nothing has no place on such an axis: it is drawn at the foot.
    scale = alt.Scale(type="log", domain=domain, nice=False, clamp=min(values) <= 0)
    coordinates = [point.x[across.coordinate] for _, point in placed]
    return across.axis(across.title, coordinates), lambda field: alt.Y(field, title=y_title, scale=scale, axis=axis)


def _size_axis(title, sizes_bytes):
    """The axis of working sets as a function: field -> the x of a layer."""
    low, high = min(sizes_bytes) / 1.12, max(sizes_bytes) * 1.12
    names = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
    text = "".join(f"datum.value >= {factor} ? datum.value / {factor} + ' {unit}' : " for factor, unit in names)
    # Powers of four; of two where a reader has zoomed in, of sixteen where the page is narrow.
    doubling_pixels = "width * LN2 / log(domain('x')[1] / domain('x')[0])"
    step = f"({doubling_pixels} > 62 ? 1 : {doubling_pixels} > 28 ? 2 : 4)"
    marked = f"(round(log(datum.value) / LN2) - 10) % {step} == 0"
    shown = alt.condition(marked, alt.value(1), alt.value(0))
    axis = alt.Axis(
        values=[2**power for power in range(64) if low <= 2**power <= high],
        labelExpr=f"{marked} ? ({text}datum.value + ' B') : ''",
        labelOverlap=False,
        gridOpacity=shown,
        tickOpacity=shown,
    )
    scale = alt.Scale(type="log", base=2, domain=[low, high], nice=False)
    return lambda field: alt.X(field, title=title, scale=scale, axis=axis)


def _count_axis(title, counts):
    """The axis of numbers that double, as a function: field -> the x of a layer."""
    axis = alt.Axis(
        values=[2**power for power in range(24) if 2**power <= max(counts)], labelExpr="format(datum.value, 'd')"
    )
    scale = alt.Scale(type="log", base=2, domain=[min(counts) / 1.12, max(counts) * 1.12], nice=False)
    return lambda field: alt.X(field, title=title, scale=scale, axis=axis)


def _linear_axis(title, values):
    """An axis that begins at zero, as a function: field -> the x of a layer."""
    highest = max([*values, 1e-9])
    scale = alt.Scale(domain=[-0.015 * highest, 1.04 * highest], nice=False)
    return lambda field: alt.X(field, title=title, scale=scale, axis=alt.Axis())


SIZE = Across("bytes", "working-set size", _size_axis, formats.size)
LINES = Across("lines", "lines walked", _count_axis, lambda lines: f"{lines:.0f}")
GROUPS = Across("groups", "work-groups", _count_axis, lambda groups: f"{groups:.0f}")
LOAD = Across("gpu_gbps", "bandwidth of the load, GB/s", _linear_axis, lambda gbps: f"{formats.significant(gbps)} GB/s")


def _log_scale(values, foot_share=0.0):
    """Ticks and domain that hold the values, with a share of the height left free below them."""
    values = [value for value in values if value > 0] or [1.0]
    ticks = log_ticks(min(values), max(values))
    if len(ticks) == 1:
        ticks = log_ticks(ticks[0] / 1.5, ticks[0] * 1.5)
    # A point on the frame would be cut in half.
    low, high = min(ticks[0], min(values) / 1.06), max(ticks[-1], max(values) * 1.06)
    return ticks, [min(low, high * (min(values) / high) ** (1 / (1 - foot_share))), high]
