"""Pictures of many devices at once: one curve a device, or one a driver version where several drove the same device."""

from collections import Counter, namedtuple
from dataclasses import dataclass, replace

from sonde_tools import (
    axes,
    bandwidth,
    charts,
    contention,
    copies,
    cpu_bandwidth,
    cpu_latency,
    end_names,
    formats,
    frames,
    latency,
    loaded_latency,
    marks,
    parts,
)
from sonde_tools.curves import pooled
from sonde_tools.devices import API_NAMES, LabelledCurve
from sonde_tools.sections import Figure, Table

# A picture compares a quantity; candidates: view -> the labelled curves that stand for a device, the best first.
Quantity = namedtuple("Quantity", "name heading quantity unit across candidates")


def _read(view):
    found = [entry for entry in bandwidth.bandwidth_curves(view) if entry.word("pattern") == "read"]
    return sorted(found, key=lambda entry: entry.word("sharing") != "shared")


def _copied(view, direction):
    found = [entry for entry in copies.copy_curves(view) if entry.word("direction") == direction]
    return sorted(found, key=lambda entry: -entry.points[-1].median)


QUANTITIES = [
    Quantity("latency", "Memory latency", "latency", "ns", axes.SIZE, latency.latency_curves),
    Quantity("bandwidth", "Memory bandwidth, reading", "bandwidth", "GB/s", axes.SIZE, _read),
    Quantity("bandwidth-writing", "Memory bandwidth, writing", "bandwidth", "GB/s", axes.SIZE,
             lambda view: [entry for entry in bandwidth.all_curves(view) if entry.word("pattern") == "write"]),
    Quantity("loaded-latency", "Latency under load", "latency", "ns", axes.LOAD,
             lambda view: loaded_latency.loaded_curves(view)[::-1]),
    Quantity("copy-to-device", "Copies to the device", "bandwidth", "GB/s", copies.SIZE,
             lambda view: _copied(view, "to-device")),
    Quantity("copy-to-host", "Copies to the host", "bandwidth", "GB/s", copies.SIZE, lambda view: _copied(view, "to-host")),
    Quantity("contention", "CPU latency while the GPU uses memory", "CPU latency", "ns", axes.LOAD,
             contention.loaded_curves),
    Quantity("frames", "Time of a frame", "time of a frame", "ms", frames.RESOLUTION, frames.frame_times),
    Quantity("cpu-latency", "Latency of the CPU itself", "latency", "ns", axes.SIZE, cpu_latency.own_curves),
    Quantity("cpu-bandwidth", "Bandwidth of the CPU itself, reading", "bandwidth", "GB/s", axes.SIZE,
             cpu_bandwidth.read_curves),
]  # fmt: skip


def figures(views):
    """A (Figure, Table or None) for each quantity that at least two devices or driver versions have."""
    found = []
    for quantity in QUANTITIES:
        entries = _one_each(quantity, views)
        if len(entries) > 1:
            found.append((_figure(quantity, entries, views), _table(quantity, entries)))
    return found


def _figure(quantity, entries, views):
    dates = dict.fromkeys(date for view in views for date in parts.dates(view))
    span = formats.span(min(dates), max(dates), str)
    # A picture stands alone, so one device's says whose it is; of several each curve does.
    whose = quantity.heading
    if len(views) == 1:
        whose = f"{views[0].title}: {whose[0].lower()}{whose[1:]}"
    apart = Apart(quantity.across, entries)
    head = (f"{whose}, {len(entries)} curves", [span, parts.medians(entries), *filter(None, [apart.legend])])
    picture = charts.over(quantity.across, entries, quantity.quantity, quantity.unit, head, apart)
    return Figure(
        quantity.name, quantity.heading, picture, " ".join(filter(None, [parts.medians(entries), apart.legend]))
    )


