"""Reads what one record file says of each feature; matching.py tells which levels of several runs are the same."""

import math
import statistics
from dataclasses import dataclass, field

from sonde_tools.compare import kinds
from sonde_tools.compare.changes import Scatter, of_neighbours
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

    disturbed: the share of the visits behind it that were made beside other programs, machine_disturbed of all of the
    run's. scatter: what its visits say of another run, None of a single visit.
    """

    kind: kinds.Kind
    unit: str
    value: float | None
    low: float | None = None
    high: float | None = None
    word: str | None = None
    cycles: float | None = None
    disturbed: float = 0.0
    machine_disturbed: float = 0.0
    scatter: Scatter | None = None


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


@dataclass
class Observed:
    """All that one run says of one device: single features by FeatureId, levels by (api, probe, series).

    curves: by the same key the (bytes, logarithm) of the points that its levels were found in.
    """

    features: dict = field(default_factory=dict)
    levels: dict = field(default_factory=dict)
    curves: dict = field(default_factory=dict)


def observed(recording):
    """A dictionary: device id to Observed."""
    found, visits = {}, Visits(recording.samples)
    by_curve = {}
    for level in recording.levels:
        by_curve.setdefault((level["device"], level["api"], level["probe"], _series_key(level["series"])), []).append(
            level
        )
    for (device, *_), levels in by_curve.items():
        _add_levels(found.setdefault(device, Observed()), sorted(levels, key=lambda one: one["level"]), visits)
    for finding in recording.findings:
        if finding.get("api") and finding.get("probe"):
            declared = recording.declared.finding_kind(finding["probe"], finding["finding"])
            if kind := kinds.of_finding(declared):
                observed_ = found.setdefault(finding["device"], Observed())
                _add_finding(observed_, finding, kind, declared.compared == "word", visits)
    for id_, one in (*_frame_times(recording.samples, visits), *_clocks(recording.samples, visits)):
        found.setdefault(id_.device, Observed()).features[id_] = one
    return found


def _clocks(samples, visits):
    """(FeatureId, Observation) of the core's clock beside the latencies of each device and API."""
    found = {}
    for sample in samples:
        clock = (sample.get("state") or {}).get("clock_mhz")
        if clock and sample["probe"] == "latency" and sample["unit"] == "ns":
            found.setdefault((sample["device"], sample["api"]), []).append(clock)
    for (device, api), clocks in found.items():
        scatter = of_neighbours(list(map(math.log, clocks)), visits.disturbed)
        one = Observation(
            kinds.CLOCK, "MHz", statistics.median(clocks), machine_disturbed=visits.disturbed, scatter=scatter
        )
        yield FeatureId(device, api, "latency", (), kinds.CLOCK.name), one


def _series_key(series):
    return tuple(canonical(series).items())


def _frame_times(samples, visits):
    """(FeatureId, Observation) of each resolution; frames that move other bytes are other frames."""
    found = {}
    for sample in samples:
        if sample["probe"] == "frames":
            of_frame = sample["device"], sample["api"], sample["x"].get("width"), sample["x"].get("height")
            found.setdefault(of_frame, {}).setdefault(sample["unit"], []).append(sample)
    for (device, api, width, height), by_unit in found.items():
        if None not in (width, height) and {"ms", "bytes"} <= by_unit.keys():
            medians = {unit: statistics.median(value for sample in same for value in sample["values"])
                       for unit, same in by_unit.items()}  # fmt: skip
            name = f"{kinds.FRAME_TIME.name} {width:g}x{height:g}, {medians['bytes'] / 1e6:.4g} MB"
            share, scatter = visits.of_samples(by_unit["ms"])
            one = Observation(kinds.FRAME_TIME, "ms", medians["ms"], disturbed=share,
                              machine_disturbed=visits.disturbed, scatter=scatter)  # fmt: skip
            yield FeatureId(device, api, "frames", (), name), one


def _add_levels(observed_, levels, visits):
    """Adds the levels of one curve, nearest first."""
    unit = "ns" if any(level.get("latency_ns") for level in levels) else "GB/s"
    points = visits.curve(levels[0], unit)
    left = 0
    for level in levels:
        band, size = level.get("latency_ns") or level.get("bandwidth"), level.get("bytes")
        rise = level.get("transition") or {}
        on_it = left, min(size["value"], rise.get("onset") or math.inf) if size else math.inf
        left = max(left, size["value"] if size else 0, rise.get("end") or 0)
        if band:
            _add_level(observed_, level, band, unit, on_it, points, visits)


def _add_level(observed_, level, band, unit, on_it, points, visits):
    values = [value for bytes_, value in points if on_it[0] < bytes_ <= on_it[1]]
    share, _ = visits.of(level)
    cycles = level.get("cycles")

    def said(kind, unit, band, scatter):
        return Observation(
            kind, unit, band["value"], band["low"], band["high"], cycles=cycles and cycles["value"], disturbed=share,
            machine_disturbed=visits.disturbed, scatter=scatter,
        )  # fmt: skip

    scatter = visits.of_level(values, band)
    if by_another_path(level["series"]) and unit == "ns":
        if level["level"] == 1:
            kind = kinds.PATH_LATENCY
            observed_.features[_id(level, kind)] = said(kind, unit, band, scatter)
        return
    size = level.get("bytes")
    kind = kinds.LEVEL_LATENCY if unit == "ns" else kinds.LEVEL_BANDWIDTH
    says = {kind.name: said(kind, unit, band, scatter)}
    if size:
        cycles = None
        says[kinds.LEVEL_SIZE.name] = said(kinds.LEVEL_SIZE, "bytes", size, visits.of_band(values, size))
    name = level.get("name") or ("memory" if not size else "level")
    curve = level["api"], level["probe"], _series_key(level["series"])
    observed_.curves[curve] = points
    observed_.levels.setdefault(curve, []).append(
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
    share, scatter = visits.of(finding, kind.compared_by == kinds.SHARE)
    return Observation(
        kind, finding.get("unit") or "", finding.get("value"), finding.get("low"), finding.get("high"), said,
        disturbed=share, machine_disturbed=visits.disturbed, scatter=scatter,
    )  # fmt: skip


def _add_to_level(observed_, finding, one):
    """Adds what is found once for each level to the last of the places where a load was measured, or as the next one."""
    curve = finding["api"], finding["probe"], _series_key(finding.get("series"))
    places = observed_.levels.setdefault(curve, [])
    if one.kind.name == kinds.OF_EACH_LEVEL[finding["probe"]]:
        if one.value > 0:
            places.append(RunLevel(len(places) + 1, "place", None, one.value, {one.kind.name: one}))
    elif places:
        places[-1].says[one.kind.name] = one


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
