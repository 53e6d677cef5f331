"""The comparison as one JSON object, as docs/compare.md describes it."""

import json

from sonde_tools.compare import setup


def text(comparison):
    """The object as text that ends in a newline; what is not known is null."""
    document = {
        "base": _side(comparison.base), "new": _side(comparison.new),
        "differs": comparison.differs, "simulated": comparison.simulated, "notes": comparison.notes,
        "threshold_percent": comparison.threshold_percent,
        "features": [_feature(one) for one in comparison.verdicts],
    }  # fmt: skip
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _side(side):
    return {
        "files": [str(run.path) for run in side.runs],
        "runs": len(side.runs),
        "set-up": {what: setup.said(value) for what, value in side.setup.items()},
    }


def _feature(one):
    id_ = one.feature.id
    return {
        "device": id_.device, "api": id_.api, "probe": id_.probe, "series": dict(id_.series),
        "feature": id_.feature, "unit": one.feature.unit or None, "base": one.base, "new": one.new,
        "change_percent": one.change_percent, "would_see_percent": one.would_see_percent, "verdict": one.verdict,
        "why": one.why, "follows": one.follows,
    }  # fmt: skip
