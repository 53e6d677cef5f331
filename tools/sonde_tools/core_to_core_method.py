"""What the report says of how lines from core to core were measured, and the names of what was."""

from sonde_tools import formats

BETWEEN = {
    "same-core": "hardware threads of one core",
    "same-cluster": "cores of one cluster",
    "other-cluster": "cores of different clusters",
    "other-node": "cores of different nodes",
}

STORES = [
    "Each CPU stores its number in a line of its own and reads the other's until it has changed. A store first takes the "
    "line from whoever reads it, so that a round trip is four transfers or more, where by compare-and-swap it is two.",
]

_PARAGRAPHS = [
    "Two threads, each kept on a CPU of its own, pass a word to and fro: by compare-and-swap on one line, which both try "
    "until it succeeds, and by stores to two lines. At least 32 lines on different pages at different offsets are used for "
    "each pair, and every line's median is kept, as where a line's home is decides for one line alone. The memory was first "
    "written by the first CPU, so that the same pair in the other order has it at the other side. Afterwards each line has "
    "to hold the number of its round trips.",
    "A held line: one CPU takes lines into its caches, changed or as memory has them, and the other walks through them, each "
    "load waiting for the one before. A queue: 8192 chunks, each a line with a number and its data, all flushed before; the "
    "writer's rate says when it had made its stores, the reader's when the data had come. A copy is written whole before it is read, and so goes by way of memory: the baseline "
    "that shows nothing of where the two are.",
    "Where cores are many, pairs that share no core exchange lines at once, up to eight at a time. Some of them do so alone "
    "too, and the finding says what the others added.",
    "A round trip here is the whole way; tools that print one way print half of it.",
]


def paragraphs(_view):
    """How it was measured, in paragraphs."""
    return _PARAGRAPHS


def is_exchange(curve):
    """Whether a curve is of lines that went to and fro."""
    return curve.unit == "ns" and curve.series.get("role", "writer") == "writer"


def kind_of(curve, size_bytes):
    """What a curve is of, in words; size_bytes: of all that goes through a queue."""
    series = curve.series
    if is_exchange(curve):
        return f"round trip, {series.get('exchange', 'compare-and-swap')}"
    if curve.unit == "ns":
        return f"load of a held line, {series.get('line', 'clean')}"
    if series.get("pattern") == "copy":
        return f"copy of {formats.size(size_bytes)}, {series.get('role', 'writer')}"
    return f"queue of {size_bytes / 8192:g}-byte chunks, {series.get('role', 'writer')}"
