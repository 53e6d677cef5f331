"""What is compared, as one table: each fixed word of a finding and each number of a level, to a feature.

A later probe adds its rows here.
"""

from dataclasses import dataclass

HIGHER, LOWER = "higher", "lower"
# Values are compared by their ratio, or, where they are shares between 0 and 1, by their difference.
RATIO, SHARE = "ratio", "share"


@dataclass(frozen=True)
class Kind:
    """A kind of feature: its name, which way is worse (None: neither), how it is compared.

    named_by: the keys of a series that belong to a feature's name. per_clock: how a slower core clock changes it, 1 for
    a time in cycles, -1 for a rate, 0 for what has nothing to do with it. follows: kinds that it may follow from; of
    levels, which one is at_level, or where that is None the level that begins its name.
    """

    name: str
    worse: str | None
    compared_by: str = RATIO
    named_by: tuple = ()
    per_clock: int = 0
    follows: tuple = ()
    at_level: str | None = None


LEVEL = Kind("level", None)
LEVEL_SIZE = Kind("level size", LOWER)
LEVEL_LATENCY = Kind("level latency", HIGHER, per_clock=1)
LEVEL_BANDWIDTH = Kind("level bandwidth", LOWER, per_clock=-1)
# Other paths than the vector path's, in the first cache: what they share is compared there.
PATH_LATENCY = Kind("first-cache latency", HIGHER, RATIO, ("path",), 1, (LEVEL_LATENCY,), "level 1")
CLOCK = Kind("core clock", LOWER)
FRAME_TIME = Kind("frame time", HIGHER)

_COPY = {"named_by": ("engine", "host", "direction")}
_COPY_BANDWIDTH = Kind("copy bandwidth", LOWER, **_COPY)
_KIND_OF_MEMORY = {"named_by": ("memory", "direction"), "follows": (_COPY_BANDWIDTH,)}
_SHARING = {word: Kind("zero-copy", worse, **_KIND_OF_MEMORY) for word, worse in
            {"zero-copy": HIGHER, "migrates": HIGHER, "copies": LOWER, "cache-maintenance": LOWER}.items()}  # fmt: skip
_HOST_LATENCY = Kind("host-memory latency", HIGHER, RATIO, ("memory",), 0, (LEVEL_LATENCY,), "memory")
_IDLE = Kind("latency without load", HIGHER, per_clock=1, follows=(LEVEL_LATENCY,))
_FULL = Kind("latency under full load", HIGHER, per_clock=1, follows=(LEVEL_LATENCY, _IDLE, LEVEL_BANDWIDTH))
_BESIDE_ONE = Kind("latency beside one loading core", HIGHER, per_clock=1, follows=(LEVEL_LATENCY, _IDLE))
_CPU_IDLE = Kind("CPU latency without load", HIGHER)
_CPU_FULL = Kind("CPU latency under full load", HIGHER, follows=(_CPU_IDLE,))

# Findings of which one word holds for each series: another word is a change.
VERDICTS = {
    "zero-copy": _SHARING | dict.fromkeys(("unclear", "unsupported"), Kind("zero-copy", None, **_KIND_OF_MEMORY)),
    "host-memory": dict.fromkeys(
        ("like-device-memory", "bypasses-last-level-cache", "across-the-bus"), _HOST_LATENCY
    ),
}  # fmt: skip

# A word that stands for not knowing.
UNKNOWN_WORD = "unclear"

# Findings that are numbers. What is in no table (how many groups saturate a level, what two probes disagree about) is
# not compared: it says how something was measured, or follows from what is.
NUMBERS = {
    ("bandwidth", "launch"): Kind("launch cost", HIGHER, per_clock=1),
    ("loaded-latency", "idle-latency"): _IDLE,
    ("loaded-latency", "full-load-latency"): _FULL,
    ("loaded-latency", "one-core-load-latency"): _BESIDE_ONE,
    ("hit-rate", "effective-capacity"): Kind(
        "effective capacity", LOWER, named_by=("memory", "method"), follows=(LEVEL_SIZE,)
    ),
    ("host-memory", "round-trip"): Kind("round trip", HIGHER, named_by=("memory",)),
    ("host-memory", "slow-for-the-cpu"): Kind("CPU bandwidth", LOWER, named_by=("memory",)),
    ("copy", "latency"): Kind("copy latency", HIGHER, **_COPY),
    ("copy", "bandwidth"): _COPY_BANDWIDTH,
    ("copy", "engines"): Kind("copy engines", LOWER, named_by=("engine",)),
    ("contention", "idle-latency"): _CPU_IDLE,
    ("contention", "full-load-latency"): _CPU_FULL,
    ("contention", "cpu-loss"): Kind("CPU loss", HIGHER, SHARE, follows=(_CPU_FULL, _CPU_IDLE)),
    ("core-to-core", "exchange-latency"): Kind(
        "round trip between cores", HIGHER, named_by=("exchange", "placement", "fabric")
    ),
    ("core-to-core", "held-line-latency"): Kind("held line's latency", HIGHER, named_by=("line", "placement")),
    ("core-to-core", "queue-rate"): Kind("queue between cores", LOWER, named_by=("role", "placement")),
    ("core-to-core", "copy-rate"): Kind("copy between cores", LOWER, named_by=("role", "placement")),
    ("cpu-latency", "node-latency"): Kind("latency from node to node", HIGHER, named_by=("placement",)),
    ("cpu-bandwidth", "node-bandwidth"): Kind("bandwidth from node to node", LOWER, named_by=("placement",)),
    ("cpu-bandwidth", "nodes-crossing"): Kind("all nodes crossing", LOWER),
    ("cpu-bandwidth", "non-temporal-gain"): Kind("gain of non-temporal stores", LOWER, named_by=("pattern",)),
    ("contention", "gpu-loss"): Kind("GPU loss", HIGHER, SHARE),
    ("compute", "peak"): Kind("arithmetic rate", LOWER, named_by=("type", "operation"), per_clock=-1),
}
# The words that a probe says once for each level, nearest first: of each the idle one tells which level it is.
OF_EACH_LEVEL = {"loaded-latency": ("idle-latency", "full-load-latency", "one-core-load-latency")}
