"""The report's section on the copy probe: gigabytes a second over the size of a copy, by engine and direction."""

from dataclasses import replace

from sonde_tools import axes, charts, copy_method, formats, parts
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell, Figure, Section, Table
from sonde_tools.series import DEFAULTS

FURTHER_HEIGHT_PIXELS = 300
SIZE = replace(axes.SIZE, title="size of a copy")
DIRECTIONS = {
    "to-device": "to the device",
    "to-host": "to the host",
    "both": "both at once",
    "within": "within the device",
}


def _word(series, key):
    return series.get(key, DEFAULTS[key])


def _all_curves(view):
    """Copies on one queue alone, in GB/s: what two directions at once give is counted together."""
    found = []
    for entry in view.curves:
        curve = entry.curve
        if curve.probe != "copy" or curve.unit != "GB/s" or "fabric" in curve.series:
            continue
        points = [point for point in curve.points if "queues" not in point.x]
        if points and _word(curve.series, "counted") == "total":
            found.append(replace(entry, label=_label(entry, view.is_model), curve=replace(curve, points=points)))
    return found


def _label(entry, is_model):
    """'OpenCL, driver, pinned, to the device', and the driver or file where several are compared."""
    api = API_NAMES["model"] if is_model else API_NAMES.get(entry.curve.api, entry.curve.api)
    suffix = entry.label[entry.label.rfind(" (") :] if entry.label.endswith(")") else ""
    return ", ".join([api, *way(entry.curve.series), DIRECTIONS[_word(entry.curve.series, "direction")]]) + suffix


def way(series):
    """Engine and kind of host memory: copies within the device have none."""
    engine = _word(series, "engine")
    return [engine] if _word(series, "direction") == "within" else [engine, _word(series, "host")]


def _is_main(entry):
    series = entry.curve.series
    between = _word(series, "direction") != "within" and _word(series, "engine") != "compute-shader"
    return between and _word(series, "host") == "pinned"


def copy_curves(view):
    """The labelled curves of the main picture: pinned memory by the driver's and copy engines, or what there is."""
    found = _all_curves(view)
    return [entry for entry in found if _is_main(entry)] or found


def applies(view):
    """Whether the device has anything to show in this section."""
    return bool(_all_curves(view))


def summary(view):
    """One (colour, text) a series: what the largest copies get."""
    palette = charts.colours(copy_curves(view))
    return [(palette[entry.label], f"{entry.label}: {_largest(entry.curve)}") for entry in copy_curves(view)]


def _largest(curve):
    last = curve.points[-1]
    return f"{formats.significant(last.median)} GB/s in copies of {formats.size(last.x['bytes'])}"


def chart(view):
    """The main picture, with a title and subtitle that let it stand alone."""
    entries = copy_curves(view)
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    what = "simulated copies" if view.is_model else "copies"
    title = f"{view.record['name']}: {what} between host and device"
    return charts.over(SIZE, entries, "bandwidth", "GB/s", (title, subtitle))


def legend(view):
    """What the picture shows, in sentences."""
    return f"{parts.medians(copy_curves(view))} {copy_method.COUNTED}"


def tables(view):
    """What every way to copy costs and delivers, as its findings say."""
    rows = {}
    for _, finding in view.findings:
        if finding.get("probe") != "copy" or finding["finding"] not in ("latency", "bandwidth"):
            continue
        if finding.get("value") is None or not finding.get("api"):
            continue
        api = API_NAMES["model"] if view.is_model else API_NAMES.get(finding["api"], finding["api"])
        series = finding.get("series") or {}
        row = rows.setdefault(", ".join([api, *way(series)]), {})
        row.setdefault(_word(series, "direction"), {})[finding["finding"]] = finding
    if not rows:
        return []
    columns = [key for key in DIRECTIONS if any(key in row for row in rows.values())]
    body = [(name, [_cell(row.get(key, {})) for key in columns]) for name, row in rows.items()]
    what = "Simulated copies" if view.is_model else "Copies"
    caption = f"{what}: GB/s of large ones, and what a small one takes beside its bytes"
    return [Table(caption, ["Way", *(DIRECTIONS[key] for key in columns)], body)]


def _cell(found):
    if "bandwidth" not in found:
        return Cell("–")
    latency = found.get("latency")
    detail = formats.quantity(latency["value"], latency.get("unit")) if latency else ""
    return Cell(f"{formats.significant(found['bandwidth']['value'])} GB/s", detail)


def further(view):
    """Smaller pictures of other memory of the host, and of copies by kernels or within the device."""
    main = copy_curves(view)
    others = [entry for entry in _all_curves(view) if entry not in main]
    by_kernel = [entry for entry in others if _word(entry.curve.series, "engine") == "compute-shader"]
    within = [
        entry for entry in others if entry not in by_kernel and _word(entry.curve.series, "direction") == "within"
    ]
    hosts = [entry for entry in others if entry not in by_kernel and entry not in within]
    figures = []
    for name, heading, entries, text in [
        ("host-memory", "From and to other memory of the host", hosts, copy_method.HOSTS),
        ("kernels", "By kernels, and within the device", [*by_kernel, *within], copy_method.KERNELS),
    ]:
        if entries:
            picture = charts.over(
                SIZE, entries, "bandwidth", "GB/s", (heading, []), height=FURTHER_HEIGHT_PIXELS, beside=main
            )  # fmt: skip
            figures.append(Figure(name, heading, picture, parts.medians(entries), text))
    return figures


def method(view):
    """How it was measured, in paragraphs."""
    return copy_method.paragraphs(view, _all_curves(view))


COPY = Section("copy", "Copies", applies, summary, chart, legend, tables, further, method)
