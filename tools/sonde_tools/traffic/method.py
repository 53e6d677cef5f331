"""How the numbers and pictures of traffic come from the counter records, in paragraphs for the report."""


def paragraphs(runs):
    """What is said below the pictures of some runs."""
    found = [
        "Counters in the fabric and at the memory controllers are read at the end of every interval; the record file has the "
        "bytes of each, and its hit rate. Every number below the pictures is computed from these records, without the idle "
        "baseline: the hit rate of the whole run is the mean of the intervals' hit rates, each weighted by its bytes at the "
        "fabric (less the CPU's, where those are told apart), which is what the sums of bytes over the run give; p10, p50 and "
        "p90 are hit rates that a tenth, half and nine tenths of the time stay at or below, each interval weighted by its "
        "length; the highest traffic is that of the intervals that end within one second, read and written together (of a "
        "shorter run, or where an interval is longer, of all of it); the baseline is its bytes over its length. Intervals in "
        "which a number is not known count for nothing.",
        "A hit rate below zero is shown as it is: memory moved more than was asked of it meanwhile, as write-backs of older "
        "lines, partial writes and prefetching do.",
    ]
    scales = sorted({scale for run in runs for scale in run.intervals["scale"].drop_nulls().unique()})
    if any(scale != 1 for scale in scales):
        factor = f"{scales[0]:g}" if len(scales) == 1 else f"{scales[0]:g} to {scales[-1]:g}"
        found.append(
            f"Fewer stations of the fabric were counted at once than there are: the bytes are what was counted times {factor}."
        )
    for run in runs:
        if count := run.intervals["scaled"].sum():
            found.append(
                f"{run.label}: in {count:,} of {len(run.intervals):,} intervals the kernel shared the counters with others, "
                "so that what was counted for a part of the time stands for the whole interval."
            )
    return found