@dataclass(frozen=True)
class Apart:
    """Where the 95 % intervals of labelled curves over an Across do not touch; noted on a picture as Marks are."""

    across: axes.Across
    entries: list
    head_pixels = foot_pixels = 0

    def gaps(self):
        """Rows from one interval's end to the next one's begin, and how many places could be compared."""
        places = {}
        for entry, point in self.across.of(self.entries):
            # One value has no interval.
            if not point.disturbed and (point.interval or len(point.values) > 1):
                key = (self._side(entry), point.x[self.across.coordinate])
                places.setdefault(key, []).append((point.median, point.low, point.high, entry.label))
        compared = {key: sorted(found) for key, found in places.items() if len(found) > 1}
        rows = [
            {"series": label, "at": at, "low": below[2], "high": low}
            for (_, at), found in sorted(compared.items())
            for below, (_, low, _, label) in zip(found, found[1:], strict=False)
            if below[2] < low
        ]
        return rows, len(compared)

    def _side(self, entry):
        """Curves of one API are held against each other, unless no two are of one: then all are."""
        apis = [one.curve.api for one in self.entries]
        return entry.curve.api if len(set(apis)) < len(apis) else ""

    @property
    def legend(self):
        """How many intervals do not touch, in a sentence; empty where too many curves would cover one another."""
        if len(self.entries) > end_names.MOST_NAMED:
            return ""
        rows, compared = self.gaps()
        if not compared:
            return "No point has intervals of two curves."
        if not rows:
            return f"Intervals touch at all {compared} points that two curves have."
        drawn = "Intervals" if charts.are_few(self.across, self.entries) else "Grey: intervals"
        return f"{drawn} do not touch at {len(rows)} of {compared} points that two curves have."

    def layers(self, _palette, both, _height):
        """A layer to be drawn below the curves, on Axes."""
        rows = self.gaps()[0] if len(self.entries) <= end_names.MOST_NAMED else []
        look = {"type": "rule", "strokeWidth": 2.5, "opacity": 0.4, "color": marks.NEUTRAL, "clip": True}
        encoding = {"x": both.x("at"), "y": both.y("low"), "y2": {"field": "high"}}
        return [{"data": {"values": rows}, "mark": look, "encoding": encoding}] if rows else []


def _table(quantity, entries):
    """A row a device, as so many columns would not fit; the quartiles are in the tables of each."""
    if quantity.across.coordinate != "bytes":
        return None
    found = parts.telling_sizes(entries, f"{quantity.heading} at telling sizes, {quantity.unit}: medians")
    rows = [
        (entry.label, [replace(cells[number], detail="") for _, cells in found.rows])
        for number, entry in enumerate(entries)
    ]
    return Table(found.caption, ["", *(name for name, _ in found.rows)], rows)


def _one_each(quantity, views):
    """The labelled curves of a picture: runs of one driver version count as one."""
    choices = [(view, _by_driver(view, quantity.candidates(view))) for view in views]
    choices = [(view, by_driver) for view, by_driver in choices if by_driver]
    several = len(choices) > 1
    if several:
        devices_of = Counter(api for _, by_driver in choices for api in {api for api, _ in by_driver})
        # A device is shown by that of its APIs which most devices have.
        best = [max((api for api, _ in by_driver), key=lambda api: devices_of[api]) for _, by_driver in choices]
        choices = [(view, {key: same for key, same in by_driver.items() if key[0] == api})
                   for (view, by_driver), api in zip(choices, best, strict=True)]  # fmt: skip
    apis = {api for _, by_driver in choices for api, _ in by_driver} & {"opencl", "vulkan"}
    entries = [
        LabelledCurve(_label(view, key, len(by_driver) > 1, several, len(apis) > 1), pooled(same), None)
        for view, by_driver in choices
        for key, same in by_driver.items()
    ]
    return _distinct([entry for entry in entries if any(quantity.across.of([entry]))])


def _by_driver(view, candidates):
    """{(API, driver's name and version): the same curve of each run}."""
    found = {}
    for entry in candidates:
        api = entry.curve.api
        record = next(each for each, file in zip(view.records, view.recordings, strict=True) if file is entry.recording)
        driver = parts.driver_name(record[api]) if record.get(api) else ""
        same = found.setdefault((api, driver), [])
        if not same or entry.curve.key == same[0].key:
            same.append(entry.curve)
    return found


def _label(view, key, several_drivers, several_devices, several_apis):
    """The device's name, or where there is one device only the driver's; what else it takes to tell them apart."""
    api, driver = key
    words = [view.title] if several_devices or view.is_model else []
    if not view.is_model and (several_drivers or not several_devices):
        words.append(driver or API_NAMES.get(api, api))
    if several_apis and api in ("opencl", "vulkan"):
        words.append(API_NAMES[api])
    return ", ".join(words)


def _distinct(entries):
    """Numbers labels that several have: devices of one name are told apart by the order of their files."""
    counts, seen, found = Counter(entry.label for entry in entries), Counter(), []
    for entry in entries:
        seen[entry.label] += 1
        number = f" ({seen[entry.label]})" if counts[entry.label] > 1 else ""
        found.append(replace(entry, label=entry.label + number))
    return found
