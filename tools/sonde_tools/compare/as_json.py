"""The comparison as one JSON object, as docs/compare.md describes it."""

import json
import math

from sonde_tools.compare import duels_in_words, setup


def text(comparison):
    """The object as text that ends in a newline; what is not known is null."""
    document = {
        "base": _side(comparison.base), "new": _side(comparison.new),
        "differs": comparison.differs, "simulated": comparison.simulated, "notes": comparison.notes,
        "threshold_percent": comparison.threshold_percent, "duel": _duel(comparison),
        "features": [_feature(one) for one in comparison.verdicts],
    }  # fmt: skip
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _side(side):
    return {
        "files": [str(run.path) for run in side.runs],
        "runs": len(side.runs),
        "set-up": {what: setup.said(value) for what, value in side.setup.items()},
    }


def _duel(comparison):
    if not comparison.duel:
        return None
    return {
        "settings": dict(zip(("base", "new"), comparison.duel.settings, strict=True)),
        "pairs": sum(paired.count for paired in comparison.paired.values()),
        "processes": max((paired.processes for paired in comparison.paired.values()), default=0),
        "would_see_percent": duels_in_words.would_see_percent(comparison),
        "ratios": [_ratios(curve) for curve in comparison.ratio_curves],
    }  # fmt: skip


def _ratios(curve):
    """One curve's ratio of NEW to BASE over sizes, and the stretches of sizes at which it differs."""
    return {
        "device": curve.device, "api": curve.api, "probe": curve.probe, "series": dict(curve.series), "unit": curve.unit,
        "points": [{"bytes": at.bytes, "pairs": at.pairs,
                    **{name: math.exp(getattr(at, name)) for name in ("low", "value", "high")}} for at in curve.points],
        "differs": [{"first_bytes": stretch.first, "last_bytes": stretch.last, "change_percent": stretch.change_percent}
                    for stretch in curve.differs],
    }  # fmt: skip


def _feature(one):
    id_ = one.feature.id
    return {
        "device": id_.device, "api": id_.api, "probe": id_.probe, "series": dict(id_.series),
        "feature": id_.feature, "unit": one.feature.unit or None, "base": one.base, "new": one.new,
        "change_percent": one.change_percent, "would_see_percent": one.would_see_percent, "verdict": one.verdict,
        "why": one.why, "follows": one.follows,
    }  # fmt: skip
