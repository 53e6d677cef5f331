"""What a duel says beside a comparison's features, in words: how it was made, where its sides differ, why one lacks what."""

import statistics

from sonde_tools import formats, series
from sonde_tools.compare.kinds import SHARE
from sonde_tools.compare.ratio_curves import UNITS

_LONGER_OR_SHORTER = {"ns": ("longer", "shorter"), "GB/s": ("higher", "lower")}


def would_see_percent(comparison):
    """The median of the changes in percent that pairs would have shown, or None where no feature has any."""
    found = [one.would_see_percent for one in comparison.verdicts
             if one.feature.pairs and one.would_see_percent is not None and one.feature.kind.compared_by != SHARE]  # fmt: skip
    return statistics.median(found) if found else None


def heading(comparison):
    """By what the sides differ, how many pairs tell, and which changes they would have shown, in a line."""
    base, new = (" ".join(settings) or "no setting" for settings in comparison.duel.settings)
    pairs = sum(paired.count for paired in comparison.paired.values())
    processes = max((paired.processes for paired in comparison.paired.values()), default=0)
    in_processes = f" in {processes} process{'' if processes == 1 else 'es'} a side" if pairs else ""
    seen = would_see_percent(comparison)
    would = f"; changes above {seen:.2g} % (median) would have been seen" if seen else ""
    return f"Duel  {base} against {new}: {pairs} pairs of visits{in_processes}{would}"


def curve_name(comparison, curve):
    """A RatioCurve in words: "latency", "bandwidth, write, Vulkan"; other probes say which they are."""
    name = UNITS[curve.unit] if curve.probe == UNITS[curve.unit] else f"{UNITS[curve.unit]} of {curve.probe}"
    parts = [name, *series.words(dict(curve.series))]
    parts += [comparison.api_name(curve.api)] if len(comparison.apis) > 1 else []
    return ", ".join(parts + ([comparison.names[curve.device][0]] if len(comparison.names) > 1 else []))


def stretches(comparison):
    """A line for each stretch of sizes at which a curve differs: "latency 6.0 % longer (5.5 to 6.4) from 32 KiB to 1 MiB"."""
    lines = []
    for curve in comparison.ratio_curves if comparison.duel else ():
        for stretch in curve.differs:
            percent = stretch.change_percent
            is_less = percent["value"] < 0
            low, high = sorted(abs(percent[name]) for name in ("low", "high"))
            how = f"{abs(percent['value']):.1f} % {_LONGER_OR_SHORTER[curve.unit][is_less]} ({low:.1f} to {high:.1f})"
            where = f"from {formats.size_short(stretch.first)} to {formats.size_short(stretch.last)}"
            everywhere = "at all sizes, " if stretch.is_whole else ""
            lines.append(f"{curve_name(comparison, curve)} {how} {everywhere}{where}")
    return lines


def reasons(comparison, found):
    """A line for each reason that Verdicts of what one side lacks have, with what it says of how many."""
    counts = {}
    for one in found if comparison.duel else ():
        if one.feature.lacks:
            counts[one.why] = counts.get(one.why, 0) + 1
    return [f"{why} ({count} of these)" if len(counts) > 1 else why for why, count in counts.items()]
