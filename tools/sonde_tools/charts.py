"""Pictures as Altair specifications: pure functions from curves to a chart, the same for page, PNG and SVG."""

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


def over_size(labelled, quantity, unit, head, noted=None, palette=None, height=HEIGHT_PIXELS, beside=(),
              size_title="working-set size"):
    """Curves over the working set (x bytes) on logarithmic axes, quartiles as a band, disturbed points hollow.

    head: title and subtitle's lines; noted: Marks; beside: labelled curves of another chart whose axes these share.
    """
    title, subtitle = head
    palette = palette or colours(labelled)
    noted = noted or marks.Marks()
    sized = [(entry, point) for entry in labelled for point in entry.curve.points if point.x.get("bytes")]
    axes = _axes([*labelled, *beside], (size_title, f"{quantity}, {unit}"), noted.foot_pixels / height)
    shown = alt.selection_point(
        name="shown", fields=["series"], bind="legend", toggle="true", value=[{"series": label} for label in palette]
    )
    layers = [layer.transform_filter(shown) for layer in noted.layers(palette, axes[0], height)]
    layers += _curve_layers(palette, axes, unit, shown, any(point.cycles is not None for _, point in sized))
    return (
        alt.layer(*layers, data=alt.Data(values=[_row(*each) for each in sized]))
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


def _curve_layers(palette, axes, unit, shown, cycles):
    x, y = axes
    # A plain wheel must scroll the page, and a pinch on a touchpad arrives as a wheel with Ctrl.
    view = alt.selection_interval(name="view", bind="scales", encodings=["x"], zoom="wheel![event.ctrlKey]")
    base = alt.Chart().encode(x=x("bytes:Q"), color=_colour(palette))
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
        curve.mark_circle(size=190, opacity=0, clip=True).encode(tooltip=_tooltip(unit, cycles)).add_params(view),
    ]


def for_page(chart):
    """The chart as a specification (object) that fills its place in a page, which has its own heading."""
    spec = chart.to_dict()
    spec.pop("title")
    spec["width"] = "container"
    spec["padding"] = {"left": 8, "right": 14, "top": 6, "bottom": 4}
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def png(chart):
    """The chart as PNG bytes, at twice the pixel size."""
    return vl_convert.vegalite_to_png(chart.to_dict(), vl_version=VEGA_LITE_VERSION, scale=2)


def svg(chart):
    """The chart as SVG text."""
    return vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=VEGA_LITE_VERSION)


def log_ticks(low, high):
    """The numbers 1, 2, 5, 10, 20, 50, … from the last at or below low to the first at or above high."""
    steps = [round(factor * 10.0**power, 9) for power in range(-6, 13) for factor in (1, 2, 5)]
    first = max(index for index, step in enumerate(steps) if step <= low)
    last = min(index for index, step in enumerate(steps) if step >= high)
    return steps[first : last + 1]


def _row(entry, point):
    texts = {name: formats.significant(getattr(point, name)) for name in ("median", "minimum", "maximum")}
    quartiles = f"{formats.significant(point.low_quartile)} to {formats.significant(point.high_quartile)}"
    return {
        "series": entry.label,
        # One line a page has the colour of the other curves of its API.
        "dashed": order(entry.curve.series) == "page",
        "bytes": point.x["bytes"],
        "median": point.median,
        "low_quartile": point.low_quartile,
        "high_quartile": point.high_quartile,
        "disturbed": point.disturbed,
        "size_text": formats.size(point.x["bytes"]),
        "median_text": texts["median"],
        "quartiles_text": quartiles,
        "extremes_text": f"{texts['minimum']} to {texts['maximum']}",
        "cycles_text": "–" if point.cycles is None else formats.significant(point.cycles),
        "clock_text": formats.clock(point.state.get("clock_mhz")),
        "repetitions": len(point.values),
        "foreign_cpu_text": formats.percent(point.foreign_cpu) + (" (disturbed)" if point.disturbed else ""),
    }


def _tooltip(unit, cycles):
    fields = {
        "series": "series", "size_text": "working set", "median_text": f"median, {unit}",
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


def _axes(labelled, titles, foot_share):
    """Both axes with their titles, each as a function: field -> the x or y of a layer."""
    points = [point for entry in labelled for point in entry.curve.points if point.x.get("bytes")]
    values = [value for point in points for value in (point.low_quartile, point.median, point.high_quartile)]
    ticks, domain = _log_scale(values, foot_share)
    axis = alt.Axis(values=ticks, labelExpr="format(datum.value, '~r')", labelOverlap="parity")
    scale = alt.Scale(type="log", domain=domain, nice=False)
    sizes = [point.x["bytes"] for point in points]
    return _size_axis(sizes, titles[0]), lambda field: alt.Y(field, title=titles[1], scale=scale, axis=axis)


def _size_axis(sizes_bytes, title):
    """The axis of sizes as a function: field -> the x of a layer."""
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


def _log_scale(values, foot_share=0.0):
    """Ticks and domain that hold the values, with a share of the height left free below them."""
    ticks = log_ticks(min(values), max(values))
    if len(ticks) == 1:
        ticks = log_ticks(ticks[0] / 1.5, ticks[0] * 1.5)
    # A point on the frame would be cut in half.
    low, high = min(ticks[0], min(values) / 1.06), max(ticks[-1], max(values) * 1.06)
    return ticks, [min(low, high * (min(values) / high) ** (1 / (1 - foot_share))), high]
