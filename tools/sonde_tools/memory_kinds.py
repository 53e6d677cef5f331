"""The report's section on kinds of memory: what the host-memory and the zero-copy probe say of each."""

from sonde_tools import axes, charts, formats, parts, series
from sonde_tools.sections import Cell, Section, Table

PROBES = ("zero-copy", "host-memory")
# A column shows this of the host-memory probe's largest working set: heading, unit, side and pattern.
COLUMNS = [
    ("GPU latency, ns", "ns", "gpu", "read"),
    ("GPU reads, GB/s", "GB/s", "gpu", "read"),
    ("GPU writes, GB/s", "GB/s", "gpu", "write"),
    ("CPU latency, ns", "ns", "cpu", "read"),
    ("CPU reads, GB/s", "GB/s", "cpu", "read"),
    ("CPU writes, GB/s", "GB/s", "cpu", "write"),
]


def _latencies(view):
    """Latency from the GPU, by kind."""
    return [entry for entry in view.of("host-memory", "ns", "bytes") if entry.word("side") == "gpu"]


def _rounds(view):
    """Rounds in which one word changes, by kind and direction."""
    found = view.of("zero-copy", "us", "bytes")
    return [entry for entry in found if entry.word("order") == "independent" and entry.word("side") == "gpu"]


def _main(view):
    """The curves of the main picture, and what they are."""
    return (_latencies(view), "latency", "ns") if _latencies(view) else (_rounds(view), "time of a round", "us")


def findings_of(view):
    """The findings on kinds of memory, each with an API, a series and the heading of its kind."""
    # A round trip is between CPU and device, of no kind.
    return [
        {**found, "series": found.get("series") or {},
         "heading": recording.declared.finding_kind(found["probe"], found["finding"]).heading}
        for recording, found in view.findings
        if found.get("probe") in PROBES and found.get("api") and found["finding"] != "round-trip"
    ]  # fmt: skip


def _summary(view):
    entries, _, unit = _main(view)
    palette = charts.colours(entries)
    said = parts.ends(lambda value: f"{formats.significant(value)} {unit}")
    return [(palette[entry.label], f"{entry.label}: {said(entry)}") for entry in entries]


def _chart(view):
    entries, what, unit = _main(view)
    head = parts.head(view, f"{what} by kind of memory", parts.medians(entries))
    return charts.over_size(entries, what, unit, head)


def _legend(view):
    return parts.described(_main(view)[0], "A name without a kind is a plain buffer.")


def _tables(view):
    headings = ["Kind", "To the GPU", "To the CPU", *(column[0] for column in COLUMNS), "Seen"]
    kinds = {}
    for entry in view.curves:
        if entry.curve.probe in PROBES and "bytes" in entry.points[0].x:  # a round trip is of no kind
            kinds.setdefault(entry.curve.api, {})[entry.word("memory")] = None
    for found in findings_of(view):
        kinds.setdefault(found["api"], {})[series.word(found["series"], "memory")] = None
    caption = "Kinds of memory, {}: medians at the largest working set of each"
    return [
        Table(caption.format(view.api_name(api)), headings, [(kind, _row(view, api, kind)) for kind in of_api])
        for api, of_api in kinds.items()
    ]


def _row(view, api, kind):
    mine = [
        found for found in findings_of(view) if found["api"] == api and series.word(found["series"], "memory") == kind
    ]
    shared = {found["series"].get("direction"): found for found in mine if found["probe"] == "zero-copy"}
    seen = dict.fromkeys(found["finding"] for found in mine if found["probe"] == "host-memory")
    nothing = shared.get(None)
    directions = [_said(shared.get(way) or nothing) for way in ("to-device", "to-host")]
    values = [_value(view, api, kind, *column[1:]) for column in COLUMNS]
    return [*directions, *values, Cell(", ".join(seen) or "–")]


def _said(found):
    if found is None:
        return Cell("–")
    value = found.get("value")
    # The time of a round says little by itself; a hidden rate or the cost of a page does.
    amount = "" if value is None or found["finding"] == "zero-copy" else formats.quantity(value, found.get("unit"))
    return Cell(found["finding"], amount)


def _value(view, api, kind, unit, side, pattern):
    wanted = api, kind, side, pattern
    found = [entry for entry in view.of("host-memory", unit, "bytes")
             if (entry.curve.api, entry.word("memory"), entry.word("side"), entry.word("pattern")) == wanted]  # fmt: skip
    if not found:
        return Cell("–")
    # The kernel is the writer that is there at every effort.
    point = max(found, key=lambda entry: entry.word("writer") == "gpu").points[-1]
    return Cell(formats.significant(point.median), formats.size(point.x["bytes"]), point.disturbed)


def _further(view):
    entries = _rounds(view) if _latencies(view) else []
    heading = "Is it shared: one word changes on one side and is looked for on the other"
    return parts.figure_of_curves("rounds", heading, axes.SIZE, entries, "time of a round", "us")


KINDS = Section(
    "memory-kinds", "Kinds of memory", lambda view: bool(_main(view)[0]), _summary, _chart, _legend, _tables, _further, PROBES
)  # fmt: skip
