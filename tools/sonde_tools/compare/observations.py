"""Reads what one record file says of each feature; matching.py tells which levels of several runs are the same."""

import statistics
from dataclasses import dataclass, field

from sonde_tools.compare import kinds
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

    disturbed: the share of the points behind it that were measured beside other programs.
    """

    kind: kinds.Kind
    unit: str
    value: float | None
    low: float | None = None
    high: float | None = None
    word: str | None = None
    cycles: float | None = None
    disturbed: float = 0.0


@dataclass
class RunLevel:
    """One level of one curve in one run, or one place where a load was measured: what is said of it, by the kind's name.

    slope: from where to where in bytes the curve rises to the next level, or None.
    """

    number: int
    name: str
    size: float | None
    speed: float
    says: dict = field(default_factory=dict)
    matches: int | None = None
    slope: tuple | None = None


@dataclass
class Observed:
    """All that one run says of one device: single features by FeatureId, and levels by (api, probe, series)."""

    features: dict = field(default_factory=dict)
    levels: dict = field(default_factory=dict)


def observed(recording):
    """A dictionary: device id to Observed."""
    found, disturbed = {}, _Disturbed(recording.samples)
    for level in recording.levels:
        _add_level(found.setdefault(level["device"], Observed()), level, disturbed)
    for finding in recording.findings:
        if finding.get("api") and finding.get("probe"):
            declared = recording.declared.finding_kind(finding["probe"], finding["finding"])
            if kind := kinds.of_finding(declared):
                observed_ = found.setdefault(finding["device"], Observed())
                _add_finding(observed_, finding, kind, declared.compared == "word", disturbed)
    for id_, milliseconds, share in _frame_times(recording.samples):
        one = Observation(kinds.FRAME_TIME, "ms", milliseconds, disturbed=share)
        found.setdefault(id_.device, Observed()).features[id_] = one
    clocks_of = {}  # in MHz beside the latencies, by device and API
    for sample in recording.samples:
        clock = (sample.get("state") or {}).get("clock_mhz")
        if clock and sample["probe"] == "latency" and sample["unit"] == "ns":
            clocks_of.setdefault((sample["device"], sample["api"]), []).append(clock)
    for (device, api), clocks in clocks_of.items():
        one = Observation(kinds.CLOCK, "MHz", statistics.median(clocks))
        found.setdefault(device, Observed()).features[FeatureId(device, api, "latency", (), kinds.CLOCK.name)] = one
    return found


def _series_key(series):
    return tuple(canonical(series).items())


class _Disturbed:
    """The share of disturbed points behind a level or a finding: those whose series say all that it says."""

    _OF_NO_CURVE = {"order", "fabric", "beside", "stride"}

    def __init__(self, samples):
        self._counts = {}
        for sample in samples:
            series = frozenset(canonical(sample["series"]).items())
            counts = self._counts.setdefault((sample["device"], sample["api"], sample["probe"]), {})
            count = counts.setdefault(series, [0, 0])
            count[0] += 1
            count[1] += bool((sample.get("state") or {}).get("disturbed"))

    def share(self, record):
        wanted = {pair for pair in _series_key(record.get("series")) if pair[0] not in self._OF_NO_CURVE}
        counts = self._counts.get((record["device"], record["api"], record["probe"]), {})
        behind = [count for series, count in counts.items() if wanted <= series]
        points = sum(count for count, _ in behind)
        return sum(count for _, count in behind) / points if points else 0.0


def _frame_times(samples):
    """(FeatureId, median ms, share disturbed) of each resolution; frames that move other bytes are other frames."""
    medians = {}
    for sample in samples:
        if sample["probe"] == "frames":
            of_frame = sample["device"], sample["api"], sample["x"].get("width"), sample["x"].get("height")
            medians.setdefault(of_frame, {})[sample["unit"]] = statistics.median(sample["values"])
            medians[of_frame]["disturbed"] = float(bool((sample.get("state") or {}).get("disturbed")))
    for (device, api, width, height), by_unit in medians.items():
        if None not in (width, height) and {"ms", "bytes"} <= by_unit.keys():
            name = f"{kinds.FRAME_TIME.name} {width:g}x{height:g}, {by_unit['bytes'] / 1e6:.4g} MB"
            yield FeatureId(device, api, "frames", (), name), by_unit["ms"], by_unit["disturbed"]


def _add_level(observed_, level, disturbed):
    band, unit = (level.get("latency_ns"), "ns") if level.get("latency_ns") else (level.get("bandwidth"), "GB/s")
    if not band:
        return
    share = disturbed.share(level)
    if by_another_path(level["series"]) and unit == "ns":
        if level["level"] == 1:
            kind = kinds.PATH_LATENCY
            observed_.features[_id(level, kind)] = _of_band(kind, unit, band, share, level.get("cycles"))
        return
    size = level.get("bytes")
    kind = kinds.LEVEL_LATENCY if unit == "ns" else kinds.LEVEL_BANDWIDTH
    says = {kind.name: _of_band(kind, unit, band, share, level.get("cycles"))}
    if size:
        says[kinds.LEVEL_SIZE.name] = _of_band(kinds.LEVEL_SIZE, "bytes", size, share)
    name = level.get("name") or ("memory" if not size else "level")
    rise = level.get("transition") or {}
    slope = (rise["onset"], rise["end"]) if rise.get("onset") and rise.get("end") else None
    curve = level["api"], level["probe"], _series_key(level["series"])
    observed_.levels.setdefault(curve, []).append(
        RunLevel(level["level"], name, size and size["value"], band["value"], says, level.get("matches"), slope)
    )


def _of_band(kind, unit, band, share, cycles=None):
    return Observation(
        kind, unit, band["value"], band["low"], band["high"], cycles=cycles and cycles["value"], disturbed=share
    )


def _add_finding(observed_, finding, kind, is_word, disturbed):
    if is_word:
        # Words that hold together, as of memory across a bus that also bypasses a cache, are one.
        before = observed_.features.get(_id(finding, kind))
        words = {finding["finding"], *(before.word.split(" and ") if before else [])}
        observed_.features[_id(finding, kind)] = _of_finding(kind, finding, disturbed, " and ".join(sorted(words)))
    elif finding.get("value") is not None:
        one = _of_finding(kind, finding, disturbed)
        if finding["probe"] in kinds.OF_EACH_LEVEL:
            _add_to_level(observed_, finding, one)
        else:
            observed_.features[_id(finding, kind)] = one


def _of_finding(kind, finding, disturbed, said=None):
    return Observation(
        kind, finding.get("unit") or "", finding.get("value"), finding.get("low"), finding.get("high"), said,
        disturbed=disturbed.share(finding),
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
