"""How often comparisons of pairs of runs accuse something, for the benchmarks that know the answer."""

import statistics
from collections import Counter

from sonde_tools.compare import kinds
from sonde_tools.compare.comparison import compared
from sonde_tools.compare.verdicts import CHANGED, FASTER, SLOWER


def accused(comparison):
    """The features that are said to have changed, but for those that follow from others."""
    return {one.feature.id.feature: one for one in comparison.verdicts
            if one.verdict in (SLOWER, FASTER, CHANGED) and one.follows is None}  # fmt: skip


def told_of_alike(pairs):
    """Sentences on pairs of groups of runs in which nothing changed.

    In how many something is accused, and what; the median of the changes that would have been seen, where any would
    have, and in how many features that is so. Words have none.
    """
    total, wrong, verdicts, names, seen = (
        0,
        0,
        Counter(),
        Counter(),
        {"latencies and bandwidths of levels": [], "all": []},
    )
    for base, new in pairs:
        comparison = compared(base, new)
        verdicts.update(one.verdict for one in comparison.verdicts)
        found = accused(comparison)
        names.update(found.keys())
        wrong += bool(found)
        total += 1
        for one in comparison.verdicts:
            if one.change_percent and one.feature.kind.compared_by == kinds.RATIO:
                seen["all"].append(one.would_see_percent)
                if one.feature.kind in (kinds.LEVEL_LATENCY, kinds.LEVEL_BANDWIDTH):
                    seen["latencies and bandwidths of levels"].append(seen["all"][-1])
    features = sum(verdicts.values())
    shares = ", ".join(f"{100 * many / features:.1f} % {verdict}" for verdict, many in verdicts.most_common())
    medians = []
    for name, found in seen.items():
        told = [each for each in found if each is not None]
        if told:
            medians.append(f"{name} {statistics.median(told):.1f} % ({len(told)} of {len(found)})")
    called = f"{wrong} of {total} pairs with a change; {shares}; {dict(names) or ''}"
    return f"{called}\n  would see, median: {'; '.join(medians)}"
