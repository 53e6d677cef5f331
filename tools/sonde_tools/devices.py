"""Puts together what several record files say of one device, and names the series in its pictures."""

from dataclasses import dataclass, field, replace

from sonde_tools import series
from sonde_tools.curves import Curve, curves

API_NAMES = {"opencl": "OpenCL", "vulkan": "Vulkan", "cpu": "CPU", "model": "simulated"}


@dataclass(frozen=True)
class LabelledCurve:
    """A curve and the name it has in the legend of its device's pictures.

    suffix: what the label ends with where several files have the curve, the driver's version or the file's name.
    """

    label: str
    curve: Curve
    recording: object
    suffix: str = ""

    @property
    def series(self):
        """The words of the curve, without those that are defaults."""
        return self.curve.series

    @property
    def points(self):
        """The points of the curve."""
        return self.curve.points

    @property
    def declared(self):
        """What its file declares of the curve, or None."""
        return self.recording.declared.curve(self.curve.probe, self.curve.words, self.curve.unit)

    def word(self, key):
        """The word of a key of its series, which may be absent."""
        return series.word(self.curve.series, key)

    def with_points(self, points, label=None):
        """The same with other points, and by another name in front of the suffix."""
        named = self.label if label is None else label + self.suffix
        return replace(self, label=named, curve=replace(self.curve, points=points))


@dataclass
class DeviceView:
    """One device as all given files saw it: its records (one a file) and its labelled curves."""

    device: str
    recordings: list = field(default_factory=list)
    records: list = field(default_factory=list)
    curves: list = field(default_factory=list)
    counted: list = field(default_factory=list)  # pairs of a recording and a counter record beside one of its points
    beside: list = field(default_factory=list)  # every view of the same files, its own too
    screens: list = field(default_factory=list)  # what the program's first screens of its files say, one a file

    @property
    def record(self):
        """The device record of the first file that has the device."""
        return self.records[0]

    @property
    def title(self):
        """The device's name as headings show it: a model's says that it is simulated."""
        name = self.record["name"]
        return f"{name} (simulated)" if self.is_model and "simulated" not in name.lower() else name

    @property
    def findings(self):
        """A pair (recording, finding record) for each finding on this device."""
        return [(each, found) for each in self.recordings for found in each.findings if found["device"] == self.device]

    def of(self, probe, unit, *coordinates):
        """The labelled curves of a probe in a unit, each with its points that have all these coordinates."""
        found = [entry for entry in self.curves if (entry.curve.probe, entry.curve.unit) == (probe, unit)]
        wanted = set(coordinates)
        kept = [entry.with_points([point for point in entry.points if wanted <= point.x.keys()]) for entry in found]
        return [entry for entry in kept if entry.points]

    def latest(self, entries):
        """Those of some labelled curves that are in the latest file that has any: no two matrices fit one picture."""
        with_any = [file for file in self.recordings if any(entry.recording is file for entry in entries)]
        return [entry for entry in entries if entry.recording is with_any[-1]]

    def api_name(self, api):
        """An API as the pictures of this device name it."""
        return API_NAMES["model"] if self.is_model else API_NAMES.get(api, api)

    @property
    def is_model(self):
        """Whether the values are simulated."""
        return self.record["type"] == "model"

    @property
    def is_cpu(self):
        """Whether the device is the host's own processor."""
        return self.record["type"] == "cpu"

    def drivers(self, api):
        """The different driver objects that the files give for an API ('opencl', 'vulkan')."""
        found = []
        for record in self.records:
            if record.get(api) and record[api] not in found:
                found.append(record[api])
        return found


@dataclass(frozen=True)
class FileContent:
    """What one file says: its recording, {device: its curves}, its device records, and what its counters saw (Runs)."""

    recording: object
    curves: dict
    devices: list
    traffic: list = field(default_factory=list)
    counted: list = field(default_factory=list)  # counter records that lie beside points


def content_of(recording, keep_samples=True):
    """The FileContent of a recording; of many files no samples and counters need be kept beside their curves."""
    found = {}
    for curve in curves(recording.samples, without_cycles=True):
        found.setdefault(curve.device, []).append(curve)
    named = {record["device"] for record in recording.devices}
    # Stand-ins for devices that have samples but no device record, so that no sample is left out.
    unnamed = [{"device": device, "name": device, "type": ""} for device in found if device not in named]
    kept = recording if keep_samples else replace(recording, samples=[], counters=[])
    counted = [counter for counter in recording.counters if counter.get("probe")]
    return FileContent(kept, found, [*recording.devices, *unnamed], _traffic(recording), counted)


def _traffic(recording):
    if not recording.counters:
        return []
    from sonde_tools.traffic import runs  # its libraries take longer than a small report, and few files have counters

    return runs.of(recording)


def device_views(recordings):
    """One DeviceView for each device in the recordings, in the order of first appearance."""
    return views_of([content_of(recording) for recording in recordings])


def views_of(files):
    """The DeviceViews of several FileContents."""
    views, curves_of = {}, {}
    for file in files:
        for record in file.devices:
            device = record["device"]
            # The processor of every machine has one id; that of another name is another one.
            which = (device, record["name"] if record["type"] == "cpu" else "")
            view = views.setdefault(which, DeviceView(device))
            if not any(known is file.recording for known in view.recordings):
                view.recordings.append(file.recording)
                view.records.append(record)
                found = [(curve, file.recording, record) for curve in file.curves.get(device, [])]
                curves_of.setdefault(which, []).extend(found)
                view.counted.extend((file.recording, one) for one in file.counted if one.get("device") == device)
    for which, view in views.items():
        view.curves = _labelled(curves_of[which], view.is_model)
        view.beside = list(views.values())
    return list(views.values())


def _labelled(found, is_model):
    same = {}
    for entry in found:
        same.setdefault(entry[0].key, []).append(entry)
    # The same series of two files stand side by side.
    found = [(entry, _suffix(entry, entries)) for entries in same.values() for entry in entries]
    return [
        LabelledCurve(series_name(curve, is_model) + suffix, curve, recording, suffix)
        for (curve, recording, _), suffix in found
    ]


def series_name(curve, is_model=False):
    """The API's name followed by what differs from the defaults: 'OpenCL, scalar'."""
    api = API_NAMES["model"] if is_model else API_NAMES.get(curve.api, curve.api)
    return ", ".join([api, *series.words(curve.series)])


def _suffix(entry, entries):
    """The driver's version, or where that is the same too the file's name; empty where one file has the curve."""
    curve, recording, _ = entry
    others = [each for each in entries if each[1] is not recording]
    if not others:
        return ""
    version, *versions = ((each[2].get(curve.api) or {}).get("driver_version") for each in (entry, *others))
    if version and version not in versions:
        return f" {version}"
    stems = {each[1].path.stem for each in others}
    path = recording.path
    return f" ({path if path.stem in stems else path.stem})"
