"""The report's section on lines that go from core to core: a heat map in the order of the machine."""

import csv
import io
import statistics

from sonde_tools import findings, formats, heat_maps, parts, pivot, style
from sonde_tools.sections import Figure, Section

# A matrix of fewer pairs is told in words.
FEWEST_PAIRS = 4
# A picture of more CPUs shows clusters, and the CSV tables each pair.
MOST_CPUS = 32
EXCHANGES = {"compare-and-swap": "by compare-and-swap", "store": "by stores to two lines"}
BETWEEN = {
    "same-core": "hardware threads of one core", "same-cluster": "cores of one cluster",
    "other-cluster": "cores of different clusters", "other-node": "cores of different nodes",
}  # fmt: skip


def _exchanging(view, exchange=None):
    """The labelled curves of lines that went to and fro between two CPUs."""
    found = []
    for entry in view.latest(view.of("core-to-core", "ns") + view.of("core-to-core", "GB/s")):
        points = [point for point in entry.points if {"from", "to"} <= point.x.keys() and "address" not in point.x]
        is_exchange = entry.curve.unit == "ns" and entry.word("role") == "writer"
        if points and is_exchange and exchange in (None, entry.word("exchange")):
            found.append(entry.with_points(points))
    return found


def matrix(view, exchange):
    """{(from, to): Point} of one exchange, of a pair's alone where it has both; a core's threads at (from, from)."""
    found = {}
    for entry in sorted(_exchanging(view, exchange), key=lambda entry: entry.word("beside") == "pairs", reverse=True):
        for point in entry.points:
            start = int(point.x["from"])
            found[start, start if entry.word("placement") == "same-core" else int(point.x["to"])] = point
    return found


def clusters(view):
    """The CPUs (lists of int) of each cluster; clusters of one node side by side, the CPUs of each in order."""
    of_cluster, of_node = {}, {}
    for entry in _exchanging(view, "compare-and-swap"):
        for point in entry.points:
            start, end = int(point.x["from"]), int(point.x["to"])
            if entry.word("placement") == "same-core":
                end = start
            of_cluster.setdefault(start, {start})
            of_node.setdefault(start, {start})
            if entry.word("placement") == "same-cluster":
                of_cluster[start].add(end)
            if entry.word("placement") != "other-node":
                of_node[start].add(end)
    cpus = sorted(of_cluster, key=lambda cpu: (min(of_node[cpu]), min(of_cluster[cpu]), cpu))
    found = {}
    for cpu in cpus:
        found.setdefault(min(of_cluster[cpu]), []).append(cpu)
    return list(found.values())


def _cells(view, exchange):
    """The names along both axes and a row for each cell: of CPUs, or of clusters where CPUs are many."""
    points, groups = matrix(view, exchange), clusters(view)
    if sum(map(len, groups)) <= MOST_CPUS:
        groups = [[cpu] for group in groups for cpu in group]
    names = {tuple(group): f"{group[0]}…{group[-1]}" if len(group) > 1 else str(group[0]) for group in groups}
    rows = []
    for start, start_name in names.items():
        for end, end_name in names.items():
            between = [points[pair] for pair in ((one, other) for one in start for other in end) if pair in points]
            if between:
                ns = statistics.median(point.median for point in between)
                ends = min(point.minimum for point in between), max(point.maximum for point in between)
                rows.append({
                    "from": start_name, "to": end_name, "value": ns, "text": f"{ns:.0f}", "pairs": len(between),
                    "range_text": " to ".join(map(formats.significant, ends)),
                    "disturbed": any(point.disturbed for point in between),
                })  # fmt: skip
    return list(names.values()), rows


def _summary(view):
    found = []
    for entry in _exchanging(view, "compare-and-swap"):
        medians = [point.median for point in entry.points]
        between = BETWEEN.get(entry.word("placement"), entry.word("placement"))
        text = f"{between}: {formats.latency(statistics.median(medians))}"
        least, most = (formats.significant(end(medians)) for end in (min, max))
        if least != most:
            text += f", {least} to {most} ns from pair to pair"
        found.append((style.CPU_COLOUR, text))
    return found


def _heat_map(view, exchange):
    if len(matrix(view, exchange)) < FEWEST_PAIRS:
        return None
    names, rows = _cells(view, exchange)
    what = "CPUs" if sum(map(len, clusters(view))) <= MOST_CPUS else "clusters of CPUs"
    title = f"{view.record['name']}: round trip of a cache line from core to core {EXCHANGES[exchange]}"
    subtitle = [" · ".join(parts.dates(view)), f"Nanoseconds, medians; {what} in the order of the machine."]
    told = {"from": "from", "to": "to", "text": "ns", "range_text": "lowest to highest line, ns", "pairs": "pairs",
            "disturbed": "disturbed"}  # fmt: skip
    across = ("to CPU", "from CPU, whose memory it is", "ns")
    return heat_maps.heat_map((title, subtitle), (names, names), rows, across, told)


def matrix_texts(view):
    """Yields (name, CSV text) of the whole matrix of each exchange, CPUs in the order of the machine, however many."""
    order = [cpu for group in clusters(view) for cpu in group]
    for exchange in EXCHANGES:
        points = matrix(view, exchange)
        if not points:
            continue
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["from", *order])
        for start in order:
            found = [points.get((start, end)) for end in order]
            writer.writerow([start, *("" if point is None else f"{point.median:g}" for point in found)])
        yield f"core-to-core-{exchange}", text.getvalue()


def _legend(view):
    entries = _exchanging(view)
    text = "Each cell is the median over lines on different pages. Rows have the line at home in their own memory."
    if len(matrix(view, "compare-and-swap")) < FEWEST_PAIRS:
        text = "Medians over lines on different pages, of both directions."
    if any(entry.word("beside") == "pairs" for entry in entries):
        text += " Pairs that share no core went at once, several at a time; a few of them alone too, and are shown so."
    if any((point.state.get("shape") or {}).get("pinned") == 0 for entry in entries for point in entry.points):
        text += " The system did not keep the threads on their CPUs, so nobody knows between which these numbers are."
    siblings = any(entry.word("placement") == "same-core" for entry in entries)
    return f"{text} On the diagonal: the two hardware threads of one core." if siblings else text


def _tables(view):
    locks = [entry for unit in ("ns", "GB/s") for entry in view.of("core-to-core", unit, "address")]
    return [*findings.tables(view, "core-to-core"), *pivot.tables(locks)]


def _further(view):
    if len(matrix(view, "store")) < FEWEST_PAIRS:
        return []
    heading = "Round trips by plain stores and loads, each CPU on a line of its own"
    return [Figure("stores", heading, _heat_map(view, "store"), _legend(view))]


CORE_TO_CORE = Section(
    "core-to-core", "From core to core", lambda view: bool(matrix(view, "compare-and-swap")), _summary,
    lambda view: _heat_map(view, "compare-and-swap"), _legend, _tables, _further,
)  # fmt: skip
