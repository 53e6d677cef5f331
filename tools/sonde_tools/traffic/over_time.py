"""Pictures over time: traffic with the hit rate below it, and the hit rates of several runs over one another."""

import polars

from sonde_tools import charts, formats
from sonde_tools.pictures import Line, Picture
from sonde_tools.traffic import axes
from sonde_tools.traffic.runs import gbps

# Fabric blue, memory orange, what is written paler; the hit rate green.
SERIES = {
    "fabric_read": ("fabric read", "#0072b2"),
    "fabric_write": ("fabric written", "#3aa0dc"),
    "memory_read": ("memory read", "#d55e00"),
    "memory_write": ("memory written", "#b8860b"),
    "hit_rate": ("hit rate", "#009e73"),
}
# A picture of a long series has so many columns of pixels.
COLUMNS = 1000
# Several runs over one another have so few that each is a line, and not a cloud.
FEW_COLUMNS = 250
# A browser is slow with more things to point at.
_HOVERED = 250
# Shares of the height, from above: where traffic ends and the hit rate begins.
_TRAFFIC_TO, _HIT_RATE_FROM = 0.6, 0.67


def shown(run):
    """The columns of SERIES that the run knows."""
    return [name for name in SERIES if run.knows(name)]


def one(run, head):
    """The Picture of one run, which knows at least one of SERIES; head: title and subtitle's lines."""
    lines = [Line(SERIES[name][0], False, [], reduced(run.intervals, name)) for name in shown(run)]
    palette = dict(SERIES[name] for name in shown(run))
    traffic = [line for line in lines if line.series != "hit rate"]
    rates = [line for line in lines if line.series == "hit rate"]
    both = bool(traffic and rates)
    height = charts.HEIGHT_PIXELS
    x = axes.seconds("seconds", lines)
    layers = [*charts.simulated_word({run.is_model}), *_baseline(run, x)]
    if traffic:
        y = axes.gbps(traffic, "traffic, GB/s", [_TRAFFIC_TO * height, 0] if both else None)
        layers.append(_panel(palette, x, y, "datum.series != 'hit rate'", "traffic"))
    if rates:
        y = axes.hit_rate(rates, [height, _HIT_RATE_FROM * height] if both else None)
        layers.append(_panel(palette, x, y, "datum.series == 'hit rate'", "rates"))
    texts = [axes.text("t", "format(datum.t, ',.4~f') + ' s'"), *axes.measured("datum.series == 'hit rate'", "GB/s")]
    return _picture(head, layers, palette, lines, texts, head_pixels=14 if run.baseline.height else 0)


def several(runs, palette, head):
    """The Picture of the hit rates of several runs, each from the end of its baseline on; palette: label: colour."""
    lines = [
        Line(run.label, False, [], reduced(run.work, "hit_rate", FEW_COLUMNS, run.began))
        for run in runs
    ]  # fmt: skip
    across = axes.seconds("seconds", lines)
    panel = _panel(palette, across, axes.hit_rate(lines, between="median"), None, "rates", band=False)
    layers = [*charts.simulated_word({run.is_model for run in runs}), panel]
    texts = [axes.text("t", "format(datum.t, ',.4~f') + ' s'"), *axes.measured("true", "")]
    return _picture(head, layers, palette, lines, texts)


def _picture(head, layers, palette, lines, texts, head_pixels=0):
    framed = charts.frame(head, layers, head_pixels=head_pixels, names=palette)
    last = layers[-1]["name"]
    # Traffic and hit rate share the time and nothing else.
    framed["resolve"] = {"scale": {"y": "independent"}}
    return Picture(charts.interactive(framed, palette, texts, f"curve_{last}", f"hovered_{last}"), lines)


def _panel(palette, x, y, own, name, band=True):
    """Layers of curves that share an axis; own: the expression that tells their rows, or None for all."""
    encoding = {"x": x, "y": {**y, "field": "median"}, "color": charts.colour(palette)}
    # A row without a number breaks the line: nothing is known there, which is no zero.
    broken = {"invalid": "break-paths-show-domains", "clip": True}
    layers = [
        {"name": f"curve_{name}", **charts.layer("line", encoding, strokeWidth=1.6, strokeJoin="round", **broken)},
        charts.points(encoding, "datum.alone", size=24, clip=True),
        {"name": f"hovered_{name}", **charts.hovered(encoding, axes.TOOLTIP, "datum.hovered", size=90, clip=True)},
    ]
    if band:
        spread = {**encoding, "y": {**y, "field": "minimum"}, "y2": {"field": "maximum"}}
        layers.insert(0, charts.layer("area", spread, opacity=0.25, **broken))
    return {"name": name, "layer": layers, **({"transform": [{"filter": own}]} if own else {})}


