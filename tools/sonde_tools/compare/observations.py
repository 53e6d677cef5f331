"""Reads what one record file says of each feature; matching.py tells which levels of several runs are the same."""

import math
import statistics
from dataclasses import dataclass, field

from sonde_tools.compare import kinds
from sonde_tools.compare.scatter import Scatter, of_neighbours
from sonde_tools.compare.visits import Visits
from sonde_tools.series import by_another_path, canonical, word


@dataclass(frozen=True)
class FeatureId:
    """What names a feature: the series as sorted (key, word) pairs, the feature in words."""

    device: str
    api: str
    probe: str
    series: tuple
    feature: str


@dataclass(frozen=True)
class Observation:
    """What one run says of a feature: a value with its interval, or None, and a finding's word where it is one.

    disturbed: the share of the visits behind it that were made beside other programs. scatter: between runs. on_it: from
    where to where in bytes the curve is on the level that it is of, None where it is of none.
    """

    kind: kinds.Kind
    unit: str
    value: float | None
    low: float | None = None
    high: float | None = None
    word: str | None = None
    disturbed: float = 0.0
    scatter: Scatter = Scatter(0.0, 0.0)
    on_it: tuple | None = None


@dataclass
class RunLevel:
    """One level of one curve in one run, or one place where a load was measured: what is said of it, by the kind's name.

    on_it: from where to where in bytes the curve is on it.
    """

    number: int
    name: str
    size: float | None
    speed: float
    says: dict = field(default_factory=dict)
    matches: int | None = None
    on_it: tuple = (0, math.inf)

    @property
    def sizes(self):
        """From where to where its size lies."""
        said = self.says.get(kinds.LEVEL_SIZE.name)
        is_known = said and said.low and said.high and 0 < said.low <= said.high
        return (said.low, said.high) if is_known else (self.size, self.size)


@dataclass
class Observed:
    """All that one run says of one device: single features by FeatureId, levels by (api, probe, series).

    curves: by the same key the (bytes, logarithm) of the points that its levels were found in; disturbed: the share of
    all of the run's visits that were made beside other programs.
    """

    features: dict = field(default_factory=dict)
    levels: dict = field(default_factory=dict)
    curves: dict = field(default_factory=dict)
    disturbed: float = 0.0


def observed(recording):
    """A dictionary: device id to Observed."""
    found, by_curve, visits = {}, {}, Visits(recording.samples)

    def of_device(device):
        return found.setdefault(device, Observed(disturbed=visits.disturbed))

    for level in recording.levels:
        by_curve.setdefault((level["device"], *_curve(level)), []).append(level)
    for (device, *_), levels in by_curve.items():
        _add_levels(of_device(device), sorted(levels, key=lambda one: one["level"]), visits)
    for finding in sorted(recording.findings, key=lambda one: not _is_a_place(recording.declared, one)):
        if finding.get("api") and finding.get("probe"):
            declared = recording.declared.finding_kind(finding["probe"], finding["finding"])
            if kind := kinds.of_finding(declared):
                _add_finding(of_device(finding["device"]), finding, kind, declared.compared == "word", visits)
    for id_, one in (*_frame_times(recording.samples, visits), *_clocks(recording.samples, visits)):
        of_device(id_.device).features[id_] = one
    return found


def _is_a_place(declared, finding):
    """Whether a finding tells where a load was measured; others of its curve belong to one of these places."""
    probe = finding.get("probe") or ""
    return kinds.OF_EACH_LEVEL.get(probe) == declared.finding_kind(probe, finding["finding"]).feature


def _curve(record):
    return record["api"], record["probe"], tuple(canonical(record.get("series")).items())


def _clocks(samples, visits):
    """(FeatureId, Observation) of the core's clock beside the latencies of each device and API."""
    found = {}
    for sample in samples:
        clock = (sample.get("state") or {}).get("clock_mhz")
        if clock and sample["probe"] == "latency" and sample["unit"] == "ns":
            found.setdefault((sample["device"], sample["api"]), []).append(clock)
    for (device, api), clocks in found.items():
        said = visits.said([], of_neighbours(list(map(math.log, clocks)), visits.disturbed))
        one = Observation(kinds.CLOCK, "MHz", statistics.median(clocks), **said)
        yield FeatureId(device, api, "latency", (), kinds.CLOCK.name), one


