"""What follows from another feature, so that it counts once: a clock that changed, another view of the same level."""

from dataclasses import replace

from sonde_tools.compare import kinds
from sonde_tools.compare.verdicts import CHANGED, FASTER, SLOWER, limit, percent

# The names of the kinds that a feature may follow from, the likeliest first.
_CAUSES = {
    "first-cache latency": ["level latency"],
    "host-memory latency": ["level latency"],
    "zero-copy": ["copy bandwidth"],
    "effective capacity": ["level size"],
    "latency without load": ["level latency"],
    "latency under full load": ["level latency", "latency without load", "level bandwidth"],
    "latency beside one loading core": ["level latency", "latency without load"],
    "CPU latency under full load": ["CPU latency without load"],
    "CPU loss": ["CPU latency under full load", "CPU latency without load"],
}
# The level that a feature is about, where it is not the one that begins its name.
_AT_LEVEL = {"first-cache latency": "level 1", "host-memory latency": "memory"}


def with_causes(found, threshold_percent):
    """The given Verdicts, each that follows from another naming it."""
    clocks = {_where(one): one for one in found if one.feature.kind == kinds.CLOCK and one.verdict in (SLOWER, FASTER)}
    found = [_following_clock(one, clocks.get(_where(one)), threshold_percent) for one in found]
    return [_following(one, found) for one in found]


def _where(one):
    return one.feature.id.device, one.feature.id.api


def _following_clock(one, clock, threshold_percent):
    """The same Verdict, or the clock as its cause: a latency that is the same in cycles got slower with the clock."""
    kind = one.feature.kind
    if clock is None or not kind.per_clock or one.verdict not in (SLOWER, FASTER):
        return one
    change = one.change
    left = change.value + kind.per_clock * clock.change.value
    within = abs(left) + change.within - abs(change.value)
    unchanged = abs(left) <= change.high - change.value or within <= limit(kind, threshold_percent)
    if not unchanged or abs(left) > abs(change.value) / 2:
        return one
    by = f"{abs(clock.change_percent['value']):.1f} % {'lower' if clock.change.value < 0 else 'higher'}"
    why = f"a clock change: in cycles of that clock it is the same within {percent(within, kind):.1f} %, and the " \
          f"{kinds.CLOCK.name} is {by}"  # fmt: skip
    return replace(one, follows=kinds.CLOCK.name, why=f"{why}; {one.why}")


def _following(one, found):
    """The same Verdict, naming the first of its possible causes that changed as much and as surely."""
    if one.follows or one.verdict not in (SLOWER, FASTER, CHANGED):
        return one
    for kind in _CAUSES.get(one.feature.kind.name, []):
        for cause in found:
            alike = cause.feature.kind.name == kind and _where(cause) == _where(one) and _alike(one, cause)
            if alike and _of_one_level(one.feature, cause.feature):
                name = cause.feature.id.feature
                return replace(one, follows=name, why=f"as much as {name}; {one.why}")
    if one.feature.kind == kinds.LEVEL and one.feature.id.probe == "bandwidth":
        level = one.feature.id.feature.removesuffix(" by bandwidth")
        if any(cause.feature.id.feature == level and _where(cause) == _where(one) for cause in found):
            return replace(one, follows=level)
    return one


def _of_one_level(feature, cause):
    """Whether a feature is about the level that a cause is about, if that is about one."""
    if cause.kind not in (kinds.LEVEL_LATENCY, kinds.LEVEL_BANDWIDTH):
        return True
    level = cause.id.feature.removesuffix(cause.kind.name.removeprefix("level"))
    own = _AT_LEVEL.get(feature.kind.name)
    return own == level if own else feature.id.feature.startswith(f"{level} ")


def _alike(one, cause):
    """Whether both went the same way by about as much."""
    if one.verdict != cause.verdict or one.change is None or cause.change is None or cause.follows:
        return False
    if one.feature.kind.compared_by != cause.feature.kind.compared_by:
        return True
    mine, other = (sorted((_worse(each, each.change.low), _worse(each, each.change.high))) for each in (one, cause))
    return mine[0] <= other[1] and other[0] <= mine[1]


def _worse(one, difference):
    return difference if one.feature.kind.better == kinds.LOWER else -difference
