"""The report's section on lines that go from core to core: a heat map in the order of the machine."""

import csv
import io
import statistics

from sonde_tools import charts, core_to_core_method, formats, heat_maps, parts, split_locks
from sonde_tools.sections import Cell, Figure, Section, Table

# With more CPUs a picture shows clusters, and the tables of all samples each pair.
MOST_CPUS = 32
EXCHANGES = {"compare-and-swap": "by compare-and-swap", "store": "by stores to two lines"}


def _curves(view):
    """The labelled curves of pairs in the latest file that has any, as no two matrices fit one picture."""
    found = [entry for entry in split_locks.of_probe(view) if not split_locks.is_of_split_locks(entry.curve)]
    latest = [entry for recording in view.recordings for entry in found if entry.recording is recording][-1:]
    return [entry for entry in found if entry.recording is latest[0].recording]


def _is_at_once(entry):
    """Whether several pairs exchanged lines at the same time."""
    return entry.curve.series.get("fabric") == "loaded"


def _placement(entry):
    return entry.curve.series.get("placement", "same-cluster")


def _exchanging(view, exchange):
    return [
        entry
        for entry in _curves(view)
        if core_to_core_method.is_exchange(entry.curve)
        and entry.curve.series.get("exchange", "compare-and-swap") == exchange
        and all("from" in point.x and "to" in point.x for point in entry.curve.points)
    ]


def matrix(view, exchange):
    """{(from, to): Point} of one exchange, of a pair's alone where it has both; a core's threads at (from, from)."""
    found = {}
    for entry in sorted(_exchanging(view, exchange), key=_is_at_once, reverse=True):
        for point in entry.curve.points:
            start = int(point.x["from"])
            found[start, start if _placement(entry) == "same-core" else int(point.x["to"])] = point
    return found


def clusters(view):
    """The CPUs (lists of int) of each cluster; clusters of one node side by side, the CPUs of each in order."""
    of_cluster, of_node = {}, {}
    for entry in _exchanging(view, "compare-and-swap"):
        for point in entry.curve.points:
            start, end = int(point.x["from"]), int(point.x["to"])
            if _placement(entry) == "same-core":
                end = start
            of_cluster.setdefault(start, {start})
            of_node.setdefault(start, {start})
            if _placement(entry) == "same-cluster":
                of_cluster[start].add(end)
            if _placement(entry) != "other-node":
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
        names = [str(cpu) for group in groups for cpu in group]
        return names, [_cell(str(start), str(end), [point]) for (start, end), point in points.items()]
    names = {tuple(group): f"{group[0]}…{group[-1]}" if len(group) > 1 else str(group[0]) for group in groups}
    rows = []
    for start, start_name in names.items():
        for end, end_name in names.items():
            between = [points[pair] for pair in ((one, other) for one in start for other in end) if pair in points]
            rows += [_cell(start_name, end_name, between)] if between else []
    return list(names.values()), rows


def _cell(start, end, points):
    ns = statistics.median(point.median for point in points)
    lowest, highest = min(point.minimum for point in points), max(point.maximum for point in points)
    return {
        "from": start, "to": end, "value": ns, "text": f"{ns:.0f}", "disturbed": any(point.disturbed for point in points),
        "range_text": f"{formats.significant(lowest)} to {formats.significant(highest)}",
        "pairs": len(points),
    }  # fmt: skip


def applies(view):
    """Whether any pair of CPUs was measured."""
    return any(entry.curve.probe == "core-to-core" for entry in view.curves) and bool(matrix(view, "compare-and-swap"))


def summary(view):
    """One (colour, text) a placement: its round trip by compare-and-swap."""
    found = []
    for entry in _exchanging(view, "compare-and-swap"):
        medians = [point.median for point in entry.curve.points]
        text = f"{core_to_core_method.BETWEEN[_placement(entry)]}: {formats.latency(statistics.median(medians))}"
        if len(medians) > 1:
            text += f", {formats.significant(min(medians))} to {formats.significant(max(medians))} ns from pair to pair"
        found.append((charts.API_COLOURS["cpu"], text))
    return found


def _heat_map(view, exchange):
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


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    return _heat_map(view, "compare-and-swap")


def legend(view):
    """What the picture shows, in sentences."""
    siblings = any(_placement(entry) == "same-core" for entry in _curves(view))
    text = "Each cell is the median over lines on different pages. Rows have the line at home in their own memory."
    if any(map(_is_at_once, _curves(view))):
        text += " Pairs that share no core went at once, several at a time; a few of them alone too, and are shown so."
    if any(
        (point.state.get("shape") or {}).get("pinned") == 0 for entry in _curves(view) for point in entry.curve.points
    ):
        text += " The system did not keep the threads on their CPUs, so nobody knows between which these numbers are."
    return f"{text} On the diagonal: the two hardware threads of one core." if siblings else text


def tables(view):
    """A row for each kind of transfer and placement: the median over pairs, and their range."""
    rows = []
    for entry in _curves(view):
        points = [point for point in entry.curve.points if point.values]
        kinds = sorted({(point.x.get("bytes", 0), "node" in point.x) for point in points})
        for size_bytes, elsewhere in kinds:
            same = [
                point for point in points if (point.x.get("bytes", 0), "node" in point.x) == (size_bytes, elsewhere)
            ]
            name = core_to_core_method.kind_of(entry.curve, size_bytes)
            name += ", memory at the second one's node" if elsewhere else ""
            name += ", several pairs at once" if _is_at_once(entry) else ""
            rows.append((f"{name}, {core_to_core_method.BETWEEN[_placement(entry)]}", [*_row(same, entry.curve.unit)]))
    found = [Table("From core to core: medians over pairs", ["What", "Median", "Pairs", "Unit"], rows)]
    return found + split_locks.tables(view)


def _row(points, unit):
    medians = [point.median for point in points]
    spread = f"{formats.significant(min(medians))} to {formats.significant(max(medians))}"
    disturbed = any(point.disturbed for point in points)
    median = Cell(formats.significant(statistics.median(medians)), spread, disturbed)
    return median, Cell(str(len(points))), Cell(unit)


def further(view):
    """The same by plain stores, where it was measured."""
    if not matrix(view, "store"):
        return []
    heading = "Round trips by plain stores and loads, each CPU on a line of its own"
    return [Figure("stores", heading, _heat_map(view, "store"), legend(view), core_to_core_method.STORES)]


CORE_TO_CORE = Section(
    "core-to-core",
    "From core to core",
    applies,
    summary,
    chart,
    legend,
    tables,
    further,
    core_to_core_method.paragraphs,
)
