"""The report's section on the latency probe: nanoseconds a hop over the working set."""

from sonde_tools import charts, formats
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Section, Table

TELLING_SIZES_BYTES = [4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20, 64 << 20, 256 << 20]
# Sizes are whole lines, so a power of two may be missed by a little; the next grid point is 19 % away.
NEAR_ENOUGH = 1.09


def latency_curves(view):
    """The labelled curves of a device that hold latencies in ns over the working set."""
    return [
        entry
        for entry in view.curves
        if entry.curve.probe == "latency"
        and entry.curve.unit == "ns"
        and any("bytes" in p.x for p in entry.curve.points)
    ]


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(latency_curves(view))


def summary(view):
    """One (colour, text) a series: latency in the smallest and in the largest working set."""
    palette = charts.colours(latency_curves(view))
    lines = []
    for entry in latency_curves(view):
        first, last = entry.curve.points[0], entry.curve.points[-1]
        text = f"{entry.label}: {formats.latency(first.median)} in {formats.size(first.x['bytes'])}"
        if last is not first:
            text += f", {formats.latency(last.median)} in {formats.size(last.x['bytes'])}"
        lines.append((palette[entry.label], text))
    return lines


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    subtitle = [" · ".join([*_drivers(view), *_dates(view)]), legend(view)]
    what = "simulated memory latency" if view.is_model else "memory latency"
    title = f"{view.record['name']}: {what} over working-set size"
    return charts.over_size(latency_curves(view), "latency", "ns", title, subtitle)


def legend(view):
    """What the picture's marks mean, in sentences."""
    points = [point for entry in latency_curves(view) for point in entry.curve.points]
    counts = [len(point.values) for point in points]
    text = f"Medians of {formats.span(min(counts), max(counts), str)} repetitions, band from first to third quartile."
    if any(point.disturbed for point in points):
        text += " Hollow points: other programs were using the CPU."
    return text


def table(view):
    """Latency at telling sizes: a row a size, a column a series."""
    entries = latency_curves(view)
    largest = max(point.x["bytes"] for entry in entries for point in entry.curve.points)
    sizes = [size for size in TELLING_SIZES_BYTES if size * NEAR_ENOUGH < largest]
    rows = [(formats.size(size), [_cell(entry.curve, size) for entry in entries]) for size in sizes]
    rows.append((f"{formats.size(largest)} (largest)", [_cell(entry.curve, largest) for entry in entries]))
    what = "Simulated latency" if view.is_model else "Latency"
    caption = f"{what} at telling sizes, ns: median, first to third quartile"
    return Table(caption, ["Working set", *(entry.label for entry in entries)], rows)


def method(view):
    """How it was measured, with the numbers of this run where the samples carry them."""
    points = [point for entry in latency_curves(view) for point in entry.curve.points]
    line = view.record.get("line_bytes")
    spaced = f"one every {line} bytes" if line else "each in its own cache line"
    paragraphs = [
        "Each point is the time of one step in a single chain of dependent loads: every load gives the address of the "
        f"next, so no two overlap. The chain is a random cycle over distinct lines ({spaced}) that fill the working "
        "set, walked on without a restart, so that no line comes again before all others have been visited and no "
        "prefetcher can guess the next one.",
        _timing(points),
        "A point during which other programs, or the machine's hypervisor, took more than a few percent of the CPU "
        f"time was measured again. {_disturbed(points)}",
    ]
    if view.is_model:
        paragraphs.insert(
            0, "All values are simulated: the same walk runs through the caches of a model, not on hardware."
        )
    return paragraphs


def _timing(points):
    text = "Time is taken by the device's own timestamps around each dispatch, "
    launches = [point.state["launch_ns"] for point in points if point.state.get("launch_ns") is not None]
    if launches:
        text += f"less the cost of an empty dispatch ({formats.span(min(launches), max(launches), formats.latency)}). "
    else:
        text += "less the cost of an empty dispatch. "
    text += (
        "After every dispatch the index at which the chain ended is compared with the one it must end at; "
        "a chain that stopped early or went astray is an error, never a value."
    )
    steps = [point.state["steps"] for point in points if point.state.get("steps")]
    counts = [len(point.values) for point in points]
    if steps:
        span = formats.span(min(steps), max(steps), lambda number: f"{number:,}")
        text += f" One repetition is {span} steps."
    return text + f" Each point has {formats.span(min(counts), max(counts), str)} repetitions."


def _disturbed(points):
    count = sum(point.disturbed for point in points)
    if not count:
        return "No point had to be marked."
    if count == 1:
        return "One point stayed above that limit and is drawn hollow: its true latency may be lower."
    return f"{count} points stayed above that limit and are drawn hollow: their true latency may be lower."


def _cell(curve, size_bytes):
    near = [point for point in curve.points if 1 / NEAR_ENOUGH < point.x["bytes"] / size_bytes < NEAR_ENOUGH]
    if not near:
        return Cell("–")
    point = min(near, key=lambda point: abs(point.x["bytes"] - size_bytes))
    low, high = formats.significant(point.low_quartile), formats.significant(point.high_quartile)
    return Cell(formats.significant(point.median), f"{low} to {high}", point.disturbed)


def _drivers(view):
    named = [(api, view.drivers(api)) for api in ("opencl", "vulkan")]
    texts = [f"{API_NAMES[api]}: {' and '.join(map(driver_name, drivers))}" for api, drivers in named if drivers]
    return texts or (["simulated device"] if view.is_model else [])


def driver_name(driver):
    """A driver object as text: 'PoCL 3.1'."""
    return " ".join(filter(None, [driver.get("driver") or driver.get("platform"), driver.get("driver_version")]))


def _dates(view):
    return list(dict.fromkeys(str(recording.run.get("time", ""))[:10] for recording in view.recordings))


LATENCY = Section("latency", "Memory latency", applies, summary, chart, legend, table, method)
