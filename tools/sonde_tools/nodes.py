"""From the cores of each NUMA node to the memory of each: matrices of latency and bandwidth."""

from sonde_tools import formats, heat_maps, parts
from sonde_tools.sections import Cell, Figure, Table

# As Intel MLC prints them: latencies in ns, bandwidths in MB/s of a million bytes.
_MLC = {"ns": ("latency_matrix", "ns", 1), "GB/s": ("bandwidth_matrix", "MB/s", 1000)}
_WHAT = {"ns": "Latency from node to node", "GB/s": "Reading from node to node"}


def is_of_nodes(curve):
    """Whether a curve of cpu-latency or cpu-bandwidth is of nodes, and of no working sets."""
    return "placement" in curve.series


def _points(view, probe, unit):
    """The points of nodes in the latest file that has any, as no two matrices fit one picture."""
    entries = [
        entry for entry in view.curves
        if entry.curve.probe == probe and entry.curve.unit == unit and is_of_nodes(entry.curve)
    ]  # fmt: skip
    with_any = [recording for recording in view.recordings if any(entry.recording is recording for entry in entries)]
    return [point for entry in entries if entry.recording is with_any[-1] for point in entry.curve.points]


def matrix(view, probe, unit):
    """{(from, to): Point} of the nodes' numbers."""
    points = (point for point in _points(view, probe, unit) if {"from", "to"} <= point.x.keys())
    return {(int(point.x["from"]), int(point.x["to"])): point for point in points}


def figures(view, probe, unit):
    """The heat map, where there are several nodes."""
    points = matrix(view, probe, unit)
    if not points:
        return []
    names = tuple([str(node) for node in sorted({pair[end] for pair in points})] for end in (0, 1))
    rows = [
        {"from": str(start), "to": str(end), "value": point.median, "text": formats.significant(point.median),
         "range_text": f"{formats.significant(point.minimum)} to {formats.significant(point.maximum)}",
         "size_text": formats.size(point.x["bytes"]), "disturbed": point.disturbed}
        for (start, end), point in points.items()
    ]  # fmt: skip
    heading = f"{_WHAT[unit]}, {unit}"
    head = (f"{view.record['name']}: {heading[0].lower()}{heading[1:]}", [" · ".join(parts.dates(view)), "Medians."])
    across = ("memory of node", "cores of node", unit)
    told = {"from": "cores of node", "to": "memory of node", "text": unit, "range_text": f"lowest to highest, {unit}",
            "size_text": "working set", "disturbed": "disturbed"}  # fmt: skip
    picture = heat_maps.heat_map(head, names, rows, across, told, darker="high" if unit == "ns" else "low")
    return [Figure("nodes", heading, picture, "Rows are whose cores, columns whose memory.", _method(unit))]


def tables(view, probe, unit):
    """The matrix as a table arranged as Intel MLC's, and what all nodes read at once."""
    points = matrix(view, probe, unit)
    if not points:
        return []
    name, mlc_unit, factor = _MLC[unit]
    ends = sorted({end for _, end in points})
    rows = [
        (str(start), [_cell(points.get((start, end)), factor) for end in ends])
        for start in sorted({start for start, _ in points})
    ]
    caption = f"{_WHAT[unit]}, {mlc_unit}: medians, arranged as in the {name} of Intel MLC, to be read beside it"
    found = [Table(caption, ["Numa node", *map(str, ends)], rows)]
    at_once = {point.x["hops"]: point for point in _points(view, probe, unit) if "hops" in point.x}
    if at_once:
        named = {0: "each its own node's memory", 1: "each the next node's memory"}
        rows = [(named.get(hops, f"{hops:g} nodes on"), [parts.cell(at_once[hops])]) for hops in sorted(at_once)]
        found.append(Table(f"All nodes' cores reading at once, {unit} together", ["What is read", unit], rows))
    return found


def _cell(point, factor):
    if point is None:
        return Cell("–")
    return Cell(f"{point.median * factor:.1f}", disturbed=point.disturbed)


def _method(unit):
    how = (
        "A core of each node walks through memory of each, as through any working set, beyond its caches."
        if unit == "ns"
        else "All cores of a node read memory of another together, each an array of its own, beyond their caches."
    )
    return [
        f"{how} The memory is bound to its node, and the kernel is asked afterwards whether every page stands there. Where "
        "the firmware cuts a processor into nodes of its own (sub-NUMA clusters, NPS), each of these is a node here.",
    ]
