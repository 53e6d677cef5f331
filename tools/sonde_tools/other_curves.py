"""Pictures and tables of probes that have no section of their own, as their curves declare them."""

import re

from sonde_tools import axes, charts, findings, formats, method_pages, parts, pivot
from sonde_tools.sections import Section


def sections(view, shown_probes):
    """A Section for each probe of a device that has curves to draw and is not among those that are shown."""
    return [
        _section(view, probe, pictures) for probe in _others(view, shown_probes) if (pictures := _pictures(view, probe))
    ]


def tables(view, shown_probes):
    """The Tables of probes that are not among those that are shown, and have nothing to draw."""
    left = [probe for probe in _others(view, shown_probes) if not _pictures(view, probe)]
    return [table for probe in left for table in _tables(view, probe)]


def _others(view, shown_probes):
    return [probe for probe in dict.fromkeys(entry.curve.probe for entry in view.curves) if probe not in shown_probes]


def _axis(entry):
    """The coordinate that a curve is drawn over; empty where there is none."""
    named = entry.declared.x if entry.declared else "bytes"
    return named if re.fullmatch("[a-z_]{1,40}", named) and any(named in point.x for point in entry.points) else ""


def _pictures(view, probe):
    """{(coordinate, unit): labelled curves}: each has points that differ in this coordinate alone."""
    found = {}
    for entry in view.curves:
        if entry.curve.probe == probe and (axis := _axis(entry)):
            found.setdefault((axis, entry.curve.unit), []).extend(_along(axis, entry))
    return found


def _along(axis, entry):
    apart = {}
    for point in entry.points:
        if axis in point.x:
            apart.setdefault(tuple(place for place in point.x.items() if place[0] != axis), []).append(point)
    for places, points in apart.items():
        more = ["", *(formats.coordinate(*place) for place in places)] if len(apart) > 1 else []
        label = entry.label.removesuffix(entry.suffix) + ", ".join(more)
        yield entry.with_points(sorted(points, key=lambda point: point.x[axis]), label)


def _title(entries):
    """What all curves of a picture are of, or only that they are values."""
    titles = {entry.declared.title for entry in entries if entry.declared}
    return titles.pop() if len(titles) == 1 else "Value"


def _section(view, probe, pictures):
    page = method_pages.page(probe)
    heading = page.title if page else probe.replace("-", " ").capitalize()
    ((axis, unit), entries), *others = pictures.items()

    def summary(_view):
        palette = charts.colours(entries)
        said = parts.ends(
            lambda value: formats.quantity(value, unit), lambda point: formats.coordinate(axis, point.x[axis])
        )
        return [(palette[entry.label], f"{entry.label}: {said(entry)}") for entry in entries]

    def chart(view):
        head = parts.head(view, heading[0].lower() + heading[1:], parts.medians(entries))
        return charts.over(axes.across(axis), entries, _title(entries), unit, head)

    def further(_view):
        return [
            figure
            for number, ((other, its_unit), own) in enumerate(others, start=2)
            for figure in parts.figure_of_curves(
                f"{number}", _title(own), axes.across(other), own, _title(own), its_unit
            )
        ]

    return Section(
        probe, heading, lambda _: True, summary, chart, lambda _: parts.medians(entries), lambda view: _tables(view, probe),
        further,
    )  # fmt: skip


def _tables(view, probe):
    """Those that the curves declare and those of what was found; of curves that are in none every point."""
    entries = [entry for entry in view.curves if entry.curve.probe == probe]
    left = [entry for entry in entries if not (entry.declared and entry.declared.table)]
    return [
        *pivot.tables(entries),
        *([parts.all_points(probe, left)] if left else []),
        *findings.tables(view, probe),
    ]
