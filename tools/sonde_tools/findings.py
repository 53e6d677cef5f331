"""What the probes concluded: a plain heading for each fixed word, and which edges the latency chart marks."""

from sonde_tools import formats, series
from sonde_tools.devices import API_NAMES

HEADINGS = {
    "translation": "Address translation",
    "apis-disagree": "OpenCL and Vulkan disagree",
    "probes-disagree": "Two probes disagree",
    "orders-disagree": "Two orders of loads disagree",
    "launch": "Cost of a dispatch",
    "saturated-by": "What saturates the memory",
    "suspicious": "Suspicious value",
    "zero-copy": "Shared without a copy",
    "copies": "Copied, not shared",
    "migrates": "Pages migrate",
    "cache-maintenance": "Cache maintenance",
    "unclear": "Unclear",
    "unsupported": "Not supported",
    "like-device-memory": "As fast as device memory",
    "bypasses-last-level-cache": "Bypasses the last-level cache",
    "across-the-bus": "Across the bus",
    "slow-for-the-cpu": "Slow for the CPU",
    "round-trip": "Round trip between CPU and GPU",
    "latency": "Latency of a copy",
    "bandwidth": "Bandwidth of a copy",
    "engines": "Copy engines",
    "overlaps-compute": "Copies while computing",
    "idle-latency": "Latency without load",
    "full-load-latency": "Latency under full load",
    "effective-capacity": "What the last cache holds",
    "none-seen": "No cache before memory seen",
    "methods-differ": "Counters against timing",
    "contrast-too-small": "Hits hardly faster than misses",
    "one-core-load-latency": "Latency beside one loading core",
    "load-for-10-percent": "Load that adds 10 % to the latency",
    "load-for-50-percent": "Load that adds 50 % to the latency",
    "cpu-loss": "What the CPU loses",
    "gpu-loss": "What the GPU loses",
    "exchange-latency": "Round trip between cores",
    "held-line-latency": "Loading what another core holds",
    "queue-rate": "A queue from core to core",
    "copy-rate": "A copy from core to core, by way of memory",
    "split-lock-latency": "A locked operation across two lines",
    "split-lock-loss": "What split locks take from another core",
    "node-latency": "Latency from node to node",
    "node-bandwidth": "Bandwidth from node to node",
    "nodes-crossing": "All nodes reading from the next one",
    "peak": "Fastest arithmetic",
    "half-rate": "Halves are not twice as fast",
    "sustained": "Arithmetic without a pause",
    "ridge": "Operations a byte until arithmetic is the limit",
    "non-temporal-gain": "What non-temporal stores gain",
}


def heading(word):
    """The heading of a fixed word; a word of a later version is spelt out."""
    return HEADINGS.get(word) or word.replace("-", " ").capitalize()


def groups(view):
    """All findings on a device as (heading, list of (head, evidence)), one group for each fixed word."""
    found = {}
    for recording, finding in view.findings:
        file = recording.path.name if len(view.recordings) > 1 else None
        found.setdefault(heading(finding["finding"]), []).append((_head(view, finding, file), finding["evidence"]))
    return list(found.items())


def _head(view, finding, file):
    api = API_NAMES["model"] if view.is_model else API_NAMES.get(finding.get("api"))
    where = ", ".join(filter(None, [api, finding.get("probe"), *series.words(finding.get("series")), file]))
    value = finding.get("value")
    amount = "" if value is None else _amount(value, finding)
    return ": ".join(filter(None, [where, amount]))


def _amount(value, finding):
    """The value, and the interval that another run's lies in where it is known."""
    unit, low, high = finding.get("unit"), finding.get("low"), finding.get("high")
    text = formats.quantity(value, unit)
    if low is None or high is None or low == high:
        return text
    return f"{text} ({formats.quantity(low, unit)} to {formats.quantity(high, unit)})"


def translation_edges(view, entries):
    """(label of the curve, bytes) for each edge of address translation that belongs to one of the curves."""
    found = []
    for recording, finding in view.findings:
        if finding["finding"] != "translation" or finding.get("unit") != "bytes" or not finding.get("value"):
            continue
        # Pages are walked with nothing beside the walk, whatever kept memory awake for the levels.
        place = finding.get("api"), finding.get("probe"), series.without_order(finding.get("series"), "fabric")
        for entry in entries:
            curve = entry.curve
            own = curve.api, curve.probe, series.without_order(curve.series, "fabric")
            if entry.recording is recording and own == place:
                found.append((entry.label, finding["value"]))
                break
    return list(dict.fromkeys(found))
