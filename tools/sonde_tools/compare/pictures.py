"""The pictures of a comparison: each feature's runs of both sides, and the curves of both sides over each other."""

from sonde_tools import charts, formats, series
from sonde_tools.compare.as_text import name, said
from sonde_tools.compare.kinds import SHARE
from sonde_tools.compare.verdicts import CHANGED, FASTER, SLOWER
from sonde_tools.curves import Curve, curves, fastest
from sonde_tools.devices import LabelledCurve

PALETTE = {"BASE": "#0072b2", "NEW": "#d55e00"}
_ROW_PIXELS = 30
# A curve of fewer points is a number.
_FEWEST_POINTS = 3
# A page of all of them takes longer to make than to read.
_MOST_CURVES = 8
_WORTH_A_CURVE = (CHANGED, SLOWER, FASTER)
_QUANTITIES = {"ns": "latency", "us": "time", "GB/s": "bandwidth", "Gop/s": "rate"}


def distributions(comparison, verdicts):
    """One row a feature: every run as its difference from BASE's median, and the change with its interval.

    None where no feature has numbers.
    """
    rows, changes, names = [], [], []
    for one in verdicts:
        if one.change_percent is None:
            continue
        names.append(_distinct(name(comparison, one), names))
        for side, observations in (("BASE", one.feature.base), ("NEW", one.feature.new)):
            rows += [_run_row(names[-1], side, each, one) for each in observations if each.value is not None]
        changes.append({"feature": names[-1], "verdict": one.verdict, **one.change_percent})
    if not rows:
        return None
    y = {"field": "feature", "type": "nominal", "sort": names, "title": None,
         "axis": {"labelLimit": 330, "grid": True}}  # fmt: skip
    side = {
        "y": y,
        "yOffset": {"field": "side", "type": "nominal", "scale": {"domain": list(PALETTE)}},
        "color": {"field": "side", "type": "nominal", "legend": {"title": None, "orient": "top"},
                  "scale": {"domain": list(PALETTE), "range": list(PALETTE.values())}},
    }  # fmt: skip
    title = "difference from BASE's median, % (of shares: points)"
    hovered = charts.tooltip({field: field for field in ("feature", "side", "text", "disturbed")})
    x = {"field": "low", "type": "quantitative", "title": title}
    between = {"x": x, "x2": {"field": "high"}}
    bars = charts.layer("bar", {"y": y, **between}, opacity=0.16, color="#5b6470", height=_ROW_PIXELS - 8)
    layers = [
        {"data": {"values": changes}, **bars},
        charts.layer("rule", {**side, **between}, strokeWidth=1.5, opacity=0.6),
        charts.points({**side, "x": {**x, "field": "difference"}, "tooltip": hovered}, size=46, opacity=0.85),
    ]
    return charts.of_rows(("Runs of both sides", []), rows, layers, PALETTE, _ROW_PIXELS * len(names))


def _distinct(text, taken):
    return text if text not in taken else _distinct(f"{text} ", taken)


def _run_row(feature, side, one, verdict):
    middle = verdict.base["value"]

    def difference(value):
        if verdict.feature.kind.compared_by == SHARE:
            return 100 * (value - middle)
        return 100 * (value / middle - 1)

    bounds = [one.value if bound is None else bound for bound in (one.low, one.high)]
    text = said({"value": one.value}, verdict.feature)
    # The intervals of single runs; of several the runs themselves show how they scatter.
    alone = len(verdict.feature.base if side == "BASE" else verdict.feature.new) == 1
    low, high = map(difference, bounds if alone else (one.value, one.value))
    return {"feature": feature, "side": side, "difference": difference(one.value), "low": low, "high": high,
            "text": text, "disturbed": formats.percent(one.disturbed)}  # fmt: skip


def overlaid(comparison):
    """(heading, chart) for the curves over sizes that both sides have, those with changes first, the most telling few."""
    found = []
    for base_id, new_id in comparison.pairs:
        sides = [_curves(comparison.base, base_id), _curves(comparison.new, new_id)]
        found += [(base_id, key, [side[key] for side in sides]) for key in sides[0] if key in sides[1]]
    changed = {
        (id_.device, id_.api, id_.probe)
        for id_ in (one.feature.id for one in comparison.verdicts if one.verdict in _WORTH_A_CURVE)
    }
    found.sort(key=lambda one: ((one[0], *one[1][:2]) not in changed, len(one[1][2]), one[1][1] != "latency"))
    return [_overlaid(comparison, *one) for one in found[:_MOST_CURVES]]


def _overlaid(comparison, device, key, both):
    api, probe, words, unit = key
    entries = [LabelledCurve(label, curve, None) for label, curve in zip(PALETTE, both, strict=True)]
    parts = [probe.replace("-", " "), *series.words(dict(words)), comparison.api_name(api)]
    parts += [comparison.names[device][0]] if len(comparison.names) > 1 else []
    heading = formats.visible(", ".join(parts))
    heading = heading[:1].upper() + heading[1:]
    chart = charts.over_size(entries, _QUANTITIES[unit], unit, (heading, []), palette=PALETTE, height=320)
    return heading, chart


def _curves(side, device):
    """One side's curves over sizes alone, by API, probe, series and unit."""
    samples = [
        sample for run in side.runs if run.recording for sample in run.recording.samples
        if sample["device"] == device and sample["x"].keys() == {"bytes"} and sample["unit"] in _QUANTITIES
    ]  # fmt: skip
    found = {}
    for curve in curves(samples):
        # Levels are read from the fastest of several shapes at a size.
        points = fastest(curve.points, "higher" if curve.unit in ("GB/s", "Gop/s") else "lower")
        if len(points) >= _FEWEST_POINTS and any(point.median > 0 for point in points):
            key = curve.api, curve.probe, tuple(curve.series.items()), curve.unit
            found[key] = Curve(curve.device, curve.api, curve.probe, curve.series, curve.unit, points)
    return found
