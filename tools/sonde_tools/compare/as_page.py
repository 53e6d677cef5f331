"""The comparison as one HTML page that loads nothing from anywhere: data and libraries are inside."""

from pathlib import Path

from sonde_tools import page
from sonde_tools.compare import as_text, duels_in_words, pictures, ratio_pictures, setup, verdicts

_FOLDER = Path(__file__).parent
# The curves that are drawn at once; all others when a reader opens them.
_OPEN_CURVES = 2


def html(comparison):
    """The whole page as text; runs must have been read with their recordings, or there are no curves."""
    named = {}
    parts = [_part(comparison, verdict, named) for verdict in as_text.HEADINGS if comparison.those(verdict)]
    ratios = []
    for number, (heading, chart) in enumerate(ratio_pictures.ratios(comparison)):
        named[f"ratio-{number}"] = chart
        ratios.append({"id": f"ratio-{number}", "heading": heading})
    curves = []
    for number, (heading, chart) in enumerate(pictures.overlaid(comparison)):
        id_ = f"curve-{number}"
        named[id_] = chart
        curves.append({"id": id_, "heading": heading, "open": number < _OPEN_CURVES})
    title, *sides = as_text.sides(comparison)
    return page.filled(
        (_FOLDER / "page.html.jinja").read_text(encoding="utf-8"),
        named,
        title=title,
        simulated=comparison.simulated,
        notes=comparison.notes,
        sides=sides,
        conclusion=as_text.conclusion(comparison),
        differs=comparison.differs,
        parts=parts,
        ratios=ratios,
        stretches=duels_in_words.stretches(comparison),
        curves=curves,
        runs=[_card(name, side) for name, side in (("BASE", comparison.base), ("NEW", comparison.new))],
    )


def _part(comparison, verdict, named):
    """One verdict's table and picture; what nobody need see at once is folded."""
    found = comparison.those(verdict)
    chart = pictures.distributions(comparison, found)
    if chart is not None:
        named[verdict] = chart
    return {
        "heading": f"{as_text.HEADINGS[verdict]} ({len(comparison.those(verdict, with_followers=False))})",
        "folded": verdict in (verdicts.SAME, verdicts.CANNOT_TELL, verdicts.ONLY_IN_BASE, verdicts.ONLY_IN_NEW),
        "id": verdict if chart is not None else None,
        "rows": [_row(comparison, one) for one in found],
    }


def _row(comparison, one):
    why = f"follows from {one.follows}: {one.why}" if one.follows else one.why
    return {
        "name": as_text.name(comparison, one), "base": as_text.said(one.base, one.feature),
        "new": as_text.said(one.new, one.feature), "change": as_text.change_text(one), "why": why,
    }  # fmt: skip


def _card(name, side):
    facts = [("Runs", len(side.runs)), ("Files", ", ".join(run.path.name for run in side.runs))]
    return {"name": name, "facts": [*facts, *((what, setup.said(value)) for what, value in side.setup.items())]}
