"""What is in this machine: of each device a few rows with its levels, kinds of memory and copy engines."""

from dataclasses import dataclass

from sonde_tools import bandwidth, copies, cpu_latency, formats, latency, levels, memory_kinds, parts, series
from sonde_tools.devices import API_NAMES
from sonde_tools.sections import Cell


@dataclass(frozen=True)
class Overview:
    """One device: what it is and who says so, rows (name, cells of size, latency and bandwidth), and notes (name, text)."""

    title: str
    about: str
    rows: list
    notes: list


def of(view):
    """The Overview of a device; its rows are empty where nothing was measured that has a size."""
    entry, rows = _levels(view)
    types = {"cpu": "CPU", "integrated": "integrated GPU", "discrete": "GPU", "model": ""}
    kind = types.get(view.record["type"], view.record["type"])
    units = view.record.get("compute_units")
    about = ", ".join(filter(None, [kind, units and f"{units} compute units", _by(view, entry) if entry else ""]))
    return Overview(view.title, about, rows, [*_native(view), *_memory(view), *_copies(view)])


def _by(view, entry):
    """The driver that a curve was measured by, and its file where there are several."""
    api, file = entry.curve.api, entry.recording
    driver = view.records[view.recordings.index(file)].get(api)
    name = "" if view.is_model else f"by {API_NAMES.get(api, api)}"
    named = f"{name}: {parts.driver_name(driver)}" if name and driver else name
    return ", ".join(filter(None, [named, file.path.name if len(view.recordings) > 1 else ""]))


def _levels(view):
    """The labelled curve whose levels are shown, and a row for each; of a curve without levels its ends."""
    of_latency = latency.latency_curves(view)
    known = [entry for entry in of_latency if levels.levels_of(entry)]
    if known:
        # The first file's API that adds the least of its own to a load is shown.
        first = [entry for entry in known if entry.recording is known[0].recording]
        best = min(first, key=lambda entry: levels.levels_of(entry)[0]["latency_ns"]["value"])
        return best, _rows(view, levels.side_by_side(levels.levels_of(best), levels.bandwidth_levels_of(best)))
    of_bandwidth = bandwidth.bandwidth_curves(view)
    for entry in of_bandwidth:
        if found := levels.bandwidth_levels_of(entry):
            return entry, _rows(view, levels.side_by_side([], found))
    if of_latency or of_bandwidth:
        return (of_latency or of_bandwidth)[0], _ends(of_latency[:1], of_bandwidth[:1])
    return None, []


def _rows(view, pairs):
    pairs = sorted(pairs, key=lambda pair: levels.place(pair))
    return [(levels.row_name(pair), [_size(view, pair), *_costs(*pair)]) for pair in pairs]


def _size(view, pair):
    level = pair[0] or pair[1]
    memory = view.record.get("memory_bytes")
    if not level.get("bytes") and level.get("name") != "beyond" and memory:
        return Cell(formats.size_short(memory))
    return levels.cell(levels.size_text(level))


def _costs(of_latency, of_bandwidth):
    latency_, bandwidth_ = Cell("–"), Cell("–")
    if of_latency:
        band = of_latency["latency_ns"]
        latency_ = levels.cell(formats.latency_between(band["value"], band["low"], band["high"]))
    if of_bandwidth:
        band = of_bandwidth["bandwidth"]
        low, value, high = (formats.significant(band[name]) for name in ("low", "value", "high"))
        bandwidth_ = Cell(f"{value} GB/s", f"({low} to {high})")
    return [latency_, bandwidth_]


def _ends(of_latency, of_bandwidth):
    rows = {}
    for column, entries, text in ((1, of_latency, formats.latency), (2, of_bandwidth, formats.gbps)):
        for entry in entries:
            points = [point for point in entry.points if "bytes" in point.x]
            for name, point in (("smallest working set", points[0]), ("largest working set", points[-1])):
                size = formats.size_short(point.x["bytes"])
                cells = rows.setdefault((name, size), [Cell(size), Cell("–"), Cell("–")])
                cells[column] = Cell(text(point.median), "", point.disturbed)
    return [(name, cells) for (name, _), cells in rows.items()]


def _native(view):
    """What native code found of a CPU."""
    known = [entry for entry in cpu_latency.own_curves(view) if levels.levels_of(entry)]
    return [("The CPU itself", f"{known[0].label}: {levels.verdict(levels.levels_of(known[0]))}")] if known else []


def _memory(view):
    """A note for each API: which kinds of memory are shared, which are copied."""
    found = {}
    for finding in memory_kinds.findings_of(view):
        if finding["probe"] == "zero-copy":
            ways = found.setdefault(finding["api"], {}).setdefault(_word(finding, "memory"), {})
            ways.setdefault(finding["series"].get("direction"), finding["heading"].lower())
    return [(_named(view, found, "Kinds of memory", api), _shared(of_kinds)) for api, of_kinds in found.items()]


def _shared(of_kinds):
    said = {}
    for kind, ways in of_kinds.items():
        to_device, to_host = (ways.get(way, ways.get(None)) for way in ("to-device", "to-host"))
        differ = to_device and to_host and to_device != to_host
        text = f"{to_device} to the device; {to_host} to the host" if differ else to_device or to_host or "unclear"
        said.setdefault(text, []).append(kind)
    return " · ".join(f"{text}: {', '.join(names)}" for text, names in said.items())


def _copies(view):
    """A note for each API: copy engines, and what the fastest copies between host and device get."""
    found = {}
    for _, finding in view.findings:
        if finding.get("probe") == "copy" and finding.get("value") is not None:
            found.setdefault(finding.get("api"), []).append(finding)
    notes = [(_named(view, found, "Copies", api), _copying(findings)) for api, findings in found.items()]
    return [note for note in notes if note[1]]


def _copying(findings):
    # Kernels copy too, but are no engine of copies.
    findings = [found for found in findings if _word(found, "engine") != "compute-shader"]
    engines = [found for found in findings if found["finding"] == "engines"]
    counts = ", ".join(f"{formats.quantity(found['value'], 'ratio')} ({_word(found, 'engine')})" for found in engines)
    texts = [f"engines: {counts}"] if counts else []
    for way in ("to-device", "to-host"):
        rates = [each for each in findings if each["finding"] == "bandwidth" and _word(each, "direction") == way]
        if rates:
            best = max(rates, key=lambda each: each["value"])
            by = ", ".join(copies.way(best.get("series") or {}))
            texts.append(f"{formats.gbps(best['value'])} {copies.DIRECTIONS[way]} ({by})")
    delays = [each["value"] for each in findings if each["finding"] == "latency" and each.get("unit") == "us"]
    if delays:
        texts.append(f"a small one takes {formats.quantity(min(delays), 'us')}")
    return " · ".join(texts)


def _word(finding, key):
    return series.word(finding.get("series"), key)


def _named(view, found, name, api):
    return name if view.is_model or len(found) == 1 else f"{name}, {API_NAMES.get(api, api)}"
