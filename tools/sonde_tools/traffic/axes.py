"""Axes and words of the pictures of traffic."""

from sonde_tools.charts import channel, significant

# Further below zero only the table and the hover box go, or one interval would press all others to the top.
LOWEST_HIT_RATE = -1.0

# The titles of axes above one another stand in one line.
_LABELS_PIXELS = 44

TOOLTIP = {"series": "series", "t_text": "at", "median_text": "median", "range_text": "lowest to highest",
           "intervals": "intervals"}  # fmt: skip


def seconds(title, lines):
    """The channel x (object) of time."""
    first, last = min(_values(lines, "t")), max(_values(lines, "t"))
    room = 0.5 if first == last else 0.004 * (last - first)
    look = {"tickCount": 10, "format": "~r", "labelSeparation": 10, "grid": False, "scale": {"zero": False}}
    return channel("t", title, first - room, last + room, **look)


def gbps(lines, title, between=None):
    """The channel y (object) of traffic from zero on; between: pixels of its foot and its head, all where None."""
    highest = max([*_values(lines, "maximum"), 1e-9])
    return _y(title, [0, 1.04 * highest], between, {"tickCount": 6, "format": "~r"})


def hit_rate(lines, within=None, between="minimum"):
    """The channel y (object) of hit rates: 0 to 100 %, and as far beyond as any is drawn; within: as between of gbps."""
    lowest = max(min([0.0, *_values(lines, between)]), LOWEST_HIT_RATE)
    highest = min(max([1.0, *_values(lines, "maximum" if between == "minimum" else between)]), 1 - LOWEST_HIT_RATE)
    return _y("hit rate", [1.04 * lowest, 1.02 * highest], within, {"tickCount": 5, "format": "~%"})


def _y(title, domain, pixels, look):
    scale = {"zero": False, **({"range": pixels} if pixels else {})}
    return channel(None, title, *domain, scale=scale, orient="left", grid=True, minExtent=_LABELS_PIXELS, **look)


def _values(lines, name):
    return [value for line in lines for value in line.numbers.get(name, []) if value is not None]


def text(name, expression):
    """A transform (object) that says a value of a row in words."""
    return {"calculate": expression, "as": f"{name}_text"}


def measured(is_share, unit):
    """Transforms for median and range; is_share: the expression that tells hit rates from values of the unit."""

    def said(name):
        share = f"format(100 * datum.{name}, '.1f') + ' %'"
        return f"(isValid(datum.{name}) ? ({is_share}) ? {share} : {significant(name)} + ' {unit}' : '–')"

    return [text("median", said("median")), text("range", f"{said('minimum')} + ' to ' + {said('maximum')}")]
