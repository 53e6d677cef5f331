"""The report's section on the roofline: what is computed of what each level delivers, by operations a byte."""

import json
import math
from dataclasses import dataclass

from sonde_tools import axes, charts, compute, findings, formats, marks, parts, pivot, series, style
from sonde_tools.devices import LabelledCurve
from sonde_tools.sections import Section

_ACROSS = "operations_per_byte"
# Two names closer than this would be drawn over one another.
_NAME_PIXELS = 15
# Rates of types that differ by less share a name.
_ALIKE = 1.04


@dataclass(frozen=True)
class Roof:
    """A level of one API's device: its name, GB/s, and the points below it, in Gop/s by operations a byte.

    ridge: operations a byte from which on fp32 is the lower roof, as the run concluded; None where it did not.
    """

    level: str
    size_bytes: float
    gbps: float
    ridge: float | None
    points: list


@dataclass(frozen=True)
class Roofline:
    """All that one API's device says: the name in the legend, roofs nearest first, and {type: Gop/s}."""

    label: str
    entry: LabelledCurve
    roofs: list
    peaks: dict

    def lower_roof(self, roof, operations):
        """Gop/s that fp32, of which the points are, could reach from a level at so many operations a byte."""
        return min(self.peaks.get("fp32") or max(self.peaks.values()), roof.gbps * operations)


def rooflines(view):
    """A Roofline for each API of each file that has levels and a rate of fp32."""
    runs, found = {}, []
    for entry in view.curves:
        if entry.curve.probe == "compute":
            runs.setdefault((entry.curve.api, entry.recording.path), []).append(entry)
    for (api, path), entries in runs.items():
        ridges = {
            series.word(finding.get("series"), "level"): finding
            for recording, finding in view.findings
            if finding["finding"] == "ridge" and finding.get("api") == api and recording.path == path
        }
        peaks, roofs = compute.peaks(entries), _roofs(entries, ridges)
        if roofs and peaks:
            several = sum(1 for other, _ in runs if other == api) > 1
            name = "Simulated" if view.is_model else view.api_name(api)
            label = f"{name} ({entries[0].recording.path.stem})" if several else name
            of_level = next(entry for entry in entries if "level" in entry.series)
            found.append(Roofline(label, LabelledCurve(label, of_level.curve, of_level.recording), roofs, peaks))
    return found


def _roofs(entries, ridges):
    levels = {}
    for entry in entries:
        for point in entry.points if "level" in entry.series else []:
            gbps, points = levels.setdefault((entry.series["level"], point.x.get("bytes", 0)), ([], []))
            (points if point.x.get(_ACROSS) else gbps).append(point)
    found = []
    for (level, size_bytes), (gbps, points) in levels.items():
        if gbps and points:
            # The run's own conclusion of the level goes before what was read without operations.
            ridge = ridges.get(level) or {}
            concluded = (ridge.get("details") or {}).get("gbps", gbps[0].median)
            found.append(Roof(level, size_bytes, concluded, ridge.get("value"), points))
    return sorted(found, key=lambda roof: roof.size_bytes)


def _palette(found):
    """{level: colour}, the nearest first."""
    return style.palette(dict.fromkeys(roof.level for one in found for roof in one.roofs))


def _summary(view):
    found = rooflines(view)
    lines = []
    for one in found:
        said = [f"{formats.significant(roof.ridge)} from {roof.level}" for roof in one.roofs if roof.ridge]
        text = f"{one.label}: fp32 needs {', '.join(said)} operations a byte until arithmetic is the limit"
        lines += [(marks.NEUTRAL, text)] if said else []
    return lines


