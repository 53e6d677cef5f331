"""What one run's counters saw, as a table: a row an interval."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import polars

BYTES = (
    "fabric_read", "fabric_write", "memory_read", "memory_write", "gpu_read", "gpu_write", "cpu_read", "cpu_write",
)  # fmt: skip
# The places where bytes are counted, in words.
PLACES = dict(fabric="at the fabric", memory="at memory")
_NUMBERS = ("t", "dt", *BYTES, "cpu_latency_ns", "hit_rate", "scale")
_FLAGS = ("scaled", "baseline")
# Contiguous intervals lie a length apart, whether t is the begin or the end of each; clocks are late at times.
_MOST_LENGTHS_APART = 1.5
_NO_MEMORYS_GBPS = 1e12


@dataclass(frozen=True)
class Run:
    """One source's intervals of one record file, in the order of time.

    intervals has t and dt in seconds, bytes, `fabric` and `memory` (read and written together), hit_rate, null where
    unknown, and `gap`, whether intervals are missing before.
    """

    path: Path
    about: dict
    source: str
    intervals: polars.DataFrame
    is_model: bool
    label: str

    @property
    def baseline(self):
        """The intervals of the idle baseline."""
        return self.intervals.filter("baseline")

    @property
    def work(self):
        """The intervals that are not the baseline's: those of what was watched."""
        return self.intervals.filter(~polars.col("baseline"))

    @property
    def began(self):
        """Seconds at which the baseline was over."""
        return (self.intervals if self.work.is_empty() else self.work)["t"][0]

    def knows(self, name):
        """Whether a column has any number."""
        return self.intervals[name].count() > 0


def of(recording):
    """The Runs of a recording, one a source; labels do not yet tell files apart."""
    by_source = {}
    for counter in recording.counters:
        if not counter.get("probe"):  # beside the points of a run no time passes evenly between them
            by_source.setdefault(counter["source"], []).append(counter)
    all_models = bool(recording.devices) and all(device["type"] == "model" for device in recording.devices)
    about = recording.path, recording.run
    return [
        Run(*about, source, _table(counters), all_models or source.split(":")[0] == "model", source)
        for source, counters in by_source.items()
    ]


def labelled(runs):
    """The runs with a name each: the file's, with folders where two of one name need them, and one of several sources."""
    sources = Counter(run.path for run in runs)
    names = _names(list(sources))
    further = [f", {run.source}" if sources[run.path] > 1 else "" for run in runs]
    return [replace(run, label=names[run.path] + more) for run, more in zip(runs, further, strict=True)]


def _names(paths):
    """{path: its stem, or the path within the folder that all of that stem lie in}."""
    found = {}
    for path in paths:
        same = [other.absolute() for other in paths if other.stem == path.stem]
        shared = os.path.commonpath([other.parent for other in same])
        found[path] = path.stem if len(same) == 1 else str(path.absolute().relative_to(shared))
    return found


def _table(counters):
    found = polars.DataFrame(
        {
            **{name: [counter.get(name) for counter in counters] for name in _NUMBERS},
            **{name: [bool(counter.get(name)) for counter in counters] for name in _FLAGS},
        },
        schema={**dict.fromkeys(_NUMBERS, polars.Float64), **dict.fromkeys(_FLAGS, polars.Boolean)},
        strict=False,
    ).sort("t", maintain_order=True)
    longer = polars.max_horizontal("dt", polars.col("dt").shift())
    return found.with_columns(
        *(_both(found, side).alias(side) for side in ("fabric", "memory")),
        gap=(polars.col("t").diff() > _MOST_LENGTHS_APART * longer).fill_null(False),
    )


def _both(found, side):
    """Bytes read and written; of a direction that no interval has nothing is known, and it is left out."""
    names = [name for name in (f"{side}_read", f"{side}_write") if found[name].count()] or [f"{side}_read"]
    return sum(polars.col(name) for name in names)


def gbps(name):
    """The expression of a column of bytes in GB/s; what no memory ever moves is unknown."""
    rate = polars.col(name) / polars.col("dt") / 1e9
    return polars.when(rate < _NO_MEMORYS_GBPS).then(rate).alias(name)
