"""What the report says of how the CPU's own bandwidth was measured."""

COUNTED = "Counted is what the program reads and writes, as STREAM counts."

THREADS = [
    "Compact threads fill one cluster of cores before the next; spread ones take turns over nodes and clusters. A memory "
    "that a few threads saturate gives nothing more to the others.",
]

_PARAGRAPHS = [
    "Threads, each kept on a core of its own, stream arrays of their own: read sums all words, the others write a from b, or "
    "from b and c, by the widest vectors that the processor has, with as many in flight as were found to be the fastest. All begin together, and the time is from the first one's "
    "begin to the slowest one's end; runs in which something else had a thread's core are left out. Each thread wrote its memory first, so that "
    "it stands on its node.",
    "Before every run each thread overwrites an element in every page of what is to be written, and afterwards it compares "
    "one there with what the stream should have left; a sum has to be that of all words, for each pass.",
    "Read-2-write-1 and read-3-write-1 add one or two arrays to a third one: two or three lines are read for each that is "
    "written, and none besides, as a line of the third has been read when it is written. Read-modify-write is the mix of "
    "one to one. Intel's Memory Latency Checker has such mixes; its MB/s are these GB/s times a thousand.",
    "As the bus counts: ordinary stores have a line read before it is written, on most processors, and so move more than the "
    "program says. That is arithmetic, not counted. Non-temporal stores do without.",
]


def paragraphs(_view):
    """How it was measured, in paragraphs."""
    return _PARAGRAPHS