def _chart(view):
    found = rooflines(view)
    bounds = _bounds(found)
    head = parts.head(view, "roofline", parts.medians([one.entry for one in found], band=False))
    several = len(found) > 1
    rows = [row for one in found for row in (*_slopes(one, bounds, several), *_points(one))]
    rows += _named_once([row for one in found for row in _flats(one, bounds)], several)
    palette = _palette(found)
    # Names of slopes lie below them and those of flat roofs above, and move further that way.
    _move_apart([row for row in rows if row["part"] == "slope"], bounds, -1)
    _move_apart([row for row in rows if row["part"] == "flat" and row["name"]], bounds, 1)
    layers = [*charts.simulated_mark([one.entry for one in found]), *_layers(found, palette, bounds)]
    return charts.of_rows(head, rows, layers, palette)


def _bounds(found):
    """((least, most) operations a byte, (least, most) Gop/s) of the picture."""
    across = [point.x[_ACROSS] for one in found for roof in one.roofs for point in roof.points]
    left, right = min(across) / 1.5, max(across) * 8
    values = [point.median for one in found for roof in one.roofs for point in roof.points]
    lows = [*values, *(roof.gbps * left for one in found for roof in one.roofs), *_flat_rates(found)]
    return (left, right), (min(lows) / 2, max(*values, *_flat_rates(found)) * 1.6)


def _flat_rates(found):
    return [rate for one in found for rate in one.peaks.values()]


def _row(one, part, name, place, level="", **further):
    x, y = place
    return {
        "series": level,
        "api": one.label,
        "dashed": style.is_dashed(one.entry.curve.api),
        "part": part,
        "name": name,
        "x": x,
        "y": y,
        "x2": x,
        "y2": y,
        "name_y": y,
        **further,
    }


def _slopes(one, bounds, several):
    """Rows of the slopes, from the left edge to where the highest flat roof is met; several: whether there are APIs."""
    (left, right), _ = bounds
    for roof in one.roofs:
        end = min(right, max(one.peaks.values()) / roof.gbps)
        name = f"{roof.level}{', ' + one.label if several else ''}: {formats.gbps(roof.gbps)}"
        if end > left:
            yield _row(one, "slope", name, (left, roof.gbps * left), roof.level, x2=end, y2=roof.gbps * end)


def _flats(one, bounds):
    """Rows of the flat roofs, from the fastest level's ridge to the right edge."""
    (left, right), _ = bounds
    for name, rate in one.peaks.items():
        start = min(max(left, rate / max(roof.gbps for roof in one.roofs)), right)
        yield _row(one, "flat", name, (start, rate), x2=right)


def _named_once(flats, several):
    """The rows with the words at their ends: types of about the same rate share those of the highest of them."""
    ordered, groups = sorted(flats, key=lambda row: -row["y"]), []
    for row in ordered:
        if groups and groups[-1][0]["y"] < _ALIKE * row["y"]:
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        types = ", ".join(dict.fromkeys(row["name"] for row in group))
        apis = list(dict.fromkeys(row["api"] for row in group))
        whose = f", {apis[0]}" if several and len(apis) == 1 else ""
        for row in group:
            row["name"] = ""
        group[0]["name"] = f"{types}{whose}: {formats.significant(group[0]['y'])} Gop/s"
    return ordered


def _points(one):
    for roof in one.roofs:
        for point in roof.points:
            operations = point.x[_ACROSS]
            share = point.median / one.lower_roof(roof, operations)
            yield _row(one, "point", "", (operations, point.median), roof.level, disturbed=point.disturbed,
                       at_text=formats.significant(operations), median_text=formats.significant(point.median),
                       share_text=formats.significant(share),
                       size_text=formats.size(roof.size_bytes))  # fmt: skip


def _move_apart(rows, bounds, way):
    """Names that would lie over one another move up (way 1) or down (-1)."""
    low, high = bounds[1]
    step = math.log(high / low) * _NAME_PIXELS / charts.HEIGHT_PIXELS
    last = -math.inf
    for row in sorted(rows, key=lambda row: way * row["y"]):
        last = max(way * math.log(row["y"]), last + step)
        row["name_y"] = math.exp(way * last)


