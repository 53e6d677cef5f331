"""Puts together what several record files say of one device, and names the series in its pictures."""

from dataclasses import dataclass, field, replace

from sonde_tools import series
from sonde_tools.curves import Curve, curves

API_NAMES = {"opencl": "OpenCL", "vulkan": "Vulkan", "cpu": "CPU", "model": "simulated"}


@dataclass(frozen=True)
class LabelledCurve:
    """A curve and the name it has in the legend of its device's pictures."""

    label: str
    curve: Curve
    recording: object


@dataclass
class DeviceView:
    """One device as all given files saw it: its records (one a file) and its labelled curves."""

    device: str
    recordings: list = field(default_factory=list)
    records: list = field(default_factory=list)
    curves: list = field(default_factory=list)
    counted: list = field(default_factory=list)  # pairs of a recording and a counter record beside one of its points
    beside: list = field(default_factory=list)  # every view of the same files, its own too

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
class Seen:
    """What one file says: its recording, {device: its curves}, its device records, and what its counters saw (Runs)."""

    recording: object
    curves: dict
    devices: list
    traffic: list = field(default_factory=list)
    counted: list = field(default_factory=list)  # counter records that lie beside points


def seen(recording, keep_samples=True):
    """Makes the curves of a recording; of many files no samples and counters need be kept beside them."""
    found = {}
    for curve in curves(recording.samples, without_cycles=True):
        found.setdefault(curve.device, []).append(curve)
    named = {record["device"] for record in recording.devices}
    # Stand-ins for devices that have samples but no device record, so that no sample is left out.
    unnamed = [{"device": device, "name": device, "type": ""} for device in found if device not in named]
    kept = recording if keep_samples else replace(recording, samples=[], counters=[])
    counted = [counter for counter in recording.counters if counter.get("probe")]
    return Seen(kept, found, [*recording.devices, *unnamed], _traffic(recording), counted)


def _traffic(recording):
    if not recording.counters:
        return []
    from sonde_tools.traffic import runs  # its libraries take longer than a small report, and few files have counters

    return runs.of(recording)


def device_views(recordings):
    """One DeviceView for each device in the recordings, in the order of first appearance."""
    return views_of([seen(recording) for recording in recordings])


def views_of(files):
    """The DeviceViews of several Seen."""
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
    return [
        LabelledCurve(_distinct(series_name(entry[0], is_model), entry, entries), entry[0], entry[1])
        for entries in same.values()
        for entry in entries
    ]


def series_name(curve, is_model=False):
    """The API's name followed by what differs from the defaults: 'OpenCL, scalar'."""
    api = API_NAMES["model"] if is_model else API_NAMES.get(curve.api, curve.api)
    return ", ".join([api, *series.words(curve.series)])


def _distinct(name, entry, entries):
    """Adds the driver's version, or where that is the same too the file's name, to names used by several files."""
    curve, recording, record = entry
    others = [each for each in entries if each[1] is not recording]
    if not others:
        return name
    version = _driver_version(record, curve.api)
    if version and all(_driver_version(each[2], curve.api) != version for each in others):
        return f"{name} {version}"
    stems = {each[1].path.stem for each in others}
    path = recording.path
    return f"{name} ({path if path.stem in stems else path.stem})"


def _driver_version(record, api):
    return (record.get(api) or {}).get("driver_version")
