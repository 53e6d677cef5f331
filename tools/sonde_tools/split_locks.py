"""Locked operations on one line and across two, and what they take from another core: tables, where they were allowed."""

from sonde_tools import formats, parts
from sonde_tools.sections import Table


def of_probe(view):
    """The labelled curves of core-to-core."""
    return [entry for entry in view.curves if entry.curve.probe == "core-to-core"]


def is_of_split_locks(curve):
    """Whether a curve's points say where in a line a locked word began."""
    return all("address" in point.x for point in curve.points)


def tables(view):
    """A row for each thing that was done, with nobody locking, a word within a line, and across two."""
    found = {}
    for entry in filter(lambda each: is_of_split_locks(each.curve), of_probe(view)):
        for point in entry.curve.points:
            key = point.x.get("bytes", 0), _name(entry, point)
            found.setdefault(key, {})[_column(entry, point)] = point
    if not found:
        return []
    rows = [
        (name, [parts.cell(points[column]) if column in points else parts.NOTHING for column in ("idle", "one", "two")])
        for (_, name), points in sorted(found.items(), key=lambda item: item[0])
    ]
    caption = "Locked operations within a line and across two, and what another core has meanwhile: median, quartiles"
    return [Table(caption, ["What", "Nobody locks", "Within a line", "Across two lines"], rows)]


def _column(entry, point):
    if "bytes" in point.x and entry.curve.series.get("fabric", "idle") == "idle":
        return "idle"
    return "one" if point.x["address"] == 0 else "two"


def _name(entry, point):
    if "bytes" not in point.x:
        return "a locked operation, ns"
    size = formats.size(point.x["bytes"])
    return f"a load in {size}, ns" if entry.curve.unit == "ns" else f"reading {size}, GB/s"
