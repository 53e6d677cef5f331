"""What is compared: findings of which the file says that `compare` compares them, and the numbers of levels and frames."""

from dataclasses import dataclass

from sonde_tools.declarations import HIGHER, LOWER

# Values are compared by their ratio, or, where they are shares between 0 and 1, by their difference.
RATIO, SHARE = "ratio", "difference"


@dataclass(frozen=True)
class Kind:
    """A kind of feature: its name, which way is better (None: neither), how it is compared.

    named_by: the keys of a series that belong to a feature's name. per_clock: how a slower core clock changes it, 1 for
    a time in cycles, -1 for a rate, 0 for what has nothing to do with it.
    """

    name: str
    better: str | None
    compared_by: str = RATIO
    named_by: tuple = ()
    per_clock: int = 0


LEVEL = Kind("level", None)
LEVEL_SIZE = Kind("level size", HIGHER)
LEVEL_LATENCY = Kind("level latency", LOWER, per_clock=1)
LEVEL_BANDWIDTH = Kind("level bandwidth", HIGHER, per_clock=-1)
# Other paths than the vector path's, in the first cache: what they share is compared there.
PATH_LATENCY = Kind("first-cache latency", LOWER, RATIO, ("path",), 1)
CLOCK = Kind("core clock", HIGHER)
FRAME_TIME = Kind("frame time", LOWER)

# A word that stands for not knowing.
UNKNOWN_WORD = "unclear"
# Probes that find their features once for each level, nearest first; this feature tells which level it is.
OF_EACH_LEVEL = {"loaded-latency": "latency without load"}


def of_finding(declared):
    """The Kind of findings that a file declares (declarations.FindingKind), or None where they are not compared."""
    if not declared.feature:
        return None
    compared_by = SHARE if declared.compared == SHARE else RATIO
    return Kind(declared.feature, declared.better, compared_by, declared.named_by, declared.per_clock)
