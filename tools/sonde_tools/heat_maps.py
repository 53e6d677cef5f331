"""Matrices as pictures, a cell with its number for each pair; and those from the cores to the memory of NUMA nodes."""

from sonde_tools import charts, formats, parts
from sonde_tools.sections import Figure

_WHAT = {"ns": "Latency from node to node", "GB/s": "Reading from node to node"}
# Numbers fit so many cells side by side.
_LARGE_NUMBERS = 16


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
    # Room for a row each, within what fits a page.
    return charts.of_rows(head, rows, layers, height=min(900, max(160, 30 * len(names[0]))))


def of_latest(view, probe, unit):
    """The labelled curves of nodes in the latest file that has any."""
    return view.latest([entry for entry in view.of(probe, unit) if "placement" in entry.series])


def matrix(view, probe, unit):
    """{(from, to): Point} of the nodes' numbers."""
    points = [point for entry in of_latest(view, probe, unit) for point in entry.points]
    return {
        (int(each.x["from"]), int(each.x["to"])): each for each in points if {"from", "to", "bytes"} <= each.x.keys()
    }


def figures_of_nodes(view, probe, unit):
    """The heat map, where there are several nodes."""
    points = matrix(view, probe, unit)
    if not points:
        return []
    names = tuple([str(node) for node in sorted({pair[end] for pair in points})] for end in (0, 1))
    rows = [
        {"from": str(start), "to": str(end), "value": point.median, "text": formats.significant(point.median),
         "range_text": f"{formats.significant(point.minimum)} to {formats.significant(point.maximum)}",
         "size_text": formats.size(point.x["bytes"]), "disturbed": point.disturbed}
        for (start, end), point in points.items()
    ]  # fmt: skip
    heading = f"{_WHAT[unit]}, {unit}"
    head = (f"{view.record['name']}: {heading[0].lower()}{heading[1:]}", [" · ".join(parts.dates(view)), "Medians."])
    across = ("memory of node", "cores of node", unit)
    told = {"from": "cores of node", "to": "memory of node", "text": unit, "range_text": f"lowest to highest, {unit}",
            "size_text": "working set", "disturbed": "disturbed"}  # fmt: skip
    picture = heat_map(head, names, rows, across, told, darker="high" if unit == "ns" else "low")
    return [Figure("nodes", heading, picture, "Rows are whose cores, columns whose memory.")]
