"""A matrix as a picture: a cell for each pair, with its number, in an order that is given."""

from sonde_tools import charts

# Numbers fit so many cells side by side.
_LARGE_NUMBERS = 16


def height(names):
    """Room for a row each, within what fits a page."""
    return min(900, max(160, 30 * len(names)))


def heat_map(head, names, rows, across, told, darker="high"):
    """Rows of {from, to, value, text, ...} as a Picture.

    head: title and subtitle's lines; names: (those of rows, those of columns) in order; across: (title of the columns,
    title of the rows, unit); told: {field: title} of what a reader hovers over; darker: whether the high or the low
    values are the dark ones, which are the slow ones.
    """
    column_title, row_title, unit = across
    low, high = min(row["value"] for row in rows), max(row["value"] for row in rows)
    # Light for fast; where all are alike none is dark. Numbers are white on dark cells alone.
    domain = [low, max(high, 1.5 * low)] if darker == "high" else [min(low, high / 1.5), high]
    scale = {"scheme": "blues", "domain": domain, "reverse": darker == "low"}
    middle = 0.5 * (domain[0] + domain[1])
    dark = f"datum.value {'>' if darker == 'high' else '<'} {middle}"
    place = {
        "x": {"field": "to", "title": column_title, "type": "nominal", "scale": {"domain": names[1]},
              "axis": {"orient": "top", "labelAngle": 0}},
        "y": {"field": "from", "title": row_title, "type": "nominal", "scale": {"domain": names[0]}},
    }  # fmt: skip
    colour = {"field": "value", "type": "quantitative", "title": unit, "scale": scale}
    text = {
        "text": {"field": "text", "type": "nominal"},
        "color": {"condition": {"test": dark, "value": "white"}, "value": "#222"},
    }
    layers = [
        charts.layer("rect", {**place, "color": colour, "tooltip": charts.tooltip(told)}, stroke="white"),
        charts.layer("text", {**place, **text}, fontSize=13 if len(names[1]) <= _LARGE_NUMBERS else 9),
    ]
    return charts.of_rows(head, rows, layers, height=height(names[0]))
