"""How the copy probe measures, in paragraphs for the report."""

COUNTED = "Every byte is counted once, however often it is read and written; both at once: of both directions together."

HOSTS = [
    "Pageable: ordinary memory of a program, which drivers may have to bring elsewhere first. Imported: the program's own "
    "memory, made known to the driver beforehand. Map-memcpy: the CPU copies through a mapping of the device's memory "
    "that is made anew for every copy; no clock of the device sees that, so it is timed by the host's.",
]

KERNELS = [
    "Compute-shader: a kernel on all compute units loads from one side and stores to the other, a dispatch a copy, in the "
    "fastest shape that a search found.",
]


def paragraphs(view, entries):
    """How the given curves of a device were measured."""
    found = [
        "Copies of one size follow one another in a row: a gate holds the queue until all of them are enqueued, so that "
        "enqueuing is in no time, and the device's own clock takes the time of the row (pageable and imported memory: "
        "without the gate where a driver may copy while it enqueues). The words are random. Rows take turns in where they "
        "begin, so that every byte of the target changes each time, and all of it is proved after every row: on the "
        "device by a kernel that adds it up page by page, on the host by the CPU.",
        "Latency and bandwidth are those of the line that fits the time of the smallest and of the largest copies; its "
        "evidence says how far it misses the sizes between.",
        "Engines: rows on several queues at once, in one direction and in both. Beside a kernel: a row that is let go once "
        "a kernel on all compute units runs and that it outlasts, each timed by its own queue's clock.",
        f"Copies in a row: {_rows(entries)}.",
    ]
    if view.is_model:
        found.insert(0, "All values are simulated: latency, rates and engines are those of a model, not of hardware.")
    return found


def _rows(entries):
    counts = {point.state.get("steps") for entry in entries for point in entry.curve.points} - {None}
    return f"{min(counts)} to {max(counts)}, fewer of large ones" if counts else "not recorded"
