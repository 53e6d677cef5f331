"""What a series says: the words that name a curve, and the default that an absent word means."""

from sonde_tools.old_files import DEFAULTS

# Words that say little without their key.
_NAMED_IN_FULL = {"idle", "loaded", "gpu", "cpu", "driver"}
# Bandwidths are of buffers unless they say otherwise.
_NOT_SAID = ("path", "buffer")


def word(series, key):
    """The word of a key, which may be absent."""
    return (series or {}).get(key) or DEFAULTS.get(key, "")


def canonical(series):
    """The series (object) without the words that are defaults, its keys sorted: equal for what means the same."""
    return {key: each for key, each in sorted((series or {}).items()) if DEFAULTS.get(key) != each}


def words(series):
    """The words (list) that differ from the defaults, each with its key where it would say little alone."""
    said = {key: each for key, each in canonical(series).items() if (key, each) != _NOT_SAID}
    return [f"{key} {each}" if key == "beside" or each in _NAMED_IN_FULL else str(each) for key, each in said.items()]


def stride_bytes(series):
    """Bytes from line to line of a walk with one line every so many bytes, or None for other walks."""
    stride = (series or {}).get("stride")
    return int(stride[:-1]) * {"K": 1024, "M": 1024**2}[stride[-1]] if stride else None


def by_another_path(series):
    """Whether loads took another way than the vector path, or were atomics."""
    return bool({"path", "pattern"} & canonical(series).keys())


def kept_awake(series):
    """Whether a light stream beside the walk kept memory awake."""
    return word(series, "fabric") == "loaded"


def without_order(series, *further):
    """The canonical series of the cycle that belongs to a curve of another order, and without any further keys."""
    left_out = {"order", "stride", *further}
    return {key: each for key, each in canonical(series).items() if key not in left_out}
