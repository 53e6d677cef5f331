"""Pictures of curves as Vega-Lite specifications: pure functions from labelled curves to a Picture."""

import math

from sonde_tools import axes, end_names, marks, style
from sonde_tools.pictures import Line, Picture
from sonde_tools.series import kept_awake
from sonde_tools.style import colours

STATIC_WIDTH_PIXELS = 1000
HEIGHT_PIXELS = 460
# Points of a walk beside a stream are so close within a level; about an edge it leaves out what both need room for.
_LARGEST_STEP = 2.05
# A band between points that are further apart would show what nobody measured.
_LARGEST_STEP_IN_BANDS = 3
# Fewer points than this are no line.
FEWEST_JOINED = 4
# Height of a dot and of the words above it; values so far apart (a factor) need a logarithmic axis.
_DOT_PIXELS, _LOGARITHMIC_FROM = 38, 20


def over_size(labelled, quantity, unit, head, noted=None, **further):
    """Curves over the working set (x bytes); the arguments of over()."""
    return over(axes.SIZE, labelled, quantity, unit, head, noted, **further)


def over(across, labelled, quantity, unit, head, noted=None, palette=None, height=HEIGHT_PIXELS, beside=()):
    """Curves over an Across, the quantity on a logarithmic axis, quartiles as a band, disturbed points hollow.

    head: title and subtitle's lines; noted: Marks; beside: labelled curves of another chart whose axes these share.
    """
    palette = palette or colours(labelled)
    if are_few(across, labelled):
        return _dots(across, labelled, f"{quantity}, {unit}", unit, head, palette)
    noted = noted or marks.Marks()
    placed = across.of(labelled)
    both = axes.axes_of(across, across.of([*labelled, *beside]), f"{quantity}, {unit}", noted.foot_pixels / height)
    cycles = any(point.cycles is not None for _, point in placed)
    layers = [
        *simulated_mark(labelled),
        *(layer | {"transform": [{"filter": {"param": "shown"}}]} for layer in noted.layers(palette, both, height)),
        *curve_layers(across, labelled, palette, both, measured_tooltip(across, unit, cycles)),
        *end_names.layers(across, labelled, palette, both, height),
    ]
    # Rows are numbers alone: what a reader hovers over is put into words there.
    framed = frame(head, layers, height, head_pixels=noted.head_pixels, names=palette)
    framed["usermeta"]["names_at_ends_pixels"] = end_names.width_pixels(labelled)
    specification = interactive(framed, palette, texts(across))
    return Picture(specification, lines(across, labelled))


def are_few(across, labelled):
    """Whether no curve has points enough for a line."""
    points = [[point for point in entry.points if across.coordinate in point.x] for entry in labelled]
    return all(len(own) < FEWEST_JOINED for own in points)


def _dots(across, labelled, title, unit, head, palette):
    """A row for each point, its interval as a bar and its value in words: few points are no line."""
    placed = across.of(labelled)
    values = [value for _, point in placed for value in (point.low, point.high)]
    low, high = min(values), max(values)
    logarithmic = 0 < _LOGARITHMIC_FROM * low < high
    domain = [low / 1.3, high * 1.6] if logarithmic else [min(0, low), 1.2 * max(high, 1e-9)]
    scale = {"type": "log" if logarithmic else "linear", "domain": domain, "nice": False}
    where = {"field": "what", "type": "nominal", "sort": None, "axis": None}
    x = {"field": "median", "type": "quantitative", "title": title, "scale": scale}
    coloured = {"color": {"field": "series", "type": "nominal", "legend": None,
                          "scale": {"domain": list(palette), "range": list(palette.values())}}}  # fmt: skip
    place = {"x": x, "y": where, **coloured}
    named = {"x": {"value": 0}, "y": where, "text": {"field": "what", "type": "nominal"}}
    below = {"yOffset": 8}
    shape = {"field": "series", "type": "nominal", "legend": None,
             "scale": {"domain": list(palette), "range": list(style.markers(labelled).values())}}  # fmt: skip
    layers = [
        *simulated_mark(labelled),
        layer("text", named, align="left", dy=-9, fontSize=12, color="#333", limit={"expr": "width"}),
        layer("rule", {**place, "x": {**x, "field": "low"}, "x2": {"field": "high"}}, strokeWidth=2, opacity=0.6, **below),
        points({**place, "shape": shape}, "!datum.disturbed", size=60, **below),
        points({**place, "shape": {"field": "series", "type": "nominal"}}, "datum.disturbed", filled=False, fill="white",
               size=60, strokeWidth=1.5, **below),
        layer("text", {"x": {**x, "field": "high"}, "y": where, "text": {"field": "median_text", "type": "nominal"}},
              align="left", dx=9, dy=8, fontSize=12, color="#333"),
        hovered(place, _titles(across, unit, False), **below),
    ]  # fmt: skip
    said = [*texts(across), {"calculate": "datum.series + ', ' + datum.at_text", "as": "what"}]
    framed = frame(head, layers, _DOT_PIXELS * len(placed))
    return Picture({**framed, "transform": said}, lines(across, labelled))


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
            # The page has names within a plot that is narrow.
            {"name": "names_outside", "value": True},
        ],
    }  # fmt: skip


