"""The comparison as a person reads it in a terminal, and as Markdown."""

import statistics

from sonde_tools import formats, series
from sonde_tools.compare import duels_in_words, setup, verdicts
from sonde_tools.compare.kinds import SHARE

HEADINGS = {
    verdicts.CHANGED: "Changed", verdicts.SLOWER: "Slower", verdicts.FASTER: "Faster",
    verdicts.CANNOT_TELL: "Cannot tell", verdicts.SAME: "Same",
    verdicts.ONLY_IN_BASE: "Only in BASE", verdicts.ONLY_IN_NEW: "Only in NEW",
}  # fmt: skip
SHOWN = (verdicts.CHANGED, verdicts.SLOWER, verdicts.FASTER)
# No name, driver or list of options needs more of a line.
_WIDEST = 72
ONLY_IN_ONE = (verdicts.ONLY_IN_BASE, verdicts.ONLY_IN_NEW)
FOLDED = tuple(verdict for verdict in HEADINGS if verdict not in SHOWN)


def text(comparison, verbose):
    """Plain text: what changed first, the rest as counts or, verbose, by name."""
    lines = sides(comparison)
    if comparison.differs:
        lines += ["", "Set-up that differs", *_table([(d["what"], d["base"], d["new"]) for d in comparison.differs])]
    lines += [*comparison.notes, ""]
    for verdict in SHOWN:
        if found := comparison.those(verdict, with_followers=False):
            lines += [f"{HEADINGS[verdict]} ({len(found)})", *_table([_row(comparison, one) for one in found])]
            lines += [*(f"  {line}" for line in followers(comparison, verdict)), ""]
    for verdict in FOLDED:
        found = comparison.those(verdict)
        if found and (verbose or (comparison.duel and verdict in ONLY_IN_ONE)):
            lines += [f"{HEADINGS[verdict]} ({len(found)})", *_table([_row(comparison, one) for one in found])]
            lines += [*(f"  {line}" for line in duels_in_words.reasons(comparison, found)), ""]
    if stretches := duels_in_words.stretches(comparison):
        lines += ["Over the working set", *(f"  {line}" for line in stretches), ""]
    lines.append(conclusion(comparison, "" if verbose else " (-v names them)"))
    return formats.visible("\n".join(lines)) + "\n"


def markdown(comparison, verbose):
    """The same as Markdown, for a review or an issue."""
    first, *others = map(_marked, sides(comparison))
    lines = [f"**{first}**  ", *(f"{line}  " for line in others)]
    if comparison.differs:
        lines += ["", "| set-up | BASE | NEW |", "| --- | --- | --- |"]
        rows = [(each["what"], each["base"], each["new"]) for each in comparison.differs]
        lines += [f"| {' | '.join(map(_marked, row))} |" for row in rows]
    lines += ["", *(f"{_marked(note)}  " for note in comparison.notes)]
    wanted = HEADINGS if verbose else SHOWN + (ONLY_IN_ONE if comparison.duel else ())
    for verdict in wanted:
        found = comparison.those(verdict, with_followers=verdict not in SHOWN)
        if found:
            table = ["| feature | BASE | NEW | change | why |", "| --- | --: | --: | --: | --- |"]
            lines += ["", f"### {HEADINGS[verdict]}", "", *table]
            lines += [f"| {' | '.join(map(_marked, (*_row(comparison, one), one.why)))} |" for one in found]
            lines += ["", *(_marked(line) for line in followers(comparison, verdict))]
    if stretches := duels_in_words.stretches(comparison):
        lines += ["", "### Over the working set", "", *(f"- {_marked(line)}" for line in stretches)]
    lines += ["", _marked(conclusion(comparison))]
    return formats.visible("\n".join(lines)) + "\n"


def _marked(text_):
    """A text in which nothing is taken for Markdown or HTML, in one line."""
    text_ = " ".join(str(text_).split())
    for sign in "\\`*_{}[]<>#|~!":
        text_ = text_.replace(sign, "\\" + sign if sign not in "<>" else {"<": "&lt;", ">": "&gt;"}[sign])
    return text_


