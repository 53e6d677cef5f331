"""How the contention probe measures, in paragraphs for the report."""


def paragraphs(view):
    """How a device's curves were measured."""
    found = [
        "A thread on a core of its own follows pointers through memory beyond every cache, in windows of 1,024 loads, while "
        "the GPU runs C = A + B over large arrays, the next dispatches enqueued before one has ended. Arithmetic on each sum "
        "before it is written dials how much bandwidth the GPU uses. A window counts only where it lies wholly inside one "
        "dispatch, by the device's own timestamps, laid on the host's clock by moments that bracket them, less what these "
        "leave open. The bandwidth is that of the dispatches in which counted windows lie. What was written is compared with "
        "the sum that must be there after every stretch.",
        "Stretches with the GPU idle and busy alternate at every load. The control is the same arithmetic on arrays that the "
        "GPU's first cache holds: what remains of the effect there comes from power or heat, not from memory.",
    ]
    if view.is_model:
        found.insert(0, "All values are simulated: a model of a CPU beside the model of a GPU.")
    elif view.is_cpu:
        found.insert(0, "Here GPU and CPU are the same silicon: the driver's threads run on the CPU's other cores.")
    return found
