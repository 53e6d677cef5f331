"""How the host-memory and the zero-copy probe measured, in paragraphs."""

LATENCY = [
    "The walk of the latency probe and the streams of the bandwidth probe, with their working set in each kind of memory that "
    "the driver has. Writer gpu: a kernel wrote the working set last; otherwise the CPU did, through its view of it. What the "
    "CPU gets is one thread's through the mapping, by the host's clock.",
    "A kind that takes 1.8 times and 400 ns longer than a plain buffer at the largest size lies across a bus. One that is at "
    "its highest latency while the plain buffer is still served by a cache bypasses that cache. Less than 1 GB/s, or a quarter "
    "of the fastest kind's, is slow for the CPU.",
]
ROUNDS = [
    "Both sides write the buffer whole, then one changes a 32-bit word, another in every round, and the other has to find it, "
    "with map and unmap where the kind needs them; the value is checked every time, the clock is the host's. Flat means that "
    "nothing is copied. A slope of at least a third of the time of a copy that was asked for is a hidden copy; a smaller one is "
    "work on caches.",
]
