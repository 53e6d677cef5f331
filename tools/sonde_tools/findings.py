"""What the probes concluded: each finding below the heading of its kind, and which edges the latency chart marks."""

from sonde_tools import formats, series
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Table


def groups(view):
    """All findings on a device as (heading, list of (head, evidence)), one group for each heading."""
    found = {}
    for recording, finding in view.findings:
        file = recording.path.name if len(view.recordings) > 1 else None
        heading = _kind(recording, finding).heading
        found.setdefault(heading, []).append((_head(view, finding, file), finding["evidence"]))
    return list(found.items())


def _kind(recording, finding):
    return recording.declared.finding_kind(finding.get("probe") or "", finding["finding"])


def _head(view, finding, file):
    api = API_NAMES["model"] if view.is_model else API_NAMES.get(finding.get("api"))
    where = ", ".join(filter(None, [api, finding.get("probe"), *series.words(finding.get("series")), file]))
    value = finding.get("value")
    amount = "" if value is None else _amount(value, finding)
    return ": ".join(filter(None, [where, amount]))


def _amount(value, finding):
    """The value, and the interval that another run's lies in where it is known."""
    unit, low, high = finding.get("unit"), finding.get("low"), finding.get("high")
    text = formats.quantity(value, unit)
    if low is None or high is None or low == high:
        return text
    return f"{text} ({formats.quantity(low, unit)} to {formats.quantity(high, unit)})"


def tables(view, probe):
    """The findings of a probe that words of their series tell apart: a row for each set of words, a column a kind."""
    found = {}
    for recording, finding in view.findings:
        kind = _kind(recording, finding)
        if finding.get("probe") == probe and finding.get("value") is not None and kind.named_by:
            file = f", {recording.path.name}" if len(view.recordings) > 1 else ""
            source = view.api_name(finding.get("api")) + file
            words = ", ".join(filter(None, ((finding.get("series") or {}).get(key) for key in kind.named_by)))
            rows = found.setdefault((source, kind.named_by), {})
            rows.setdefault(words, {}).setdefault(kind.heading, _cell(finding))
    made = []
    for (source, keys), rows in found.items():
        headings = list(dict.fromkeys(heading for row in rows.values() for heading in row))
        body = [(words, [row.get(heading, Cell("–")) for heading in headings]) for words, row in rows.items()]
        caption = f"{probe.replace('-', ' ').capitalize()}, {source}: what was found, with what another run may find"
        made.append(Table(caption, [", ".join(keys).capitalize(), *headings], body))
    return [table for table in made if len(table.rows) > 1]


def _cell(finding):
    text, _, interval = _amount(finding["value"], finding).partition(" (")
    return Cell(text, interval.removesuffix(")"))


def translation_edges(view, entries):
    """(label of the curve, bytes) for each edge of address translation that belongs to one of the curves."""
    found = []
    for recording, finding in view.findings:
        if finding["finding"] != "translation" or finding.get("unit") != "bytes" or not finding.get("value"):
            continue
        # Pages are walked with nothing beside the walk, whatever kept memory awake for the levels.
        place = finding.get("api"), finding.get("probe"), series.without_order(finding.get("series"), "fabric")
        own = [entry for entry in entries if entry.recording is recording and place == (
            entry.curve.api, entry.curve.probe, series.without_order(entry.series, "fabric"))]  # fmt: skip
        found += [(entry.label, finding["value"]) for entry in own[:1]]
    return list(dict.fromkeys(found))