def _frame_times(samples, visits):
    """(FeatureId, Observation) of each resolution; frames that move other bytes are other frames."""
    found = {}
    for sample in samples:
        if sample["probe"] == "frames":
            of_frame = sample["device"], sample["api"], sample["x"].get("width"), sample["x"].get("height")
            found.setdefault(of_frame, {}).setdefault(sample["unit"], []).append(sample)
    for (device, api, width, height), by_unit in found.items():
        if None not in (width, height) and {"ms", "bytes"} <= by_unit.keys():
            ms, bytes_ = (statistics.median(value for sample in by_unit[unit] for value in sample["values"])
                          for unit in ("ms", "bytes"))  # fmt: skip
            name = f"{kinds.FRAME_TIME.name} {width:g}x{height:g}, {bytes_ / 1e6:.4g} MB"
            all_ = {"device": device, "api": api, "probe": "frames", "unit": "ms"}
            one = Observation(kinds.FRAME_TIME, "ms", ms, **visits.of_finding(kinds.FRAME_TIME, all_))
            yield FeatureId(device, api, "frames", (), name), one


def _add_levels(observed_, levels, visits):
    """Adds the levels of one curve, nearest first."""
    unit = "ns" if any(level.get("latency_ns") for level in levels) else "GB/s"
    points, behind, left = visits.curve(levels[0], unit), visits.behind(levels[0]), 0
    for level in levels:
        band, size = level.get("latency_ns") or level.get("bandwidth"), level.get("bytes")
        rise = level.get("transition") or {}
        # Beyond the least that its size may be others may have left it no room.
        on_it = left, min(size["low"], rise.get("onset") or math.inf) if size else math.inf
        left = max(left, size["value"] if size else 0, rise.get("end") or 0)
        values = [value for bytes_, value in points if on_it[0] < bytes_ <= on_it[1]]

        def said(kind, unit, band, values=values, on_it=on_it):
            told = visits.of_level(kind, behind, values, band)
            return Observation(kind, unit, band["value"], band["low"], band["high"], **told, on_it=on_it)

        other_path = by_another_path(level["series"]) and unit == "ns"
        if band and other_path and level["level"] == 1:
            observed_.features[_id(level, kinds.PATH_LATENCY)] = said(kinds.PATH_LATENCY, unit, band)
        if not band or other_path:
            continue
        kind = kinds.LEVEL_LATENCY if unit == "ns" else kinds.LEVEL_BANDWIDTH
        says = {kind.name: said(kind, unit, band)}
        if size:
            says[kinds.LEVEL_SIZE.name] = said(kinds.LEVEL_SIZE, "bytes", size)
        name = level.get("name") or ("level" if size else "memory")
        observed_.curves[_curve(level)] = points
        observed_.levels.setdefault(_curve(level), []).append(
            RunLevel(level["level"], name, size and size["value"], band["value"], says, level.get("matches"), on_it)
        )


def _add_finding(observed_, finding, kind, is_word, visits):
    if is_word:
        # Words that hold together, as of memory across a bus that also bypasses a cache, are one.
        before = observed_.features.get(_id(finding, kind))
        words = {finding["finding"], *(before.word.split(" and ") if before else [])}
        observed_.features[_id(finding, kind)] = _of_finding(kind, finding, visits, " and ".join(sorted(words)))
    elif finding.get("value") is not None:
        one = _of_finding(kind, finding, visits)
        if finding["probe"] in kinds.OF_EACH_LEVEL:
            _add_to_level(observed_, finding, one)
        else:
            observed_.features[_id(finding, kind)] = one


def _of_finding(kind, finding, visits, said=None):
    value, low, high = (finding.get(name) for name in ("value", "low", "high"))
    return Observation(kind, finding.get("unit") or "", value, low, high, said, **visits.of_finding(kind, finding))


def _add_to_level(observed_, finding, one):
    """Adds what is found once for each level as the next place where a load was measured, or to the first without it."""
    places = observed_.levels.setdefault(_curve(finding), [])
    if one.kind.name == kinds.OF_EACH_LEVEL[finding["probe"]]:
        if one.value > 0:
            places.append(RunLevel(len(places) + 1, "place", None, one.value, {one.kind.name: one}))
    else:
        for place in [place for place in places if one.kind.name not in place.says][:1]:
            place.says[one.kind.name] = one


def _id(record, kind):
    """The FeatureId of what a record says of a kind, with the words of its series that name it.

    Copies within the device have no host, a missing kind of memory no direction, and nothing beside is not said.
    """
    own = canonical(record.get("series"))
    left_out = {"host"} if own.get("direction") == "within" else set()
    left_out |= {"direction"} if record.get("finding") == "unsupported" else set()
    words = [word(own, key) for key in kind.named_by if key not in left_out and (key != "beside" or key in own)]
    name = " ".join(filter(None, [kind.name, *words]))
    return FeatureId(record["device"], record["api"], record["probe"], tuple(own.items()), name)
