"""The report's section on the CPU's own bandwidth: gigabytes a second over the working set, and over threads."""

from sonde_tools import axes, charts, formats, heat_maps, parts, pivot


def _measured(view):
    found = view.of("cpu-bandwidth", "GB/s", "bytes", "cpu_threads")
    return [entry for entry in found if "placement" not in entry.series]


def _plain(view):
    """Those of ordinary stores and of the bytes that the program moves."""
    return [
        entry for entry in _measured(view)
        if entry.word("stores") == "ordinary" and entry.word("bytes-counted") == "program"
    ]  # fmt: skip


def _by_threads(entry):
    """{number of threads: its points in the order of their working sets}."""
    found = {}
    for point in sorted(entry.points, key=lambda point: (point.x["cpu_threads"], point.x["bytes"])):
        found.setdefault(point.x["cpu_threads"], []).append(point)
    return found


def size_curves(view):
    """Labelled curves over the working set, one for each number of threads that has several: 'read, 8 threads'."""
    return [
        entry.with_points(points, f"{entry.word('pattern')}, {formats.threads(threads)}")
        for entry in _plain(view)
        for threads, points in _by_threads(entry).items()
        if len(points) > 2
    ]


def read_curves(view):
    """The curves of reading by most threads first, for pictures of several devices."""
    found = [entry for entry in size_curves(view) if entry.word("pattern") == "read"]
    return sorted(found, key=lambda entry: -entry.points[0].x["cpu_threads"])


def thread_curves(view):
    """Labelled curves over the number of threads, each in its largest working set: 'triad, compact'."""
    found = []
    for entry in _plain(view):
        points = [points[-1] for points in _by_threads(entry).values()]
        if len(points) > 1 and entry.word("pattern") in ("read", "triad"):
            found.append(entry.with_points(points, f"{entry.word('pattern')}, {entry.word('pinning')}"))
    return found


def _chart(view):
    entries = size_curves(view)
    about = [" · ".join(parts.dates(view)), parts.medians(entries)]
    head = (f"{view.record['name']}: bandwidth of the CPU itself over working-set size", about)
    return charts.over_size(entries, "bandwidth", "GB/s", head)


def _tables(view):
    return pivot.tables([*_measured(view), *heat_maps.of_latest(view, "cpu-bandwidth", "GB/s")])


def _further(view):
    heading = "In memory, by more and more threads"
    entries = thread_curves(view)
    return [
        *parts.figure_of_curves("threads", heading, axes.THREADS, entries, "bandwidth", "GB/s"),
        *heat_maps.figures_of_nodes(view, "cpu-bandwidth", "GB/s"),
    ]


CPU_BANDWIDTH = parts.section_of_curves(
    "cpu-bandwidth", "Bandwidth of the CPU itself", size_curves, axes.SIZE, "bandwidth", "GB/s", "",
    parts.ends(formats.gbps), "Counted is what the program reads and writes, as STREAM counts.",
    chart=_chart, tables=_tables, further=_further,
)  # fmt: skip
