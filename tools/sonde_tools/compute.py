"""The report's section on arithmetic: rates by type of number, and over the number of work-groups."""

from sonde_tools import axes, charts, formats, parts
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Section, Table
from sonde_tools.series import DEFAULTS

TYPES = ["fp64", "fp32", "fp16", "bf16", "int64", "int32", "int16", "int8"]
FUNCTIONS = ["reciprocal", "square-root", "exponential", "sine"]
MULTIPLY_ADDS = ["fma", "multiply-add"]


def group_curves(view):
    """The labelled curves of multiply-adds of fp32 over the number of work-groups."""
    found = [entry for entry in _rates(view) if _is_multiply_add(entry) and _word(entry, "type") == "fp32"]
    return [entry for entry in found if axes.GROUPS.of([entry])]


def _rates(view):
    return [entry for entry in view.curves if entry.curve.probe == "compute" and entry.curve.unit == "Gop/s"]


def _word(entry, key):
    return entry.curve.series.get(key, DEFAULTS[key])


def _is_multiply_add(entry):
    return _word(entry, "operation") in MULTIPLY_ADDS


def applies(view):
    """Whether arithmetic was measured by several numbers of work-groups."""
    return bool(group_curves(view))


def summary(view):
    """One (colour, text) an API: the fastest multiply-adds of singles and doubles."""
    palette = charts.colours(group_curves(view))
    lines = []
    for entry in group_curves(view):
        rates = [
            (name, _point(view, entry.curve.api, name, MULTIPLY_ADDS, "Gop/s")) for name in ("fp32", "fp64", "fp16")
        ]
        said = [f"{name} {formats.significant(point.median)} Gop/s" for name, point in rates if point]
        lines.append((palette[entry.label], f"{_api_name(entry.curve.api)}: {', '.join(said)}"))
    return lines


def _api_name(api):
    return API_NAMES.get(api, "Simulated")


def _point(view, api, type_name, operations, unit):
    """The point of all work-groups, or of one item alone, or None."""
    for entry in view.curves:
        curve = entry.curve
        wanted = (curve.probe, curve.api, curve.unit, _word(entry, "type")) == ("compute", api, unit, type_name)
        if wanted and _word(entry, "operation") in operations:
            for point in curve.points:
                if not point.x:
                    return point
    return None


def chart(view):
    """The picture of rates over work-groups, with a title and subtitle that let it stand alone."""
    entries = group_curves(view)
    subtitle = [" · ".join([*parts.drivers(view), *parts.dates(view)]), parts.medians(entries)]
    what = "simulated arithmetic" if view.is_model else "arithmetic"
    head = (f"{view.record['name']}: {what} over work-groups", subtitle)
    return charts.over(axes.GROUPS, entries, "rate", "Gop/s", head)


def legend(view):
    """What the picture shows, in sentences."""
    text = "Multiply-adds of 32-bit numbers, two operations each. The rate climbs until every compute unit is busy."
    return f"{parts.medians(group_curves(view))} {text}"


def tables(view):
    """For each API a row a type: rates of all work-groups, and how long one operation takes; then functions."""
    found = []
    for api in dict.fromkeys(entry.curve.api for entry in _rates(view)):
        found += filter(None, [_by_type(view, api), _by_function(view, api)])
    return found


def _cell(point):
    return parts.cell(point) if point else parts.NOTHING


def _by_type(view, api):
    rows = []
    for name in TYPES:
        rates = [_point(view, api, name, operations, "Gop/s") for operations in (MULTIPLY_ADDS, ["add"], ["multiply"])]
        if any(rates):
            one = _point(view, api, name, MULTIPLY_ADDS, "ns")
            rows.append((name, [*map(_cell, rates), _cell(one)]))
    if dots := _point(view, api, "int8", ["dot4"], "Gop/s"):
        one = _point(view, api, "int8", ["dot4"], "ns")
        rows.append(("int8, dot4", [_cell(dots), parts.NOTHING, parts.NOTHING, _cell(one)]))
    caption = f"{_api_name(api)}: operations by type, Gop/s; a multiply-add is two, dot4 is four of them"
    headings = ["Type", "multiply-add", "add", "multiply", "one multiply-add after the other, ns"]
    return Table(caption, headings, rows) if rows else None


def _by_function(view, api):
    rows = []
    for name in FUNCTIONS:
        rate, one = (_point(view, api, "fp32", [name], unit) for unit in ("Gop/s", "ns"))
        if rate or one:
            rows.append((name, [_cell(rate), _cell(one)]))
    caption = f"{_api_name(api)}: functions of 32-bit floating-point numbers"
    return Table(caption, ["Function", "Gop/s", "one after the other, ns"], rows) if rows else None


def further(_view):
    """No further pictures."""
    return []


def method(view):
    """How it was measured, in paragraphs."""
    found = [
        "All work-items compute several chains of steps, each of which needs the one before. Multipliers are arguments and "
        "chains begin with numbers from memory, so that nothing can be computed beforehand; every item leaves a word that "
        "tells all its chains, and the host has to find the same by making the same steps.",
        "Vectors, chains of an item and work-groups are searched for the fastest shape. The time of one operation is that of "
        "a single chain of a single item.",
    ]
    if view.is_model:
        found.insert(0, "All values are simulated: the rates are a model's, not hardware.")
    return found


COMPUTE = Section("compute", "Arithmetic", applies, summary, chart, legend, tables, further, method)
