"""How often comparisons of pairs of runs accuse something, for the benchmarks that know the answer."""

from collections import Counter

from sonde_tools.compare.comparison import compared
from sonde_tools.compare.verdicts import CHANGED, FASTER, SLOWER


def accused(comparison):
    """The features that are said to have changed, but for those that follow from others."""
    return {one.feature.id.feature: one for one in comparison.verdicts
            if one.verdict in (SLOWER, FASTER, CHANGED) and one.follows is None}  # fmt: skip


def told_of_alike(pairs):
    """A sentence on pairs of groups of runs in which nothing changed: in how many something is accused, and what."""
    total, wrong, verdicts, names = 0, 0, Counter(), Counter()
    for base, new in pairs:
        comparison = compared(base, new)
        verdicts.update(one.verdict for one in comparison.verdicts)
        found = accused(comparison)
        names.update(found.keys())
        wrong += bool(found)
        total += 1
    features = sum(verdicts.values())
    shares = ", ".join(f"{100 * many / features:.1f} % {verdict}" for verdict, many in verdicts.most_common())
    return f"{wrong} of {total} pairs with a change; {shares}; {dict(names) or ''}"
