"""What pictures of the CPU's latency in windows share: percentiles of a point, and both over the bandwidth of a load."""

import statistics

from sonde_tools import charts, formats

# Bands are drawn up to so many times the usual one's end.
_MOST_OVER_USUAL = 2


def percentile(values, percent):
    """The value that so many percent do not exceed, linear between neighbours."""
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def percentiles(point):
    """A point's p50, p90 and p99 in nanoseconds, by these names."""
    return {"p50": point.median, "p90": percentile(point.values, 90), "p99": percentile(point.values, 99)}


def said(point):
    """The fields of a row that tell a point: its percentiles, as numbers and as texts, and of how many windows."""
    found = percentiles(point)
    texts = {f"{name}_text": formats.significant(value) for name, value in found.items()}
    return {"windows": len(point.values), **found, **texts}


def highest_shown(rows):
    """The highest latency in the picture, ns: of a few points' p90 and p99 far above the others only the foot is drawn,
    or one busy moment would press all lines to the bottom."""
    bands = ([row[percent] for row in rows] for percent in ("p90", "p99"))
    usual = (min(max(band), _MOST_OVER_USUAL * statistics.median(band)) for band in bands)
    return max(max(row["p50"] for row in rows), *usual)


def channels(rows, palette, x_title, y_title):
    """The channels of layers (objects): what is coloured over the bandwidth, p50, and p90 up to which a band goes."""
    domain = [0.9 * min(row["p50"] for row in rows), 1.04 * highest_shown(rows)]
    about = {"type": "quantitative", "scale": {"domain": domain, "nice": False}, "title": y_title}
    highest = max([1e-9, *(row["gbps"] for row in rows)])
    x = {"field": "gbps", "type": "quantitative", "title": x_title, "axis": {"tickCount": 8},
         "scale": {"domain": [-0.015 * highest, 1.04 * highest], "nice": False}}  # fmt: skip
    return {"x": x, "color": charts.colour(palette)}, {"field": "p50", **about}, {"field": "p90", **about}
