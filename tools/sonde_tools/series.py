"""What a series says: the words that name a curve, and the default that an absent word means."""

# The first word that the schema lists for each key.
DEFAULTS = {
    "path": "vector", "memory": "device", "order": "cycle", "method": "timing", "fabric": "idle", "pattern": "read",
    "sharing": "shared",
    "side": "gpu", "writer": "cpu", "direction": "to-device", "counted": "total", "engine": "driver",
    "host": "pageable", "pages": "small", "bytes-counted": "program", "state": "asleep", "core": "performance",
    "exchange": "compare-and-swap", "line": "clean", "placement": "same-cluster", "role": "writer",
    "stores": "ordinary", "pinning": "compact", "type": "fp64", "operation": "fma", "chain": "parallel",
}  # fmt: skip

# Words that two keys could both mean.
_AMBIGUOUS = {"idle", "loaded", "gpu", "cpu", "driver"}


# All bandwidths are of buffers unless they say otherwise.
_BANDWIDTHS_OWN = ("path", "buffer")


def canonical(series):
    """The series (object) without the words that are defaults, its keys sorted: equal for what means the same."""
    return {key: value for key, value in sorted((series or {}).items()) if DEFAULTS.get(key) != value}


def words(series):
    """The words (list) that differ from the defaults; one that two keys could both mean is named in full."""
    said = {key: value for key, value in canonical(series).items() if (key, value) != _BANDWIDTHS_OWN}
    return [f"{key} {value}" if value in _AMBIGUOUS else str(value) for key, value in said.items()]


def order(series):
    """In which order the working set is visited: cycle, independent or page."""
    return (series or {}).get("order", DEFAULTS["order"])


def stride_bytes(series):
    """Bytes from line to line of a walk with one line every so many bytes, or None for other walks."""
    word = (series or {}).get("stride")
    return int(word[:-1]) * {"K": 1024, "M": 1024**2}[word[-1]] if word else None


def by_another_path(series):
    """Whether loads took another way than the vector path, or were atomics."""
    return bool({"path", "pattern"} & canonical(series).keys())


def kept_awake(series):
    """Whether a light stream beside the walk kept memory awake."""
    return (series or {}).get("fabric") == "loaded"


def without_order(series, *further):
    """The canonical series of the cycle that belongs to a curve of another order, and without any further keys."""
    left_out = {"order", "stride", *further}
    return {key: value for key, value in canonical(series).items() if key not in left_out}
