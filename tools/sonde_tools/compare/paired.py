"""How sure a change is that pairs of visits tell: a mixed model, in which processes of one duel have something in common.

A hierarchical bootstrap of the median makes intervals half as wide again of few processes.
"""

import math

import numpy
from scipy import special

from sonde_tools.compare.centre import centre
from sonde_tools.compare.changes import Change

# Values are written with six digits and times have steps: no two sides are known to be closer than this.
_RESOLUTION = 1e-4
# Which part of the variance of a round its process has before anything is known of it, and how many degrees of freedom
# that is worth.
_OF_PROCESSES, _WORTH = 0.02, 4
# No feature's variance is known by more degrees of freedom that others lend it.
_MOST_LENT = 30


def changes(all_pairs):
    """A Change for each of a list of Pairs of one duel, None for None.

    How much processes differ beside rounds is taken from all of them, as each has few processes.
    """
    used = [pairs and pairs.undisturbed() for pairs in all_pairs]
    centres = [pairs and centre(pairs.ratios, pairs.rounds, pairs.rounds if pairs.processes_are_alike else pairs.processes)
               for pairs in used]  # fmt: skip
    known = [one for one in centres if one and one.by_rounds > 0 and one.processes_freedom > 0]
    lent = sum(one.processes_freedom for one in known)
    apart = sum(one.processes_freedom * (one.by_processes / one.by_rounds - 1) for one in known)
    further = sum(one.processes_freedom * max(0.0, one.in_process - 1) for one in known)
    share = (max(0.0, apart) + _WORTH * _OF_PROCESSES) / (further + _WORTH)
    return [one and _change(one, min(1.0, share), min(lent + _WORTH, _MOST_LENT)) for one in centres]


def _change(one, share, lent):
    """The Change of a Centre. share: the part of a round's variance that its process has, as all of them tell."""
    own = one.processes_freedom
    # Satterthwaite's degrees of freedom of the variance by rounds, of which that share is known by processes alone.
    freedom = 1 / (share**2 / max(own, 0.5) + (1 - share**2) / max(one.rounds_freedom, 0.5))
    lent = max(0.0, min(own + lent, freedom, one.rounds_freedom) - own)
    freedom = max(own + lent, 0.5)
    by_all = one.by_rounds * (1 + share * max(0.0, one.in_process - 1))
    variance = (own * one.by_processes + (freedom - own) * by_all) / freedom
    error = math.sqrt(variance + _RESOLUTION**2)
    half_95, half_90 = (float(special.stdtrit(freedom, share)) * error for share in (0.975, 0.95))
    probability = float(2 * special.stdtr(freedom, -abs(one.value) / error))
    low, high = one.value - half_95, one.value + half_95
    return Change(low, one.value, high, probability, abs(one.value) + half_90, error, freedom)


def as_read(pairs, change, base, new):
    """BASE and NEW as their pairs read them in the middle, as far apart as the Change, with the given intervals' widths.

    base, new: dictionaries of low, value, high, as the two are returned.
    """
    middle, found = float(numpy.median(pairs.base + pairs.new)) / 2, []
    for said, sign in ((base, -1), (new, 1)):
        value = math.exp(middle + sign * change.value / 2)
        found.append({name: bound * value / said["value"] for name, bound in said.items()} | {"value": value})
    return found


def counted(pairs):
    """ "48 pairs in 12 processes a side"."""
    count = len(numpy.unique(pairs.processes))
    return f"{len(pairs)} pairs in {count} process{'' if count == 1 else 'es'} a side"
