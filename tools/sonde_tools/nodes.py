"""From the cores of each NUMA node to the memory of each: pictures of matrices of latency and bandwidth."""

from sonde_tools import formats, heat_maps, parts
from sonde_tools.sections import Figure

_WHAT = {"ns": "Latency from node to node", "GB/s": "Reading from node to node"}


def is_of_nodes(curve):
    """Whether a curve of cpu-latency or cpu-bandwidth is of nodes, and of no working sets."""
    return "placement" in curve.series


def of_latest(view, probe, unit):
    """The labelled curves of nodes in the latest file that has any, as no two matrices fit one picture."""
    entries = [entry for entry in view.of(probe, unit) if is_of_nodes(entry.curve)]
    with_any = [recording for recording in view.recordings if any(entry.recording is recording for entry in entries)]
    return [entry for entry in entries if entry.recording is with_any[-1]]


def matrix(view, probe, unit):
    """{(from, to): Point} of the nodes' numbers."""
    points = [point for entry in of_latest(view, probe, unit) for point in entry.points]
    return {
        (int(each.x["from"]), int(each.x["to"])): each for each in points if {"from", "to", "bytes"} <= each.x.keys()
    }


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
    return [Figure("nodes", heading, picture, "Rows are whose cores, columns whose memory.")]
