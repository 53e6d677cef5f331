"""What one side of a duel lacks that the other measured, and why: a failure is a verdict of its own."""

from dataclasses import replace

from sonde_tools import formats
from sonde_tools.compare import kinds
from sonde_tools.compare.features import Feature
from sonde_tools.compare.observations import FeatureId, Observation
from sonde_tools.series import canonical

POINTS = kinds.Kind("points", None)
_NO_REASON = "it does not say why"


def reason(recording, device, curve, x=None, but=()):
    """Why a recording lacks a curve (API, probe, series) or its point x: of the reasons that fit best the first, or None.

    What a record does not say fits everything. but: reasons that are none.
    """
    api, probe, series = curve
    wanted = {"device": device, "api": api, "probe": probe, "series": dict(series), "x": x}
    found = []
    for is_skip, records in enumerate((recording.errors, recording.skips)):
        for record in records:
            said = {name: record.get(name) for name in wanted} | {"series": canonical(record.get("series"))}
            told = [name for name, value in said.items() if value]
            fits = all(said[name] == wanted[name] or (name == "x" and x is None) for name in told)
            if fits and (x is None or "probe" in told) and record["reason"] not in but:
                found.append((-len(told), is_skip, record["reason"]))
    return min(found, key=lambda one: one[:2])[2] if found else None


def lacking(base, new, device):
    """A Feature for each curve and for the points of each that one side alone measured, with the reason.

    base, new: the Recordings of one duel. Where nobody gives a reason points had no time, nor had a curve of one visit.
    """
    both = base, new
    points = [_points(recording, device) for recording in both]
    for curve in sorted(points[0].keys() | points[1].keys()):
        for side in (0, 1):
            of_it, there = points[side].get(curve, {}), points[1 - side].get(curve, {})
            # What both sides say is no reason of one alone.
            but = {record["reason"] for record in (*both[side].errors, *both[side].skips)} if there else ()
            by_reason = {}
            for at in of_it.keys() - there.keys() if there else ():
                if why := reason(both[1 - side], device, curve, of_it[at], but):
                    by_reason.setdefault(why, {})[at] = of_it[at]
            if of_it and not there:
                why = reason(both[1 - side], device, curve)
                if why or len(of_it) > 1:
                    by_reason[why or _NO_REASON] = of_it
            for why, missing in sorted(by_reason.items()):
                yield _feature(device, curve, f" at {_places(missing)}" if there else "", missing, side, why)


def told(found, sides, device):
    """The given Features, those that one side lacks with its reason, and one for each curve or points that it lacks.

    sides: (BASE's Run, NEW's) of each duel; what is lacking in all of them is lacking.
    """
    recordings = [[run.recording for run in both] for both in sides]
    for feature in found:
        lacks = "" if feature.base and feature.new else _reason_of(feature, recordings[0], device)
        yield replace(feature, lacks=lacks) if lacks else feature
    first, *others = (list(lacking(*both, device)) for both in recordings)
    for feature in first:
        if all(feature.id in [one.id for one in other] for other in others):
            yield feature


def _reason_of(feature, both, device):
    """Why a side has no such Feature, where it measured nothing of the kind; empty where it only concluded nothing."""
    other, id_ = both[1 if feature.base else 0], feature.id
    if any((one["device"], one["api"], one["probe"]) == (device, id_.api, id_.probe) for one in other.samples):
        return ""
    return reason(other, device, (id_.api, id_.probe, id_.series)) or ""


def at_times(sides):
    """A sentence for each reason for which one side alone failed at points that it read at other visits."""
    counts = {}
    for recordings in ([run.recording for run in both] for both in sides):
        failed = [{(_point(error), error["reason"]) for error in each.errors if error.get("x")} for each in recordings]
        for side, each in enumerate(recordings):
            read = {_point(sample) for sample in each.samples} if failed[side] else set()
            of_others = {point for point, _ in failed[1 - side]}
            for point, why in failed[side]:
                if point in read and point not in of_others:
                    counts[side, why] = counts.get((side, why), 0) + 1
    return [f"{'NEW' if side else 'BASE'} failed at times at {count} point{'' if count == 1 else 's'} that it read at others: {why}"
            for (side, why), count in sorted(counts.items())]  # fmt: skip


def _point(record):
    """What names a point, hashable."""
    series, x = canonical(record.get("series")), record.get("x") or {}
    return record.get("device"), record.get("api"), record.get("probe"), *series.items(), *sorted(x.items())


def _points(recording, device):
    """{(API, probe, series): {coordinates: coordinates as an object}} of what a recording measured of a device."""
    found = {}
    for sample in recording.samples:
        if sample["device"] == device:
            curve = sample["api"], sample["probe"], tuple(canonical(sample["series"]).items())
            found.setdefault(curve, {})[tuple(sorted(sample["x"].items()))] = sample["x"]
    return found


def _places(points):
    """ "512 MiB", "512 MiB to 1 GiB", or the coordinates of other curves."""
    if all(x.keys() == {"bytes"} for x in points.values()):
        sizes = sorted(x["bytes"] for x in points.values())
        return formats.size_short(sizes[0]) + (f" to {formats.size_short(sizes[-1])}" if len(sizes) > 1 else "")
    first = ", ".join(formats.coordinate(name, value) for name, value in next(iter(points.values())).items())
    return first + (f" and {len(points) - 1} more" if len(points) > 1 else "")


def _feature(device, curve, places, points, side, why):
    api, probe, series = curve
    id_ = FeatureId(device, api, probe, series, f"{probe.replace('-', ' ')}{places}")
    said = [Observation(POINTS, "", None, word=f"{len(points)} points" if len(points) > 1 else "1 point")]
    return Feature(id_, POINTS, *((said, []) if side == 0 else ([], said)), lacks=why)