def _baseline(run, across):
    """The idle baseline as a grey field with its name."""
    if run.baseline.is_empty():
        return []
    first, last = run.baseline["t"][0] - run.baseline["dt"][0], run.baseline["t"][-1]
    place = {"data": {"values": [{"begin": max(first, across["scale"]["domain"][0]), "end": last}]}}
    x = {**across, "field": "begin"}
    return [
        place | charts.layer("rect", {"x": x, "x2": {"field": "end"}}, color="#888", opacity=0.16, clip=True),
        place | charts.layer("text", {"x": x, "y": {"value": -4}}, text="idle baseline", align="left", baseline="bottom",
                             color="#5b6470", clip=False, fontSize=12),
    ]  # fmt: skip


def legend(run):
    """What the picture shows, in sentences."""
    found = []
    if len(run.intervals) > COLUMNS:
        found.append(
            "Line: the median of the intervals at one place of the picture; band: from the lowest to the highest of them."
        )
    else:
        found.append("Each interval is a point of the lines.")
    if run.baseline.height:
        found.append("Grey: the idle baseline, taken before what was watched began.")
    if run.knows("hit_rate") and run.intervals["hit_rate"].null_count():
        found.append("Where a line is broken, nothing is known.")
    if scaled := run.intervals["scaled"].sum():
        found.append(
            f"In {scaled:,} of {len(run.intervals):,} intervals the kernel scaled what it counted for a part of the time."
        )
    if scales := sorted({scale for scale in run.intervals["scale"].drop_nulls() if scale != 1}):
        factor = formats.span(scales[0], scales[-1], lambda scale: f"{scale:g}")
        found.append(f"Fewer stations were counted at once than there are: bytes are what was counted times {factor}.")
    if run.knows("hit_rate") and (lowest := run.intervals["hit_rate"].min()) < axes.LOWEST_HIT_RATE:
        found.append(beyond(lowest))
    return " ".join(found)


def beyond(lowest):
    """A sentence on the lowest hit rate, which is not drawn."""
    return f"Beyond the picture: hit rates down to {formats.percent(lowest)}."


def reduced(intervals, name, count=COLUMNS, zero=0.0):
    """Lists by name for a Line, a row a column of pixels: t, median, minimum and maximum (null where unknown), intervals.

    name: of bytes, which become GB/s, or of another column. zero: the time that is 0 in the picture. A row without
    numbers stands where intervals are missing; alone says that a value has no neighbour to draw a line to, hovered that
    a pointer finds it.
    """
    value = polars.col(name).alias(name) if name in ("hit_rate", "cpu_latency_ns") else gbps(name)
    rows = (
        intervals.with_columns(value, _column(intervals, count).alias("column"))
        .group_by("column", maintain_order=True)
        .agg(
            polars.col("t").mean(), polars.col(name).median().alias("median"), polars.col(name).min().alias("minimum"),
            polars.col(name).max().alias("maximum"), polars.len().alias("intervals"), polars.col("gap").first(),
            begin=polars.col("t").first(),
        )
    )  # fmt: skip
    before = rows.filter(polars.col("gap").fill_null(False)).select("column", t=polars.col("begin"))
    ordered = (
        polars.concat([before, rows.drop("gap", "begin")], how="diagonal")
        .sort("column", "t", maintain_order=True)
        .with_columns((polars.col("t") - zero).round(6))
    )
    unknown = polars.col("median").is_null()
    alone = ~unknown & unknown.shift(1, fill_value=True) & unknown.shift(-1, fill_value=True)
    hovered = polars.int_range(polars.len()) % (1 + len(ordered) // _HOVERED) == 0
    ordered = ordered.with_columns(
        alone=polars.when(alone).then(True), hovered=polars.when((hovered | alone) & ~unknown).then(True)
    ).drop("column")
    return {each.name: each.to_list() for each in ordered if each.null_count() < len(each)}


def _column(intervals, count):
    """Which column of pixels an interval is in; of few each has its own."""
    if len(intervals) <= count:
        return polars.int_range(len(intervals), dtype=polars.Int64)
    first, last = intervals["t"][0], intervals["t"][-1]
    share = (polars.col("t") - first) / ((last - first) or 1.0)
    return (share * count).clip(0, count - 1).cast(polars.Int64)
