"""Pictures of the CPU's latency in windows: percentiles of each point over the bandwidth of a load."""

import statistics

from sonde_tools import charts, formats, panels

# Bands are drawn up to so many times the usual one's end.
_MOST_OVER_USUAL = 2


def percentile(values, percent):
    """The value that so many percent do not exceed, linear between neighbours."""
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def row(name, point, kind, gbps, **further):
    """A row (object) of the picture: a point of the series `name`, of a kind, beside a load of so much."""
    found = {
        "p50": point.median,
        "p90": percentile(point.values, 90),
        "p99": percentile(point.values, 99),
        "gbps": gbps,
    }
    texts = {f"{key}_text": formats.significant(value) for key, value in found.items()}
    return {"series": name, "kind": kind, "windows": len(point.values), **found, **texts, **further}


def highest_shown(rows):
    """The highest latency in the picture, ns: one busy moment far above the others would press all lines to the bottom."""
    bands = ([row[percent] for row in rows] for percent in ("p90", "p99"))
    usual = (min(max(band), _MOST_OVER_USUAL * statistics.median(band)) for band in bands)
    return max(max(row["p50"] for row in rows), *usual)


def picture(head, rows, palette, axes, titles, kinds, apart, simulated=(), height=charts.HEIGHT_PIXELS):
    """The Picture of such rows: a line a series, with bands up to p90 and p99, and points of each kind.

    Where there are several series each has a panel, as bands that overlap are nobody's.

    axes: the titles of both; titles: {field: title} of what a reader hovers over; kinds: {kind: how its points look};
    apart: the kind that is in no line; simulated: set of whether what is drawn is of a model.
    """
    said = axes, titles, kinds, apart
    names = list(dict.fromkeys(row["series"] for row in rows))
    if len(names) == 1:
        layers = [*charts.simulated_word(simulated), *_layers(rows, rows, charts.colour(palette), *said)]
        return charts.of_rows(head, rows, layers, palette, height)
    colour, word = {**charts.colour(palette), "legend": None}, charts.simulated_word(simulated, corner=True)
    found = []
    for name in names:
        own = [row for row in rows if row["series"] == name]
        found.append((name, [*word, *_layers(rows, own, colour, *said)], [name]))
    return panels.panels(head, found, {}, rows)


def _layers(rows, own, colour, axes, titles, kinds, apart):
    """The layers of some rows of a picture, which share the axis of latency with all."""
    highest = max((row["gbps"] for row in own), default=0) or 1
    x = charts.channel("gbps", axes[0], -0.015 * highest, 1.04 * highest, tickCount=8)
    y = charts.channel("p50", axes[1], 0.9 * min(row["p50"] for row in rows), 1.04 * highest_shown(rows))
    curve = {"x": x, "y": y, "color": colour}
    lines = f"datum.kind != '{apart}'"
    few = sum(row["kind"] != apart for row in own) < charts.FEWEST_JOINED
    band, look = ("rule", {"clip": True, "strokeWidth": 8}) if few else ("area", {"clip": True})
    return [
        charts.layer(band, {**curve, "y": {**y, "field": "p90"}, "y2": {"field": "p99"}}, lines, opacity=0.12, **look),
        charts.layer(band, {**curve, "y2": {"field": "p90"}}, lines, opacity=0.22, **look),
        *([] if few else [charts.layer("line", curve, lines, strokeWidth=1.8, clip=True)]),
        *(charts.points(curve, f"datum.kind == '{kind}'", **look) for kind, look in kinds.items()),
        charts.hovered(curve, {**titles, "p50_text": "p50, ns", "p90_text": "p90, ns", "p99_text": "p99, ns",
                               "windows": "windows"}, clip=True),
    ]  # fmt: skip
