"""The report's section on kinds of memory: what the host-memory and the zero-copy probe say of each."""

from sonde_tools import charts, formats, kinds_method, parts
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Figure, Section, Table

FURTHER_HEIGHT_PIXELS = 300
PROBES = ("zero-copy", "host-memory")
# What each column shows of the host-memory probe's largest working set: heading, unit, words of the series.
COLUMNS = [
    ("GPU latency, ns", "ns", {"side": "gpu"}),
    ("GPU reads, GB/s", "GB/s", {"side": "gpu", "pattern": "read"}),
    ("GPU writes, GB/s", "GB/s", {"side": "gpu", "pattern": "write"}),
    ("CPU latency, ns", "ns", {"side": "cpu"}),
    ("CPU reads, GB/s", "GB/s", {"side": "cpu", "pattern": "read"}),
    ("CPU writes, GB/s", "GB/s", {"side": "cpu", "pattern": "write"}),
]


def _curves(view, probe, unit):
    return [entry for entry in view.curves if entry.curve.probe == probe and entry.curve.unit == unit]


def _latencies(view):
    """Latency from the GPU, by kind."""
    return [entry for entry in _curves(view, "host-memory", "ns") if entry.curve.series.get("side", "gpu") == "gpu"]


def _rounds(view):
    """Rounds in which one word changes, by kind and direction."""
    found = _curves(view, "zero-copy", "us")
    return [
        entry
        for entry in found
        if entry.curve.series.get("order") == "independent" and "side" not in entry.curve.series
    ]


def _main(view):
    """The curves of the main picture, and what they are."""
    return (_latencies(view), "latency", "ns") if _latencies(view) else (_rounds(view), "time of a round", "us")


def findings_of(view):
    """The findings on kinds of memory, each with an API and a series."""
    # A round trip is between CPU and device, of no kind.
    return [
        {**found, "series": found.get("series") or {}}
        for _, found in view.findings
        if found.get("probe") in PROBES and found.get("api") and found["finding"] != "round-trip"
    ]


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(_main(view)[0])


def summary(view):
    """One (colour, text) a curve: where it begins and where it ends."""
    entries, _, unit = _main(view)
    palette = charts.colours(entries)
    return [(palette[entry.label], f"{entry.label}: {_ends(entry.curve, unit)}") for entry in entries]


def _ends(curve, unit):
    ends = [curve.points[0], curve.points[-1]] if len(curve.points) > 1 else curve.points
    return ", ".join(
        f"{formats.significant(point.median)} {unit} in {formats.size(point.x['bytes'])}" for point in ends
    )


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    entries, what, unit = _main(view)
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    simulated = "simulated " if view.is_model else ""
    return charts.over_size(
        entries, what, unit, (f"{view.record['name']}: {simulated}{what} by kind of memory", subtitle)
    )


def legend(view):
    """What the picture shows, in sentences."""
    return f"{parts.medians(_main(view)[0])} A name without a kind is a plain buffer."


def tables(view):
    """A row for each kind that an API has, with what was found of it and what it costs."""
    apis = dict.fromkeys(
        record["api"] for record in [*findings_of(view), *(entry.curve.__dict__ for entry in _main(view)[0])]
    )
    return [_table(view, api) for api in apis]


def _table(view, api):
    name = API_NAMES["model"] if view.is_model else API_NAMES.get(api, api)
    rows = [(kind, _row(view, api, kind)) for kind in _kinds(view, api)]
    caption = f"Kinds of memory, {name}: medians at the largest working set of each"
    return Table(caption, ["Kind", "To the GPU", "To the CPU", *(heading for heading, _, _ in COLUMNS), "Seen"], rows)


def _kinds(view, api):
    measured = [entry.curve.series.get("memory", "device") for entry in view.curves
                if entry.curve.probe in PROBES and entry.curve.api == api]  # fmt: skip
    said = [found["series"].get("memory", "device") for found in findings_of(view) if found["api"] == api]
    return list(dict.fromkeys([*measured, *said]))


def _row(view, api, kind):
    mine = [
        found for found in findings_of(view) if found["api"] == api and found["series"].get("memory", "device") == kind
    ]
    shared = {found["series"].get("direction"): found for found in mine if found["probe"] == "zero-copy"}
    seen = dict.fromkeys(found["finding"] for found in mine if found["probe"] == "host-memory")
    nothing = shared.get(None)
    directions = [_said(shared.get(way) or nothing) for way in ("to-device", "to-host")]
    values = [_value(view, api, kind, unit, words) for _, unit, words in COLUMNS]
    return [*directions, *values, Cell(", ".join(seen) or "–")]


def _said(found):
    if found is None:
        return Cell("–")
    value = found.get("value")
    # The time of a round says little by itself; a hidden rate or the cost of a page does.
    amount = "" if value is None or found["finding"] == "zero-copy" else formats.quantity(value, found.get("unit"))
    return Cell(found["finding"], amount)


def _value(view, api, kind, unit, words):
    found = [entry.curve for entry in _curves(view, "host-memory", unit) if entry.curve.api == api
             and entry.curve.series.get("memory", "device") == kind and _is(entry.curve.series, words)]  # fmt: skip
    if not found:
        return Cell("–")
    # Of two writers the kernel, which is there at every effort.
    curve = max(found, key=lambda each: each.series.get("writer") == "gpu")
    point = curve.points[-1]
    return Cell(formats.significant(point.median), formats.size(point.x["bytes"]), point.disturbed)


def _is(series, words):
    # `read` is the default of a pattern: only bandwidths have one.
    pattern = series.get("pattern", "read")
    return series.get("side", "gpu") == words["side"] and pattern == words.get("pattern", "read")


def further(view):
    """The rounds over the size, where the main picture is another."""
    entries = _rounds(view)
    if not entries or not _latencies(view):
        return []
    heading = "Is it shared: one word changes on one side and is looked for on the other"
    picture = charts.over_size(entries, "time of a round", "us", (heading, []), height=FURTHER_HEIGHT_PIXELS)
    return [Figure("rounds", heading, picture, parts.medians(entries), kinds_method.ROUNDS)]


def method(view):
    """How it was measured, in paragraphs."""
    return [*(kinds_method.LATENCY if _latencies(view) else []), *(kinds_method.ROUNDS if _rounds(view) else [])]


KINDS = Section("memory-kinds", "Kinds of memory", applies, summary, chart, legend, tables, further, method, PROBES)
