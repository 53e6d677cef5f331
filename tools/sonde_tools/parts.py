"""What sections share: titles, sentences below a picture, the table of telling sizes, and a section of plain curves."""

from sonde_tools import charts, formats
from sonde_tools.curves import FEWEST_OF_INTERVAL, contradicted
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Figure, Section, Table

FURTHER_HEIGHT_PIXELS = 300

# The rows that the program prints too, each for the nearest size within a tenth of it: sizes are whole lines, and the
# next grid point is 19 % away.
TELLING_SIZES_BYTES = [(4 << 10) * 4**step for step in range(11)]
NEAR = 0.1
NOTHING = Cell("–")


def section_of_curves(name, heading, curves, across, quantity, unit, what, text, note="", **others):
    """A Section whose picture is one of labelled curves over an Across.

    curves: view -> those of the picture; what: the picture's title; text: curve -> what the summary says of it; note: a
    sentence below the picture; others: fields of the Section, which stand for those that are made here.
    """

    def summary(view):
        palette = charts.colours(curves(view))
        return [(palette[entry.label], f"{entry.label}: {text(entry)}") for entry in curves(view)]

    def chart(view):
        return charts.over(across, curves(view), quantity, unit, head(view, what, medians(curves(view))))

    def legend(view):
        return described(curves(view), note)

    made = {"applies": lambda view: bool(curves(view)), "summary": summary, "chart": chart, "legend": legend}
    return Section(name, heading, **(made | others))


def figure_of_curves(name, heading, across, entries, quantity, unit, note="", **drawn):
    """A further Figure of labelled curves, as a list; empty where there are none."""
    if not entries:
        return []
    picture = charts.over(across, entries, quantity, unit, (heading, []), height=FURTHER_HEIGHT_PIXELS, **drawn)
    return [Figure(name, heading, picture, f"{medians(entries)} {note}".strip())]


def head(view, what, *lines):
    """Title and subtitle's lines of a picture that stands alone."""
    simulated = "simulated " if view.is_model else ""
    return f"{view.record['name']}: {simulated}{what}", [about(view), *filter(None, lines)]


def about(view):
    """'OpenCL: PoCL 3.1 · 2025-03-04'."""
    return " · ".join([*drivers(view), *dates(view)])


def ends(text, where=lambda point: formats.size(point.x["bytes"])):
    """A function that says a curve's first and last point: '1.50 ns in 1 KiB, 96.0 ns in 256 MiB'."""

    def said(entry):
        points = entry.points if len(entry.points) == 1 else [entry.points[0], entry.points[-1]]
        return ", ".join(f"{text(point.median)} in {where(point)}" for point in points)

    return said


def medians(entries, band=True):
    """What a point and, where there is one, its bar or band are, in sentences."""
    points = [point for entry in entries for point in entry.points]
    counts = [len(point.values) for point in points]
    drawn = f" with {intervals(points)}" if band else ""
    text = f"Medians of {formats.span(min(counts), max(counts), str)} repetitions{drawn}."
    if max(counts) == 1 and not any(point.interval for point in points):
        text = "Single measurements."
    if any(point.disturbed for point in points):
        text += " Hollow points: other programs were using the CPU, or its core."
    spikes = sum(sum(contradicted(entry.points)) for entry in entries)
    if spikes:
        text += f" Hollow too: {_points(spikes)} that both neighbours contradict."
    return text


def intervals(points):
    """What the bars and bands of points are."""
    sure = [bool(point.interval) or len(point.values) >= FEWEST_OF_INTERVAL for point in points]
    if not any(sure):
        return "all values, lowest to highest"
    return "95 % intervals" + ("" if all(sure) else " (of fewer than six values: lowest to highest)")


def described(entries, *sentences):
    """What stands below a picture: medians, the sentences, and what was out of the ordinary at some points."""
    points = [point for entry in entries for point in entry.points]
    found = [medians(entries), *sentences]
    throttled = [reasons for point in points if (reasons := point.state.get("throttle_reasons"))]
    if throttled:
        reasons = ", ".join(sorted(set().union(*throttled)))
        found.append(f"At {_points(len(throttled))} the GPU was throttled ({reasons}): it can be faster than that.")
    unsettled = sum(point.state.get("clock_settled") is False for point in points)
    if unsettled:
        found.append(f"At {_points(unsettled)} the device's clock had not settled before it was measured.")
    return " ".join(filter(None, found))


def _points(count):
    return "one point" if count == 1 else f"{count} points"


def telling_sizes(entries, caption):
    """A row a telling size, a column a curve, and the largest size."""
    sizes = [{point.x["bytes"]: point for point in entry.points if "bytes" in point.x} for entry in entries]
    return telling_rows(caption, [entry.label for entry in entries], sizes)


def telling_rows(caption, names, columns, unit=""):
    """A row a telling size and one for the largest; columns: for each name {size in bytes: point}; unit: of values."""
    largest = max(size for column in columns for size in column)
    sizes = [size for size in TELLING_SIZES_BYTES if size < largest and not _is_near(largest, size)]
    rows = [(formats.size(size), [_nearest(column, size, unit) for column in columns]) for size in sizes]
    rows.append((f"{formats.size(largest)} (largest)", [_nearest(column, largest, unit) for column in columns]))
    rows = [(name, cells) for name, cells in rows if any(cell is not NOTHING for cell in cells)]
    return Table(caption, ["Working set", *names], rows)


def all_points(probe, entries):
    """A row for each point of curves that are in no table."""
    rows = [
        (", ".join([entry.label, *(formats.coordinate(*place) for place in point.x.items())]),
         [cell(point), Cell(entry.curve.unit)])
        for entry in entries
        for point in entry.points
    ]  # fmt: skip
    caption = f"{probe.replace('-', ' ').capitalize()}: median, first to third quartile"
    return Table(caption, ["What", "Value", "Unit"], rows)


def _nearest(column, size_bytes, unit):
    near = [size for size in column if _is_near(size, size_bytes)]
    return cell(column[min(near, key=lambda size: abs(size - size_bytes))], unit) if near else NOTHING


def _is_near(size_bytes, row_bytes):
    return abs(size_bytes / row_bytes - 1) < NEAR


def cell(point, unit=""):
    """A point's median and its quartiles, or what was concluded from it and its interval; cycles where they are known."""
    low, value, high = (_value_text(point.band[name], unit) for name in ("low", "value", "high"))
    cycles = "" if point.cycles is None else f"; {formats.cycles(point.cycles)}"
    return Cell(value, f"{low} to {high}{cycles}", point.disturbed)


def _value_text(value, unit):
    if unit == "ratio":
        return f"{round(value, 3) + 0.0:.3g}"
    return formats.size_short(value) if unit == "bytes" else formats.significant(value)


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
    return list(dict.fromkeys((recording.run.get("time") or "")[:10] for recording in view.recordings))