def _layers(found, palette, bounds):
    (left, right), (low, high) = bounds
    x_axis = {"values": [2.0**power for power in range(math.ceil(math.log2(left)), math.floor(math.log2(right)) + 1)],
              "labelExpr": "datum.value < 1 ? '1/' + round(1 / datum.value) : format(datum.value, 'd')"}  # fmt: skip
    ticks = [tick for tick in axes.log_ticks(low, high) if low <= tick <= high]
    x = {"field": "x", "type": "quantitative", "title": "operations a byte", "axis": x_axis,
         "scale": {"type": "log", "base": 2, "domain": [left, right], "nice": False}}  # fmt: skip
    y = {"field": "y", "type": "quantitative", "title": "rate, Gop/s",
         "axis": {"values": ticks, "labelExpr": "format(datum.value, '~r')", "labelOverlap": "parity"},
         "scale": {"type": "log", "domain": [low, high], "nice": False}}  # fmt: skip
    colour, named = charts.colour(palette), {"field": "series", "type": "nominal"}
    told = {"api": "API", "series": "level", "size_text": "working set", "at_text": "operations a byte",
            "median_text": "median, Gop/s", "share_text": "of the lower roof"}  # fmt: skip
    shapes = style.markers([one.entry for one in found])
    api = {"field": "api", "type": "nominal", "scale": {"domain": list(shapes), "range": list(shapes.values())}}
    shape = {**api, "legend": {"title": None, "orient": "top", "symbolSize": 110} if len(found) > 1 else None}

    def of(part, also=""):
        return f"datum.part == '{part}'{also}"

    def name(part, where, colour, **look):
        place = {"x": where, "y": {**y, "field": "name_y"}, "text": {"field": "name", "type": "nominal"}}
        # The white outline keeps lines out of the text.
        outline = {"stroke": "white", "strokeWidth": 5, "strokeJoin": "round", "color": "white"}
        return [charts.layer("text", place, of(part), fontSize=12, **look, **outline),
                charts.layer("text", {**place, **colour}, of(part), fontSize=12, **look)]  # fmt: skip

    def rules(part, encoding, **look):
        looks = (("!datum.dashed", {}), ("datum.dashed", {"strokeDash": style.DASH}))
        return [
            charts.layer("rule", encoding, of(part, f" && {which}"), clip=True, **look, **dash) for which, dash in looks
        ]

    words = {
        "condition": [
            {"test": f"datum.series === {json.dumps(label)}", "value": style.text_colour(each)}
            for label, each in palette.items()
        ],
        "value": marks.NEUTRAL,
    }
    point, ends = {"x": x, "y": y, "color": named}, {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    return [
        *rules("slope", {**point, **ends, "color": colour}, strokeWidth=1.8),
        *rules("flat", {"x": x, "y": y, "x2": ends["x2"]}, strokeWidth=1.4, color=marks.NEUTRAL),
        charts.points({**point, "shape": shape}, of("point", " && !datum.disturbed"), size=60, clip=True),
        charts.points({**point, "shape": api}, of("point", " && datum.disturbed"),
                      filled=False, fill="white", size=64, strokeWidth=1.5, clip=True),
        *name("slope", x, {"color": words}, align="left", dx=24, dy=7),
        *name("flat", {**x, "field": "x2"}, {"color": {"value": marks.NEUTRAL}}, align="right", dy=-8),
        charts.hovered(point, told, of("point"), clip=True),
    ]  # fmt: skip


def _legend(view):
    text = (
        "Sloping: what a level delivers, times the operations made for each byte. Flat: the fastest multiply-adds of a "
    )
    text += "type. Points: multiply-adds of fp32 with what was read from the level. Both axes are logarithmic."
    return f"{parts.medians([one.entry for one in rooflines(view)], band=False)} {text}"


def _tables(view):
    points = [entry for entry in view.of("compute", "Gop/s", _ACROSS) if "level" in entry.series]
    return [*pivot.tables(points), *findings.tables(view, "compute")]


ROOFLINE = Section(
    "roofline", "Roofline", lambda view: bool(rooflines(view)), _summary, _chart, _legend, _tables, probes=("compute",)
)
