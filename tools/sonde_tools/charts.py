"""Pictures of curves as Vega-Lite specifications: pure functions from labelled curves to a Picture."""

import math

from sonde_tools import axes, marks
from sonde_tools.pictures import Line, Picture
from sonde_tools.series import kept_awake

STATIC_WIDTH_PIXELS = 1000
HEIGHT_PIXELS = 460
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"

# Okabe and Ito's colours, which stay apart for colour-blind readers; those too pale for a line are darkened.
API_COLOURS = {"opencl": "#0072b2", "vulkan": "#d55e00", "cpu": "#4d4d4d", "model": "#8e3a80"}
# These make twelve with an API's own; and with the shapes, of which there are six, no two of sixty are alike.
MORE_COLOURS = [
    "#009e73", "#cc79a7", "#b8860b", "#3aa0dc", "#332288", "#882255", "#117733", "#999933", "#cc6677", "#661100", "#44aa99",
]  # fmt: skip
# Points of a walk beside a stream are so close within a level; about an edge it leaves out what both need room for.
_LARGEST_STEP = 2.05
_SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"]


def colours(labelled):
    """A colour for each label: the first curve of an API has that API's colour in every picture."""
    more, found = list(MORE_COLOURS), {}
    for entry in labelled:
        if entry.label not in found:
            own = API_COLOURS.get(entry.curve.api)
            if own is None or own in found.values():
                own = more.pop(0)
                more.append(own)
            found[entry.label] = own
    return found


def over_size(labelled, quantity, unit, head, noted=None, **further):
    """Curves over the working set (x bytes); the arguments of over()."""
    return over(axes.SIZE, labelled, quantity, unit, head, noted, **further)


def over(across, labelled, quantity, unit, head, noted=None, palette=None, height=HEIGHT_PIXELS, beside=()):
    """Curves over an Across, the quantity on a logarithmic axis, quartiles as a band, disturbed points hollow.

    head: title and subtitle's lines; noted: Marks; beside: labelled curves of another chart whose axes these share.
    """
    palette = palette or colours(labelled)
    noted = noted or marks.Marks()
    placed = across.of(labelled)
    both = axes.axes_of(across, across.of([*labelled, *beside]), f"{quantity}, {unit}", noted.foot_pixels / height)
    cycles = any(point.cycles is not None for _, point in placed)
    layers = [
        *simulated_mark(labelled),
        *(layer | {"transform": [{"filter": {"param": "shown"}}]} for layer in noted.layers(palette, both.x, height)),
        *_curve_layers(across, palette, both, _tooltip(across, unit, cycles)),
    ]
    # Rows are numbers alone: what a reader hovers over is put into words there.
    specification = interactive(
        frame(head, layers, height, head_pixels=noted.head_pixels, names=palette), palette, _texts(across)
    )
    return Picture(specification, _lines(across, labelled))


def interactive(framed, palette, texts, curve="curve", hovered="hovered"):
    """A specification (object) whose legend hides and shows series, and that a reader can zoom and move.

    framed: of frame(); texts: transforms that put rows into words; curve, hovered: layers that know about either.
    """
    return {
        **framed,
        "transform": [{"filter": {"param": "shown"}}, *texts],
        "params": [
            {"name": "shown", "select": {"type": "point", "fields": ["series"], "toggle": "true"}, "bind": "legend",
             "value": [{"series": label} for label in palette], "views": [curve]},
            # A plain wheel must scroll the page, and a pinch on a touchpad arrives as a wheel with Ctrl.
            {"name": "view", "select": {"type": "interval", "encodings": ["x"], "zoom": "wheel![event.ctrlKey]"},
             "bind": "scales", "views": [hovered]},
        ],
    }  # fmt: skip


