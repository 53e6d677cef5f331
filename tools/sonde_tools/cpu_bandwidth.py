"""The report's section on the CPU's own bandwidth: gigabytes a second over the working set, and over threads."""

from dataclasses import replace

from sonde_tools import axes, charts, cpu_bandwidth_method, formats, nodes, parts
from sonde_tools.devices import series_name
from sonde_tools.sections import Figure, Section, Table

FURTHER_HEIGHT_PIXELS = 300
# What Intel's Memory Latency Checker calls each mix, and the pattern and stores that have it.
MIXES = [
    ("ALL Reads", "read", "ordinary"),
    ("3:1 Reads-Writes", "read-3-write-1", "ordinary"),
    ("2:1 Reads-Writes", "read-2-write-1", "ordinary"),
    ("1:1 Reads-Writes", "read-modify-write", "ordinary"),
    ("Stream-triad like", "triad", "non-temporal"),
]


def _measured(view):
    return [
        entry for entry in view.curves
        if entry.curve.probe == "cpu-bandwidth" and entry.curve.unit == "GB/s" and not nodes.is_of_nodes(entry.curve)
    ]  # fmt: skip


def _word(entry, key, default):
    return entry.curve.series.get(key, default)


def _stores(entry):
    return _word(entry, "stores", "ordinary")


def _is_plain(entry):
    """Whether it is of ordinary stores and of the bytes that the program moves."""
    return _stores(entry) == "ordinary" and _word(entry, "bytes-counted", "program") == "program"


def _part(entry, points, label):
    suffix = entry.label.removeprefix(series_name(entry.curve))
    return replace(entry, label=label + suffix, curve=replace(entry.curve, points=points))


def _threads_of(entry):
    return sorted({point.x["cpu_threads"] for point in entry.curve.points})


def _of_threads(entry, threads):
    """The points of so many threads, in the order of their working sets."""
    found = [point for point in entry.curve.points if point.x["cpu_threads"] == threads]
    return sorted(found, key=lambda point: point.x["bytes"])


def size_curves(view):
    """Labelled curves over the working set, one for each number of threads that has several: 'read, 8 threads'."""
    found = []
    for entry in filter(_is_plain, _measured(view)):
        for threads in _threads_of(entry):
            points = _of_threads(entry, threads)
            if len(points) > 2:
                found.append(_part(entry, points, f"{_pattern(entry)}, {_threads(threads)}"))
    return found


def read_curves(view):
    """The curves of reading by most threads first, for pictures of several devices."""
    found = [entry for entry in size_curves(view) if _pattern(entry) == "read"]
    return sorted(found, key=lambda entry: -entry.curve.points[0].x["cpu_threads"])


def thread_curves(view):
    """Labelled curves over the number of threads, each in its largest working set: 'triad, compact'."""
    found = []
    for entry in filter(_is_plain, _measured(view)):
        points = [_of_threads(entry, threads)[-1] for threads in _threads_of(entry)]
        if len(points) > 1 and _pattern(entry) in ("read", "triad"):
            found.append(_part(entry, points, f"{_pattern(entry)}, {_word(entry, 'pinning', 'compact')}"))
    return found


def _pattern(entry):
    return _word(entry, "pattern", "read")


def _threads(threads):
    return "1 thread" if threads == 1 else f"{threads:g} threads"


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(size_curves(view))


def summary(view):
    """One (colour, text) a curve: the bandwidth in its smallest and its largest working set."""
    palette = charts.colours(size_curves(view))
    return [(palette[entry.label], f"{entry.label}: {_ends(entry.curve)}") for entry in size_curves(view)]


def _ends(curve):
    ends = (curve.points[0], curve.points[-1])
    texts = [f"{formats.significant(point.median)} GB/s in {formats.size(point.x['bytes'])}" for point in ends]
    return ", ".join(texts)


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    entries = size_curves(view)
    head = (f"{view.record['name']}: bandwidth of the CPU itself over working-set size", _about(view, entries))
    return charts.over_size(entries, "bandwidth", "GB/s", head)


def _about(view, entries):
    return [" · ".join(parts.dates(view)), parts.medians(entries)]


def legend(view):
    """What the picture shows, in sentences."""
    return f"{parts.medians(size_curves(view))} {cpu_bandwidth_method.COUNTED}"


def tables(view):
    """Every stream in memory, by stores and by what is counted; the mixes; and the curves at telling sizes."""
    sized = parts.telling_sizes(size_curves(view), "Bandwidth at telling sizes, GB/s: median, first to third quartile")
    further = filter(None, [_mixes(view), sized])
    return [_in_memory(view), *further, *nodes.tables(view, "cpu-bandwidth", "GB/s")]


def _mixes(view):
    """By all threads, in the words and the order of the Memory Latency Checker's peak injection bandwidths."""
    most = max(threads for entry in _measured(view) for threads in _threads_of(entry))
    rows = []
    for name, pattern, stores in MIXES:
        for entry in _measured(view):
            if (_pattern(entry), _stores(entry)) != (pattern, stores) or most not in _threads_of(entry):
                continue
            if (
                _word(entry, "pinning", "compact") == "compact"
                and _word(entry, "bytes-counted", "program") == "program"
            ):
                about = f"{pattern}, non-temporal stores" if stores == "non-temporal" else pattern
                rows.append((f"{name} ({about})", [parts.cell(_of_threads(entry, most)[-1])]))
    caption = f"Reads and writes mixed, {_threads(most)}, in the largest working set: median, first to third quartile"
    return Table(caption, ["As in MLC's peak injection memory bandwidths", "GB/s"], rows) if len(rows) > 1 else None


def _in_memory(view):
    rows, measured = [], _measured(view)
    most = {threads for entry in measured for threads in _threads_of(entry)}
    for entry in measured:
        if _word(entry, "pinning", "compact") != "compact":
            continue
        for threads in sorted({min(most), max(most)} & set(_threads_of(entry))):
            point = _of_threads(entry, threads)[-1]
            bus = ", as the bus counts" if _word(entry, "bytes-counted", "program") == "bus" else ""
            stores = "" if _pattern(entry) == "read" else f", {_stores(entry)} stores"
            name = f"{_pattern(entry)}{stores}{bus}, {_threads(threads)}, {formats.size(point.x['bytes'])}"
            rows.append((name, [parts.cell(point)]))
    return Table("In the largest working set, GB/s: median, first to third quartile", ["Stream", "GB/s"], rows)


def further(view):
    """Smaller pictures: over the number of threads, where several were tried, and from node to node."""
    entries = thread_curves(view)
    between_nodes = nodes.figures(view, "cpu-bandwidth", "GB/s")
    if not entries:
        return between_nodes
    heading = "In memory, by more and more threads"
    head = (heading, [])
    picture = charts.over(axes.THREADS, entries, "bandwidth", "GB/s", head, height=FURTHER_HEIGHT_PIXELS)
    return [
        Figure("threads", heading, picture, parts.medians(entries), cpu_bandwidth_method.THREADS), *between_nodes
    ]  # fmt: skip


CPU_BANDWIDTH = Section(
    "cpu-bandwidth", "Bandwidth of the CPU itself", applies, summary, chart, legend, tables, further,
    cpu_bandwidth_method.paragraphs,
)  # fmt: skip
