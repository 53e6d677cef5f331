"""How the bandwidth probe measures, in paragraphs for the report."""

SHARING = "Private: each work-group has a part of the working set of its own. Otherwise all walk over all of it."

PATHS = (
    "Through the texture unit a load is a texel of 16 bytes. From memory of the work-groups each reads 16 KiB at most, which "
    "it has copied there before; the working set is all groups' together."
)

PATTERNS = [
    "Write: words that change with every dispatch. Copy: C = A. Triad: C = A + 3 B. The bytes counted are those that the "
    "program moves, all arrays together; a cache that fetches a line before it is overwritten moves more. On the bus: counted "
    "with those lines, where they are known to be fetched.",
]

SCALING = [
    "One working set in each flat stretch of the curve of reading, by 1, 2, 4 and so on work-groups, until the number that "
    "gets 95 % of the most is known within an eighth. In caches all groups walk over all of the set, so that each compute "
    "unit's own caches hold the same whatever the number of groups; in memory, the largest set, each has its own part.",
]


def paragraphs(view, entries):
    """How the given curves of a device were measured, with the shapes that were found."""
    found = [
        "All work-groups move a working set of random words again and again, with wide loads of which several are in "
        "flight; read adds all words up, add is C = A + B in 32-bit integers. The bytes counted are those that the "
        "program moves, all arrays together. Time is taken by the device's own timestamps, less the cost of a launch. "
        "What was read is compared with what was put there after every dispatch, what was written is looked at in "
        "pieces after every dispatch and as a whole after some.",
        "Which shape is fast is a device's own, so it was searched for at three working sets before the sweep: "
        f"{_shapes(entries)}. Where sizes beside each other differ in shape, each is measured in both and the faster is drawn.",
    ]
    if view.is_model:
        found.insert(0, "All values are simulated: the streams run through the caches of a model, not on hardware.")
    return found


def _shapes(entries):
    texts = {}
    for entry in entries:
        for point in entry.curve.points:
            shape = point.state.get("shape")
            if shape:
                texts.setdefault(entry.label.split(",")[0], {})[_shape(shape)] = True
    return "; ".join(f"{api}: {' or '.join(list(each)[:4])}" for api, each in texts.items()) or "none is recorded"


def _shape(shape):
    groups, items = int(shape["groups"]), int(shape["group_size"])
    return (
        f"{groups} work-groups of {items}, {int(shape['vector_bytes'])}-byte loads, {int(shape['in_flight'])} in flight"
    )
