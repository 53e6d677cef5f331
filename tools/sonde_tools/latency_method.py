"""How the latency probe measures, in paragraphs for the report, with the numbers of the run."""

from sonde_tools import formats, levels, series

FURTHER = [
    "Uniformly random lines: every load goes to any line of the working set, so that some come again soon. The share "
    "that a cache still holds depends on its size and hardly on its replacement policy, which is why its size is read "
    "from this curve where there is one.",
    "One line a page: the working set is the span of the pages. Few lines are enough for many pages, so that an edge "
    "here which the caches cannot explain belongs to address translation.",
]

PAGES = [
    "One line every so many bytes. As many lines fill the caches alike, however far apart they are, but touch more pages "
    "the further apart they are, until each has a page of its own. So where a walk far apart takes longer than one close "
    "together, a table of pages is full, and address translation takes the difference. The size of a page is the stride "
    "from which on as many lines take longer: further walks, with a few numbers of lines, try the strides between.",
]

PATHS = [
    "The same walk along other ways to the same memory. Scalar: every work-item has the same address, and the compiler "
    "can prove it; GPUs with a scalar unit then use its cache. Constant: constant memory, in Vulkan a uniform buffer, as "
    "large as the driver allows. Image: linear texel fetches through the texture unit. Local: the work-group's own "
    "memory, into which the chain is copied first. Read-modify-write: an atomic addition of zero at every hop.",
]


def paragraphs(view, entries):
    """How the given curves of a device were measured, with the numbers of this run where the samples carry them."""
    points = [point for entry in entries for point in entry.curve.points]
    line = view.record.get("line_bytes")
    spaced = f"one every {line} bytes" if line else "each in its own cache line"
    found = [
        "Each point is the time of one step in a single chain of dependent loads: every load gives the address of the "
        f"next, so no two overlap. The chain is a random cycle over distinct lines ({spaced}) that fill the working "
        "set, walked on without a restart, so that no line comes again before all others have been visited and no "
        "prefetcher can guess the next one.",
        _timing(points),
        "A point during which other programs, or the machine's hypervisor, took more than a few percent of the CPU "
        f"time was measured again, and one beside which something else worked on the same core of a CPU had to wait. "
        f"{_disturbed(points)}",
    ]
    if any(series.kept_awake(entry.curve.series) for entry in entries):
        found.append(
            "A walk with nothing beside it is so little work that memory, and the fabric before it, may fall back to a "
            "low clock. Where the legend says fabric loaded, further work-groups read a light stream beside the walk. "
            "It takes room in shared caches, so that this is done where a level has room for both. Sizes are read from the walk alone, latencies of levels from the one beside the stream."
        )
    unsettled = sum(point.state.get("clock_settled") is False for point in points)
    if unsettled:
        found.append(f"At {_points(unsettled)} the device's clock had not settled before it was measured.")
    throttled = [reasons for point in points if (reasons := point.state.get("throttle_reasons"))]
    if throttled:
        why = ", ".join(sorted(set().union(*throttled)))
        found.append(f"At {_points(len(throttled))} the GPU was throttled ({why}): it can be faster than that.")
    clocks = [point.state["clock_mhz"] for point in points if point.state.get("clock_mhz")]
    if clocks:
        found.append(_cycles(clocks, {point.state.get("clock_source") for point in points}))
    if any(levels.levels_of(entry) for entry in entries):
        found.append(
            "A level's size and latency each stand with the interval that holds them with 95 % probability. The "
            "transition begins where latency has left the level by 5 % of the step to the next, and ends where it has come within "
            "5 % of the next. Address translation is told from a level by a walk that visits one line a page: its edge "
            "follows the number of pages, not of bytes."
        )
    if view.is_model:
        found.insert(0, "All values are simulated: the same walk runs through the caches of a model, not on hardware.")
    return found


def _timing(points):
    text = "Time is taken by the device's own timestamps around each dispatch, "
    launches = [point.state["launch_ns"] for point in points if point.state.get("launch_ns") is not None]
    if launches:
        text += f"less the cost of an empty dispatch ({formats.span(min(launches), max(launches), formats.latency)}). "
    else:
        text += "less the cost of an empty dispatch. "
    text += (
        "After every dispatch the index at which the chain ended is compared with the one it must end at; "
        "a chain that stopped early or went astray is an error, never a value."
    )
    steps = [point.state["steps"] for point in points if point.state.get("steps")]
    counts = [len(point.values) for point in points]
    if steps:
        span = formats.span(min(steps), max(steps), lambda number: f"{number:,}")
        text += f" One repetition is {span} steps."
    return text + f" Each point has {formats.span(min(counts), max(counts), str)} repetitions."


_CLOCK_SOURCES = {
    "shader-clock": "was counted by the core's own counter",
    "arithmetic-chain": "is the whole number that its time and the highest clock that the driver states give",
}


def _cycles(clocks, sources):
    said = [text for name, text in _CLOCK_SOURCES.items() if name in sources]
    how = f", which {' or '.join(said)}" if said else ""
    span = formats.span(min(clocks), max(clocks), formats.clock)
    return (
        f"Cycles are nanoseconds times the core's clock, which was told right after each point's repetitions ({span}) "
        f"by the time of a chain of arithmetic whose steps take a known number of cycles{how}."
    )


def _points(count):
    return "one point" if count == 1 else f"{count} points"


def _disturbed(points):
    count = sum(point.disturbed for point in points)
    if not count:
        return "No point had to be marked."
    if count == 1:
        return "One point was disturbed even so and is drawn hollow: its true latency may be lower."
    return f"{count} points were disturbed even so and are drawn hollow: their true latency may be lower."