def frame(head, layers, height=HEIGHT_PIXELS, head_pixels=0, names=()):
    """What all pictures share (object): title, size, fonts, colours. names: those in the legend."""
    title, subtitle = head
    columns = max(1, STATIC_WIDTH_PIXELS // _name_pixels(names))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": title, "subtitle": style.subtitle(subtitle)},
        "width": STATIC_WIDTH_PIXELS,
        "height": height,
        "background": "white",
        "padding": {"left": 18, "right": 24, "top": 18, "bottom": 16},
        # The page reads it, to set the legend's columns where it is narrower.
        "usermeta": {"legend_name_pixels": _name_pixels(names)},
        "layer": layers,
        "config": {**style.CONFIG, "legend": {**style.CONFIG["legend"], "offset": 8 + head_pixels, "columns": columns}},
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


def simulated_word(simulated, corner=False):
    """The same of a set of whether what is drawn is of a model; corner: small, in a panel."""
    if True not in simulated:
        return []
    word = "partly simulated" if False in simulated else "simulated"
    if corner:
        mark = {"type": "text", "text": word, "color": "#5b6470", "fontSize": 16, "align": "right", "baseline": "top"}
        return [{"data": {"values": [{}]}, "mark": mark, "encoding": {"x": {"value": "width"}, "y": {"value": 0}}}]
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


def curve_layers(across, labelled, palette, both, hovered):
    """The layers of labelled curves: intervals, lines, points, and what a pointer finds; hovered: its tooltip."""
    coloured = colour(palette)
    series = {"color": {"field": "series", "type": "nominal"}}
    by_label = style.markers(labelled)
    shape = {"field": "series", "type": "nominal", "legend": _LEGEND,
             "scale": {"domain": list(palette), "range": [by_label[label] for label in palette]}}  # fmt: skip
    x = both.x(across.coordinate)
    curve = {"x": x, "y": both.y("median"), **series}
    points = {**curve, "shape": {"field": "series", "type": "nominal"}}
    line = {"type": "line", "strokeWidth": 1.8, "clip": True}
    apart = {"detail": {"field": "piece", "type": "nominal"}}
    between = {"y": both.y("low", full=True), "y2": {"field": "high"}}
    hollow = "(datum.disturbed || datum.contradicted)"
    return [
        {"mark": {"type": "area", "opacity": 0.22, "clip": True},
         "encoding": {"x": both.x(across.coordinate, full=True), **between, "color": coloured, **apart},
         "transform": [{"filter": "!datum.barred"}]},
        {"mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.4, "clip": True},
         "encoding": {"x": x, **between, **series}, "transform": [{"filter": "datum.barred"}]},
        {"name": "curve", "mark": {**line, "strokeJoin": "round"}, "encoding": {**curve, **apart},
         "transform": [{"filter": "!datum.dashed"}]},
        # A stroke that depended on the series would put dashes around the legend's symbols.
        {"mark": {**line, "strokeDash": style.DASH}, "encoding": {**curve, **apart},
         "transform": [{"filter": "datum.dashed"}]},
        {"mark": {"type": "point", "filled": True, "opacity": 1, "size": 26, "clip": True},
         "encoding": {**points, "shape": shape}, "transform": [{"filter": f"!{hollow}"}]},
        {"mark": {"type": "point", "filled": False, "fill": "white", "opacity": 1, "size": 34, "strokeWidth": 1.5,
                  "clip": True},
         "encoding": points, "transform": [{"filter": hollow}]},
        # Larger than the points and invisible, so that a pointer need not hit a point exactly.
        {"name": "hovered", "mark": {"type": "circle", "size": 190, "opacity": 0, "clip": True},
         "encoding": {**curve, "tooltip": hovered}},
    ]  # fmt: skip


def lines(across, labelled):
    """The Lines of labelled curves, by the pieces that are joined."""
    return [
        Line(entry.label, style.is_dashed(entry.curve.api), points, piece=piece, barred=barred)
        for entry in labelled
        for pieces, barred in [_pieces(entry.curve, across.coordinate)]
        for piece, points in enumerate(pieces)
    ]


def _pieces(curve, coordinate):
    """Its points as they are joined, and whether their intervals are bars.

    Of a walk beside a stream those of each level are joined, as it is not made about the edges; few points are not.
    """
    points = [point for point in curve.points if coordinate in point.x]
    if len(points) < FEWEST_JOINED:
        return [[point] for point in points], True
    apart = _LARGEST_STEP if kept_awake(curve.series) and coordinate == "bytes" else math.inf
    pieces = []
    for point in points:
        if not pieces or point.x[coordinate] > apart * pieces[-1][-1].x[coordinate]:
            pieces.append([])
        pieces[-1].append(point)
    ends = [points[end].x[coordinate] for end in (0, -1)]
    coarse = coordinate == "bytes" and ends[1] > ends[0] * _LARGEST_STEP_IN_BANDS ** (len(points) - 1)
    return pieces, coarse


def texts(across):
    """What is said of a point, computed from its numbers where it is drawn."""
    share = "isValid(datum.foreign_cpu) ? format(100 * datum.foreign_cpu, '.1f') + ' %' : '–'"
    said = {
        "at_text": across.text,
        "median_text": significant("median"),
        "interval_text": f"{significant('low')} + ' to ' + {significant('high')}",
        "extremes_text": f"{significant('minimum')} + ' to ' + {significant('maximum')}",
        "cycles_text": f"isValid(datum.cycles) ? {significant('cycles')} : '–'",
        "clock_text": "isValid(datum.clock_mhz) ? format(datum.clock_mhz, ',.0f') + ' MHz' : '–'",
        "foreign_cpu_text": f"({share}) + (datum.disturbed ? ' (disturbed)' : datum.contradicted ? ' (its neighbours contradict it)' : '')",
    }
    return [{"calculate": expression, "as": name} for name, expression in said.items()]


def significant(name):
    """A Vega expression that says a number of a row as formats.significant does."""
    value = f"datum.{name}"
    return f"(abs({value}) >= 1000 ? format({value}, '.0f') : format({value}, '.3r'))"


def measured_tooltip(across, unit, cycles):
    """The channel tooltip (array) of a measured point; cycles: whether they are known."""
    return tooltip(_titles(across, unit, cycles))


def _titles(across, unit, cycles):
    fields = {
        "series": "series", "at_text": across.title, "median_text": f"median, {unit}",
        "interval_text": f"95 % interval, {unit}", "extremes_text": f"lowest to highest, {unit}", "repetitions": "repetitions",
        "foreign_cpu_text": "CPU taken by others",
    }  # fmt: skip
    if cycles:
        fields |= {"cycles_text": "median, cycles", "clock_text": "core clock"}
    return fields


def _name_pixels(labels):
    """The width in pixels that one name takes in the legend."""
    return 45 + 7 * max(map(len, labels), default=0)