def frame(head, layers, height=HEIGHT_PIXELS, head_pixels=0, names=()):
    """What all pictures share (object): title, size, fonts, colours. names: those in the legend."""
    title, subtitle = head
    columns = max(1, STATIC_WIDTH_PIXELS // _name_pixels(names))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "subtitle": subtitle},
        "width": STATIC_WIDTH_PIXELS,
        "height": height,
        "background": "white",
        "padding": {"left": 18, "right": 24, "top": 18, "bottom": 16},
        # The page reads it, to set the legend's columns where it is narrower.
        "usermeta": {"legend_name_pixels": _name_pixels(names)},
        "layer": layers,
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "title": {"anchor": "start", "frame": "group", "fontSize": 21, "subtitleFontSize": 13, "subtitleColor": "#555",
                      "subtitleLineHeight": 18, "subtitlePadding": 7, "offset": 14},
            "axis": {"labelFontSize": 12, "titleFontSize": 13, "titleFontWeight": "normal", "labelColor": "#333",
                     "titleColor": "#333", "gridColor": "#e4e4e4", "domainColor": "#888", "tickColor": "#888",
                     "titlePadding": 10},
            "legend": {"labelFontSize": 14, "labelLimit": 420, "offset": 8 + head_pixels, "columnPadding": 22,
                       "symbolOpacity": 1, "columns": columns},
        },
    }  # fmt: skip


def channel(field, title, low, high, **more):
    """The channel x or y (object) of numbers, drawn from low to high; more: of the axis, and "scale" for further of it."""
    scale = {"domain": [low, high], "nice": False, **more.pop("scale", {})}
    axis = {"axis": more} if more else {}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, **axis}


def layer(mark, encoding, only="", **look):
    """One layer (object): marks of a type for the rows of which the expression `only` holds, or for all."""
    found = {"mark": {"type": mark, **look}, "encoding": encoding}
    return found | ({"transform": [{"filter": only}]} if only else {})


def points(encoding, only="", **look):
    """A layer of filled points."""
    return layer("point", encoding, only, **({"filled": True, "opacity": 1} | look))


def hovered(encoding, titles, only="", **look):
    """A layer of what a pointer finds, larger than the points and invisible; titles: {field: title} of what it says."""
    return layer("circle", {**encoding, "tooltip": tooltip(titles)}, only, **({"size": 190, "opacity": 0} | look))


def of_rows(head, rows, layers, palette=(), height=HEIGHT_PIXELS):
    """The Picture of rows (objects) that are in no curve."""
    return Picture({**frame(head, layers, height, names=palette), "data": {"values": rows}})


def simulated_mark(labelled):
    """A layer with a pale word behind the curves where any of them is of a model; none where none is."""
    return simulated_word({entry.curve.api == "model" for entry in labelled})


def simulated_word(simulated):
    """The same of a set of whether what is drawn is of a model."""
    if True not in simulated:
        return []
    word = "partly simulated" if False in simulated else "simulated"
    mark = {
        "type": "text", "text": word, "color": "#5b6470", "opacity": 0.16, "fontWeight": "bold",
        "fontSize": {"expr": f"min(84, 1.5 * width / {len(word)})"}, "x": {"expr": "width / 2"},
        "y": {"expr": "height / 2"}, "baseline": "middle", "align": "center",
    }  # fmt: skip
    return [{"data": {"values": [{}]}, "mark": mark}]


def colour(palette):
    """The channel color (object) of series with a colour each."""
    return {"field": "series", "type": "nominal", "legend": _LEGEND,
            "scale": {"domain": list(palette), "range": list(palette.values())}}  # fmt: skip


