"""Puts together what several record files say of one device, and names the series in its pictures."""

from dataclasses import dataclass, field

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


def device_views(recordings):
    """One DeviceView for each device id in the recordings, in the order of first appearance."""
    views = {}
    for recording in recordings:
        for record in [*recording.devices, *_unnamed(recording)]:
            view = views.setdefault(record["device"], DeviceView(record["device"]))
            if recording not in view.recordings:
                view.recordings.append(recording)
                view.records.append(record)
    for view in views.values():
        view.curves = _labelled(view)
    return list(views.values())


def _unnamed(recording):
    """Stand-ins for devices that have samples but no device record, so that no sample is left out."""
    named = {record["device"] for record in recording.devices}
    ids = dict.fromkeys(sample["device"] for sample in recording.samples)
    return [{"device": device, "name": device, "type": ""} for device in ids if device not in named]


def _labelled(view):
    found = []
    for recording, record in zip(view.recordings, view.records, strict=True):
        mine = [sample for sample in recording.samples if sample["device"] == view.device]
        found += [(series_name(curve, view.is_model), curve, recording, record) for curve in curves(mine)]
    # The same series of two files stand side by side.
    order = list(dict.fromkeys(entry[1].key for entry in found))
    found.sort(key=lambda entry: order.index(entry[1].key))
    return [
        LabelledCurve(_distinct(name, curve, recording, record, found), curve, recording)
        for name, curve, recording, record in found
    ]


def series_name(curve, is_model=False):
    """The API's name followed by what differs from the defaults: 'OpenCL, scalar'."""
    api = API_NAMES["model"] if is_model else API_NAMES.get(curve.api, curve.api)
    return ", ".join([api, *series.words(curve.series)])


def _distinct(name, curve, recording, record, found):
    """Adds the driver's version, or where that is the same too the file's name, to names used by several files."""
    others = [entry for entry in found if entry[1].key == curve.key and entry[2] is not recording]
    if not others:
        return name
    version = _driver_version(record, curve.api)
    if version and all(_driver_version(entry[3], curve.api) != version for entry in others):
        return f"{name} {version}"
    stems = [entry[2].path.stem for entry in others]
    path = recording.path
    return f"{name} ({path if path.stem in stems else path.stem})"


def _driver_version(record, api):
    return (record.get(api) or {}).get("driver_version")
