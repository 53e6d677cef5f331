"""The report's section on arithmetic: rates by type of number, and over the number of work-groups."""

from sonde_tools import axes, charts, formats, parts, pivot

MULTIPLY_ADDS = ("fma", "multiply-add")


def group_curves(view):
    """The labelled curves of multiply-adds of fp32 over the number of work-groups."""
    found = [
        entry for entry in view.of("compute", "Gop/s")
        if entry.word("operation") in MULTIPLY_ADDS and entry.word("type") == "fp32" and "level" not in entry.series
    ]  # fmt: skip
    return [entry for entry in found if axes.GROUPS.of([entry])]


def peaks(entries):
    """{type: Gop/s of its multiply-adds by all work-groups} of labelled curves, types in the order of the file."""
    found = {}
    for entry in entries:
        if entry.curve.unit == "Gop/s" and entry.word("operation") in MULTIPLY_ADDS and "level" not in entry.series:
            found |= {entry.word("type"): point.median for point in entry.points if not point.x}
    return found


def _summary(view):
    palette = charts.colours(group_curves(view))
    lines = []
    for entry in group_curves(view):
        rates = peaks([other for other in view.of("compute", "Gop/s") if other.curve.api == entry.curve.api])
        said = [
            f"{name} {formats.significant(rates[name])} Gop/s" for name in ("fp32", "fp64", "fp16") if name in rates
        ]
        lines.append((palette[entry.label], f"{view.api_name(entry.curve.api)}: {', '.join(said)}"))
    return lines


def _tables(view):
    entries = [*view.of("compute", "Gop/s"), *view.of("compute", "ns")]
    return pivot.tables([entry for entry in entries if "level" not in entry.series])


COMPUTE = parts.section_of_curves(
    "compute", "Arithmetic", group_curves, axes.GROUPS, "rate", "Gop/s", "arithmetic over work-groups", None,
    "Multiply-adds of 32-bit numbers, two operations each. The rate climbs until every compute unit is busy.",
    summary=_summary, tables=_tables,
)  # fmt: skip