def sides(comparison):
    """What is compared, in lines: simulated devices say so."""
    named = [base if base == new else f"{base} against {new}" for base, new in comparison.names.values()]
    lines = [", ".join(named) + (", simulated" if comparison.simulated else "")]
    for name, side in (("BASE", comparison.base), ("NEW", comparison.new)):
        count = len(side.runs)
        drivers = [setup.said(value) for what, value in side.setup.items() if " driver of " in what]
        files = str(side.runs[0].path) if count == 1 else f"{count} runs, {side.runs[0].path} to {side.runs[-1].path}"
        lines.append(f"{name:4}  {files}" + (f" ({', '.join(dict.fromkeys(drivers))})" if drivers else ""))
    return lines + ([duels_in_words.heading(comparison)] if comparison.duel else [])


def conclusion(comparison, hint=""):
    """What changed, in how many features nothing did, and which changes would have been seen there, in one sentence."""
    counts = {HEADINGS[verdict].lower(): len(comparison.those(verdict, with_followers=False)) for verdict in SHOWN}
    counts["that follow from these"] = sum(one.follows is not None for one in comparison.verdicts)
    counted = [f"{count} {what}" for what, count in counts.items() if count]
    same, cannot_tell = comparison.those(verdicts.SAME), comparison.those(verdicts.CANNOT_TELL)
    unchanged = same + [one for one in cannot_tell if one.would_see_percent is not None]
    counted += [f"no change in {len(unchanged)} features", *_would_have_been_seen(unchanged)] if unchanged else []
    counts = {"of which these runs can tell nothing": len(same + cannot_tell) - len(unchanged)}
    counts |= {f"only in {side}": len(comparison.those(f"only-in-{side.lower()}")) for side in ("BASE", "NEW")}
    counted += [f"{count} {what}" for what, count in counts.items() if count]
    hint = hint if any(map(comparison.those, FOLDED)) else ""
    return f"{len(comparison.verdicts)} features: {'; '.join(counted) or 'none'}{hint}."


def _would_have_been_seen(unchanged):
    """From which change on these would have been called, in a list that is empty where all are words or shares."""
    found = sorted(one.would_see_percent for one in unchanged
                   if one.would_see_percent is not None and one.feature.kind.compared_by != SHARE)  # fmt: skip
    if not found:
        return []
    least, middle, most = (formats.plain(each) for each in (found[0], statistics.median(found), found[-1]))
    return [f"changes above {middle} % (median; {least} to {most} %) would have been seen"]


def followers(comparison, verdict):
    """A line for each feature that others follow from, with their names."""
    found = {}
    for one in comparison.those(verdict):
        if one.follows:
            found.setdefault(one.follows, []).append(name(comparison, one))
    return [
        f"{cause[:1].upper()}{cause[1:]} explains {len(names)} more: {', '.join(names)}."
        for cause, names in found.items()
    ]


def name(comparison, one):
    """A feature in words, with the words of its series, its API and device where several have the same name."""
    id_ = one.feature.id
    parts = [id_.feature]
    if id_.feature in comparison.ambiguous:
        parts += [*series.words(dict(id_.series)), *(["by the CPU"] if id_.probe == "cpu-latency" else [])]
    if len(comparison.apis) > 1:
        parts.append(comparison.api_name(id_.api))
    return ", ".join(parts + ([comparison.names[id_.device][0]] if len(comparison.names) > 1 else []))


def _row(comparison, one):
    """Name, BASE, NEW and change of a feature as texts."""
    return name(comparison, one), said(one.base, one.feature), said(one.new, one.feature), change_text(one)


def said(value, feature):
    """What a side says: a word, or a value with its unit."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else formats.quantity(value["value"], feature.unit)


def change_text(one):
    """'+3.1 % (2.6 to 3.6)', in points for shares, or a dash."""
    found = one.change_percent
    if found is None:
        return "–"
    unit = "points" if one.feature.kind.compared_by == SHARE else "%"
    return f"{found['value']:+.1f} {unit} ({found['low']:+.1f} to {found['high']:+.1f})"


def _table(rows):
    rows = [[_cell(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _cell(text_):
    """A text in one line that leaves room for others."""
    line = " ".join(formats.visible(str(text_)).split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
