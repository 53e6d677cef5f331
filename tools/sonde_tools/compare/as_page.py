"""The comparison as one HTML page that loads nothing from anywhere: data and libraries are inside."""

import json
from pathlib import Path

import jinja2
import vl_convert
from markupsafe import Markup

from sonde_tools import charts, formats
from sonde_tools.compare import as_text, pictures, setup, verdicts

_FOLDER = Path(__file__).parent
# The curves that are drawn at once; all others when a reader opens them.
_OPEN_CURVES = 2


def html(comparison):
    """The whole page as text; runs must have been read with their recordings, or there are no curves."""
    specifications = {}
    parts = [_part(comparison, verdict, specifications) for verdict in as_text.HEADINGS if comparison.those(verdict)]
    curves = []
    for number, (heading, chart) in enumerate(pictures.overlaid(comparison)):
        id_ = f"curve-{number}"
        specifications[id_] = charts.for_page(chart)
        curves.append({"id": id_, "heading": heading, "open": number < _OPEN_CURVES})
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, finalize=_visible
    )
    template = environment.from_string((_FOLDER / "page.html.jinja").read_text(encoding="utf-8"))
    title, *sides = as_text.sides(comparison)
    return template.render(
        title=title,
        style=Markup((_FOLDER.parent / "page.css").read_text(encoding="utf-8")),
        simulated=comparison.simulated,
        notes=comparison.notes,
        sides=sides,
        conclusion=as_text.conclusion(comparison),
        differs=comparison.differs,
        parts=parts,
        curves=curves,
        runs=[_card(name, side) for name, side in (("BASE", comparison.base), ("NEW", comparison.new))],
        library=Markup(_inside_script(vl_convert.javascript_bundle(vl_version=charts.VEGA_LITE_VERSION)))
        if specifications
        else "",
        specifications=Markup(_inside_script(json.dumps(specifications))),
    )


def _visible(value):
    return formats.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _inside_script(text):
    # An HTML parser ends a script at the first "</script", even inside a string; JavaScript reads both alike.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _part(comparison, verdict, specifications):
    """One verdict's table and picture; what nobody need see at once is folded."""
    found = comparison.those(verdict)
    chart = pictures.distributions(comparison, found)
    if chart is not None:
        specifications[verdict] = charts.for_page(chart)
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
    files = ", ".join(run.path.name for run in side.runs)
    facts = [
        ("Runs", len(side.runs)),
        ("Files", files),
        *((what, setup.said(value)) for what, value in side.setup.items()),
    ]
    return {"name": name, "facts": facts}