def tooltip(titles):
    """The channel tooltip (array) of {field: title}."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]


_LEGEND = {"title": None, "orient": "top", "symbolSize": 110}


def _curve_layers(across, palette, both, hovered):
    coloured = colour(palette)
    series = {"color": {"field": "series", "type": "nominal"}}
    shapes = [_SHAPES[index % len(_SHAPES)] for index in range(len(palette))]
    shape = {"field": "series", "type": "nominal", "legend": _LEGEND,
             "scale": {"domain": list(palette), "range": shapes}}  # fmt: skip
    x = both.x(across.coordinate)
    curve = {"x": x, "y": both.y("median"), **series}
    points = {**curve, "shape": {"field": "series", "type": "nominal"}}
    line = {"type": "line", "strokeWidth": 1.8, "clip": True}
    apart = {"detail": {"field": "piece", "type": "nominal"}}
    return [
        {"mark": {"type": "area", "opacity": 0.22, "clip": True},
         "encoding": {"x": both.x(across.coordinate, full=True), "y": both.y("low_quartile", full=True),
                      "y2": {"field": "high_quartile"}, "color": coloured, **apart}},
        {"name": "curve", "mark": {**line, "strokeJoin": "round"}, "encoding": {**curve, **apart},
         "transform": [{"filter": "!datum.dashed"}]},
        # A stroke that depended on the series would put dashes around the legend's symbols.
        {"mark": {**line, "strokeDash": [5, 3]}, "encoding": {**curve, **apart},
         "transform": [{"filter": "datum.dashed"}]},
        {"mark": {"type": "point", "filled": True, "opacity": 1, "size": 26, "clip": True},
         "encoding": {**points, "shape": shape}, "transform": [{"filter": "!datum.disturbed"}]},
        {"mark": {"type": "point", "filled": False, "fill": "white", "opacity": 1, "size": 34, "strokeWidth": 1.5,
                  "clip": True},
         "encoding": points, "transform": [{"filter": "datum.disturbed"}]},
        # Larger than the points and invisible, so that a pointer need not hit a point exactly.
        {"name": "hovered", "mark": {"type": "circle", "size": 190, "opacity": 0, "clip": True},
         "encoding": {**curve, "tooltip": hovered}},
    ]  # fmt: skip


def _lines(across, labelled):
    # One line a page has the colour of the other curves of its API.
    return [
        Line(entry.label, entry.word("order") == "page", points, piece=piece)
        for entry in labelled
        for piece, points in enumerate(_pieces(entry.curve, across.coordinate))
    ]


def _pieces(curve, coordinate):
    """Its points as they are joined: of a walk beside a stream those of each level, as it is not made about the edges."""
    points = [point for point in curve.points if coordinate in point.x]
    apart = _LARGEST_STEP if kept_awake(curve.series) and coordinate == "bytes" else math.inf
    pieces = []
    for point in points:
        if not pieces or point.x[coordinate] > apart * pieces[-1][-1].x[coordinate]:
            pieces.append([])
        pieces[-1].append(point)
    return pieces


def _texts(across):
    """What is said of a point, computed from its numbers where it is drawn."""
    share = "isValid(datum.foreign_cpu) ? format(100 * datum.foreign_cpu, '.1f') + ' %' : '–'"
    said = {
        "at_text": across.text,
        "median_text": significant("median"),
        "quartiles_text": f"{significant('low_quartile')} + ' to ' + {significant('high_quartile')}",
        "extremes_text": f"{significant('minimum')} + ' to ' + {significant('maximum')}",
        "cycles_text": f"isValid(datum.cycles) ? {significant('cycles')} : '–'",
        "clock_text": "isValid(datum.clock_mhz) ? format(datum.clock_mhz, ',.0f') + ' MHz' : '–'",
        "foreign_cpu_text": f"({share}) + (datum.disturbed ? ' (disturbed)' : '')",
    }
    return [{"calculate": expression, "as": name} for name, expression in said.items()]


def significant(name):
    """A Vega expression that says a number of a row as formats.significant does."""
    value = f"datum.{name}"
    return f"(abs({value}) >= 1000 ? format({value}, '.0f') : format({value}, '.3r'))"


def _tooltip(across, unit, cycles):
    fields = {
        "series": "series", "at_text": across.title, "median_text": f"median, {unit}",
        "quartiles_text": f"quartiles, {unit}", "extremes_text": f"lowest to highest, {unit}", "repetitions": "repetitions",
        "foreign_cpu_text": "CPU taken by others",
    }  # fmt: skip
    if cycles:
        fields |= {"cycles_text": "median, cycles", "clock_text": "core clock"}
    return tooltip(fields)


def _name_pixels(labels):
    """The width in pixels that one name takes in the legend."""
    return 45 + 7 * max(map(len, labels), default=0)
