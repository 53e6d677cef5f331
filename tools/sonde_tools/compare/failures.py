"""What one side of a duel lacks that the other measured, and why: a failure is a verdict of its own."""

from dataclasses import replace

from sonde_tools import formats
from sonde_tools.compare import kinds
from sonde_tools.compare.features import Feature
from sonde_tools.compare.observations import FeatureId, Observation
from sonde_tools.series import canonical

POINTS = kinds.Kind("points", None)
_NO_REASON = "it does not say why"


def reason(recording, api, probe, series=None, x=None, but=()):
    """Why a recording lacks a curve or a point, in the words of its records: of those that fit best the first, or None.

    series: as sorted (key, word) pairs; what a record does not say fits everything. but: reasons that are none.
    """
    wanted = {"api": api, "probe": probe, "series": series and dict(series), "x": x}
    found = []
    for is_skip, records in enumerate((recording.errors, recording.skips)):
        for record in records:
            said = {name: record.get(name) for name in wanted} | {"series": canonical(record.get("series"))}
            told = [name for name, value in said.items() if value]
            fits = all(wanted[name] is None or said[name] == wanted[name] for name in told)
            if fits and (x is None or "probe" in told) and record["reason"] not in but:
                found.append((-len(told), is_skip, record["reason"]))
    return min(found, key=lambda one: one[:2])[2] if found else None


def lacking(base, new, device):
    """(FeatureId, Kind, BASE's Observations, NEW's, why) of each curve and each point that one side alone measured.

    base, new: the Recordings of one duel. Points that nobody gives a reason for had no time, and are none.
    """
    both = base, new
    points = [_points(recording, device) for recording in both]
    for curve in sorted(points[0].keys() | points[1].keys()):
        for side in (0, 1):
            of_it, there = points[side].get(curve, {}), points[1 - side].get(curve, {})
            if of_it and not there:
                why = reason(both[1 - side], *curve) or _NO_REASON
                yield _feature(device, curve, "", of_it, side, why)
                continue
            # What both sides say is no reason of one alone.
            but = {record["reason"] for record in (*both[side].errors, *both[side].skips)}
            by_reason = {}
            for at in of_it.keys() - there.keys():
                if why := reason(both[1 - side], *curve, of_it[at], but):
                    by_reason.setdefault(why, {})[at] = of_it[at]
            for why, missing in sorted(by_reason.items()):
                yield _feature(device, curve, f" at {_places(missing)}", missing, side, why)


def told(found, sides, device):
    """The given Features, those that one side lacks with its reason, and one for each curve or points that it lacks.

    sides: (BASE's Run, NEW's) of each duel; what is lacking in all of them is lacking.
    """
    recordings = [[run.recording for run in both] for both in sides]
    for feature in found:
        if feature.base and feature.new:
            yield feature
        else:
            other = recordings[0][1 if feature.base else 0]
            why = reason(other, feature.id.api, feature.id.probe, feature.id.series)
            yield replace(feature, lacks=why or "")
    first, *others = ([Feature(*one[:4], lacks=one[4]) for one in lacking(*both, device)] for both in recordings)
    for feature in first:
        if all(feature.id in [one.id for one in other] for other in others):
            yield feature


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
    name = f"{probe.replace('-', ' ')}{places}"
    said = [Observation(POINTS, "", None, word=f"{len(points)} points" if len(points) > 1 else "1 point")]
    return FeatureId(device, api, probe, series, name), POINTS, *((said, []) if side == 0 else ([], said)), why
