"""What sections share: lines under a title, sentences below a picture, and the table of telling sizes."""

from sonde_tools import formats
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Table

# The rows that the program prints too, each for the nearest size within a tenth of it: sizes are whole lines, and the
# next grid point is 19 % away.
TELLING_SIZES_BYTES = [(4 << 10) * 4**step for step in range(11)]
NEAR = 0.1
NOTHING = Cell("–")


def medians(entries, band=True):
    """What a point and, where there is one, its band are, in sentences."""
    points = [point for entry in entries for point in entry.curve.points]
    counts = [len(point.values) for point in points]
    drawn = ", band from first to third quartile" if band else ""
    text = f"Medians of {formats.span(min(counts), max(counts), str)} repetitions{drawn}."
    if any(point.disturbed for point in points):
        text += " Hollow points: other programs were using the CPU, or its core."
    return text


def telling_sizes(entries, caption):
    """A row a telling size, a column a curve, and the largest size."""
    largest = max(point.x["bytes"] for entry in entries for point in entry.curve.points)
    sizes = [size for size in TELLING_SIZES_BYTES if size < largest and not _is_near(largest, size)]
    rows = [(formats.size(size), [_cell(entry.curve, size) for entry in entries]) for size in sizes]
    rows.append((f"{formats.size(largest)} (largest)", [_cell(entry.curve, largest) for entry in entries]))
    return Table(caption, ["Working set", *(entry.label for entry in entries)], rows)


def all_points(probe, entries):
    """A row for each point of a probe that has no section of its own."""
    rows = [
        (", ".join([entry.label, *(formats.coordinate(*place) for place in point.x.items())]),
         [cell(point), Cell(entry.curve.unit)])
        for entry in entries if entry.curve.unit != "cycles"
        for point in entry.curve.points
    ]  # fmt: skip
    caption = f"{probe.replace('-', ' ').capitalize()}: median, first to third quartile"
    return Table(caption, ["What", "Value", "Unit"], rows)


def _cell(curve, size_bytes):
    near = [point for point in curve.points if _is_near(point.x["bytes"], size_bytes)]
    if not near:
        return NOTHING
    return cell(min(near, key=lambda point: abs(point.x["bytes"] - size_bytes)))


def _is_near(size_bytes, row_bytes):
    return abs(size_bytes / row_bytes - 1) < NEAR


def cell(point):
    """A point's median, and its quartiles as a note."""
    low, high = formats.significant(point.low_quartile), formats.significant(point.high_quartile)
    cycles = "" if point.cycles is None else f"; {formats.cycles(point.cycles)}"
    return Cell(formats.significant(point.median), f"{low} to {high}{cycles}", point.disturbed)


def drivers(view):
    """'OpenCL: PoCL 3.1' for each API of the device."""
    named = [(api, view.drivers(api)) for api in ("opencl", "vulkan")]
    texts = [f"{API_NAMES[api]}: {' and '.join(map(driver_name, drivers))}" for api, drivers in named if drivers]
    return texts or (["simulated device"] if view.is_model else [])


def driver_name(driver):
    """A driver object as text: 'PoCL 3.1'."""
    return " ".join(filter(None, [driver.get("driver") or driver.get("platform"), driver.get("driver_version")]))


def dates(view):
    """The days of the runs."""
    return list(dict.fromkeys(str(recording.run.get("time", ""))[:10] for recording in view.recordings))
