"""The report's section on the last cache before memory: the share of loads that it serves over the working set."""

import itertools
from dataclasses import replace

from sonde_tools import axes, charts, formats, marks, parts, pivot, series, style
from sonde_tools.devices import series_name
from sonde_tools.sections import Figure, Section

_CAPACITY = "effective-capacity"
# A share of hits that is none.
_NOTHING = 0.01
# Lines of the theory are drawn through so many points.
_THEORY_POINTS = 60
_LARGEST_STEP = 2.05


def shares(view):
    """The random walk's labelled shares: 'OpenCL, alloc-host-ptr', one by timing and maybe one by counters."""
    return [entry for entry in _all_shares(view) if not _is_stream(entry)]


def _is_stream(entry):
    return entry.word("path") == "buffer"


def _all_shares(view):
    found = []
    for entry in view.of("hit-rate", "ratio", "bytes"):
        # Order and writer are the same of all.
        words = {key: word for key, word in entry.series.items() if key == "memory"}
        name = series_name(replace(entry.curve, series=words), view.is_model)
        stream = f", {entry.word('pattern')}" if _is_stream(entry) else ""
        found.append(entry.with_points(entry.points, name + stream))
    return found


def _is_counted(entry):
    return entry.word("method") == "counters"


def _capacities(view):
    """{label: finding} of the curves of which timing tells what the cache holds."""
    found = {}
    for recording, finding in view.findings:
        if finding["finding"] != _CAPACITY or not finding.get("value"):
            continue
        for entry in shares(view):
            own = entry.curve.api, entry.curve.probe, *_method_and_memory(entry.series)
            place = finding.get("api"), finding.get("probe"), *_method_and_memory(finding.get("series") or {})
            if entry.recording is recording and own == place and not _is_counted(entry):
                found[entry.label] = finding
    return found


def _method_and_memory(words):
    return series.word(words, "method"), series.word(words, "memory")


def _theory(finding, largest_bytes):
    """(bytes, share) of uniformly random loads that reach a cache which holds so much, beyond its size."""
    details = finding.get("details") or {}
    held, before = finding["value"], details.get("before_bytes") or 0
    if not before < held < largest_bytes:
        return []
    sizes = [held * (largest_bytes / held) ** (step / _THEORY_POINTS) for step in range(_THEORY_POINTS + 1)]
    return [(size, (held - before) / (size - before)) for size in sizes]


def _summary(view):
    palette = charts.colours(shares(view))
    found = []
    for label, finding in _capacities(view).items():
        text = f"{label}: holds {formats.size(finding['value'])}"
        share = (finding.get("details") or {}).get("share_of_stated")
        found.append((palette[label], text + (f", {100 * share:.0f} % of what is stated" if share else "")))
    return found


def _chart(view):
    if _is_empty(view):
        return None
    return _drawn(view, shares(view), "hit rate of the last cache before memory", _legend(view))


def _is_empty(view):
    """Whether a picture would be a few points at nothing."""
    points = [point for entry in shares(view) for point in entry.points]
    few = all(len(entry.points) < charts.FEWEST_JOINED for entry in shares(view))
    return few and not _capacities(view) and all(abs(point.band["value"]) < _NOTHING for point in points)


def _drawn(view, entries, what, text):
    palette = charts.colours(entries)
    rows = [
        _row(entry, point) | {"piece": piece}
        for entry in entries
        for point, piece in zip(entry.points, _joined(entry.points), strict=True)
    ]
    largest = max(row["bytes"] for row in rows)
    theory = [
        {"series": label, "bytes": size, "share": share}
        for label, finding in _capacities(view).items()
        if label in palette
        for size, share in _theory(finding, largest)
    ]
    sizes = _sizes(_capacities(view), palette)
    lowest = min(0, *(row["low"] for row in rows))
    highest = max(1, *(row["high"] for row in rows))
    x_axis, x_scale = axes.SIZE.axis([row["bytes"] for row in [*rows, *sizes]])
    x = {"field": "bytes", "type": "quantitative", "title": "working set", "axis": x_axis, "scale": x_scale}
    about = {"type": "quantitative", "title": "share that the last cache serves",
             "axis": {"format": ".0%"}, "scale": {"domain": [lowest, highest], "nice": False}}  # fmt: skip
    y = {"field": "share", **about}
    curve = {"x": x, "y": y, "color": charts.colour(palette)}
    apart = {"detail": {"field": "piece", "type": "nominal"}}
    titles = {
        "series": "series",
        "size_text": "working set",
        "share_text": "share of hits",
        "interval_text": "interval",
    }
    layers = [
        *charts.simulated_mark(entries),
        *_size_layers(sizes, x, y),
        charts.layer("rule", {**curve, "y": {"field": "low", **about}, "y2": {"field": "high"}}, opacity=0.45, strokeWidth=3,
                     clip=True),
        {"data": {"values": theory},
         **charts.layer("line", {"x": x, "y": y, "color": {"field": "series", "type": "nominal"}}, strokeDash=[1, 3],
                        strokeWidth=1.8, clip=True)},
        *(charts.layer("line", {**curve, **apart}, f"datum.dashed === {truth} && !datum.counted", strokeWidth=1.8, clip=True, **look)
          for truth, look in (("false", {}), ("true", {"strokeDash": style.DASH}))),
        charts.layer("line", {**curve, **apart}, "datum.counted", strokeWidth=1, opacity=0.6, clip=True),
        charts.points(curve, "!datum.disturbed && !datum.counted", size=40),
        charts.points(curve, "datum.counted", shape="diamond", size=64),
        charts.points({**curve, "color": {"field": "series", "type": "nominal"}}, "datum.disturbed && !datum.counted",
                      filled=False, fill="white", size=44, strokeWidth=1.5),
        charts.hovered(curve, titles),
    ]  # fmt: skip
    return charts.of_rows(parts.head(view, what, text), rows, layers, palette)


