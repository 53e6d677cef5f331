"""What the report says of how the CPU's own latency under load was measured."""

CACHES = [
    "Walk and load have as much each. What a core has for itself no other core disturbs; in the cache that a cluster shares, "
    "both together fit it.",
]

_PARAGRAPHS = [
    "One core follows a random cycle of pointers, each load waiting for the one before, in windows of 1024 loads. Other cores "
    "read memory of their own, add to it, or write it past the caches: those that share the walk's last cache (same "
    "cluster), those of other clusters, or those of other nodes. All memory stands on the walk's node.",
    "Each loading core notes every few microseconds how far it has come, so the bandwidth is that of the very windows. A window in which "
    "something else had the walk's core, or those of the load for over a twentieth of it, is left out.",
    "Delays for each KiB were chosen so that the points are spread over the bandwidth that was reached. MLC has fixed ones, "
    "whose points do not compare from machine to machine: compare at equal MB/s, which are 10^6 bytes a second here and "
    "there. What reads and writes counts both.",
    "After each stretch the walk has to stand where its cycle leads to; sums prove what was read, and words in every page "
    "what was written.",
]


def paragraphs(_view):
    """How it was measured, in paragraphs."""
    return _PARAGRAPHS