def _joined(points):
    """The number of each point's piece: a straight line over a wide gap would cut off what the curve does there."""
    found = [0]
    for point, after in itertools.pairwise(points):
        found.append(found[-1] + (after.x["bytes"] > _LARGEST_STEP * point.x["bytes"]))
    return found


def _sizes(capacities, palette):
    """A row for each size of a cache that was found, and for each that is stated: the names have a line each."""
    found, stated = [], {}
    for label, finding in capacities.items():
        if label in palette:
            whose = f"{label.split(', ')[-1]}:" if len(capacities) > 1 else "holds"
            name = f"{whose} {formats.size_short(finding['value'])}"
            found.append({"series": label, "bytes": finding["value"], "low": finding.get("low") or finding["value"],
                          "high": finding.get("high") or finding["value"], "name": name, "colour": palette[label]})  # fmt: skip
            if share := (finding.get("details") or {}).get("share_of_stated"):
                size = finding["value"] / share
                stated[f"stated: {formats.size_short(size)}"] = {
                    "series": label, "bytes": size, "low": size, "high": size, "colour": marks.NEUTRAL
                }  # fmt: skip
    found += [{**row, "name": name} for name, row in stated.items()]
    return [
        {**row, "name_y": 0.6 - 0.06 * number, "text_colour": style.text_colour(row["colour"])}
        for number, row in enumerate(found)
    ]


def _size_layers(sizes, x, y):
    """A rule at each size, the interval around it as a band, and its name to the left, below the curves."""
    data = {"data": {"values": sizes}}
    colour = {"field": "colour", "type": "nominal", "scale": None}
    at = {"x": x, "stroke": colour}
    # To the right of its rule where it would not fit to the left of it.
    fits = f"scale('x', datum.bytes) > {marks.CHARACTER_PIXELS} * length(datum.name) + 10"
    return [
        data | charts.layer("rect", {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "fill": colour}, opacity=0.13, clip=True),
        data | charts.layer("rule", at, strokeWidth=1, clip=True),
        data | charts.layer("text", {"x": x, "y": {**y, "field": "name_y"}, "fill": {**colour, "field": "text_colour"},
                                     "text": {"field": "name", "type": "nominal"}}, fontSize=12,
                             align={"expr": f"{fits} ? 'right' : 'left'"}, dx={"expr": f"{fits} ? -6 : 6"}),
    ] if sizes else []  # fmt: skip


def _row(entry, point):
    share = point.band
    return {
        "series": entry.label, "counted": _is_counted(entry), "dashed": style.is_dashed(entry.curve.api), "bytes": point.x["bytes"],
        "share": share["value"], "low": share["low"], "high": share["high"],
        "disturbed": point.disturbed, "size_text": formats.size(point.x["bytes"]), "share_text": _percent(share["value"]),
        "interval_text": f"{_percent(share['low'])} to {_percent(share['high'])}",
    }  # fmt: skip


def _percent(share):
    return f"{100 * share:.1f} %"


def _legend(view):
    if _is_empty(view):
        return "No cache served anything at the few sizes that were measured; the table has them."
    text = "Circles: from latency, with the interval that another run's lies in."
    if _capacities(view):
        text += " Rules: what the cache holds, and what is stated. Dotted: uniformly random loads of a cache that holds so much."
    if any(_is_counted(entry) for entry in shares(view)):
        text += " Diamonds: by counters, what the fabric asked for and memory did not move, with quartiles."
    if any(point.disturbed for entry in shares(view) for point in entry.points):
        text += " Hollow points: other programs were using the CPU, or its core."
    return text


def _tables(view):
    return pivot.tables(view.of("hit-rate", "ratio", "bytes"))


def _further(view):
    streams = [entry for entry in _all_shares(view) if _is_stream(entry)]  # which only counters tell
    if not streams:
        return []
    heading = f"{'Simulated hit rate' if view.is_model else 'Hit rate'} of streams, by counters"
    text = "Diamonds: medians of what counters saw at the fabric and at memory, with quartiles."
    return [Figure("streams", heading, _drawn(view, streams, "hit rate of streams", text), text)]


HIT_RATE = Section(
    "hit-rate", "Hit rate of the last cache", lambda view: bool(shares(view)), _summary, _chart, _legend, _tables, _further
)  # fmt: skip
